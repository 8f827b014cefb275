import Swiftlet

/// Runs the interop cases of gRPC's implementations, with the flags of their clients.
enum InteropCommand: Command {
    static let name = "interop"
    static let usage = """
        interop --test_case=NAME[,NAME…]|all [--server_host=HOST] [--server_port=PORT]
              [--use_tls=true] [--use_test_ca=true] [--ca_file=FILE] [--server_host_override=NAME]
              [--additional_metadata=NAME:VALUE[;NAME:VALUE…]] [--concurrent_calls=N]
              [--soak_iterations=N] … [--server_control_port=PORT] [--server_retry_port=PORT]
              [--max_reconnect_backoff_ms=N] [--backoff_seconds=N]
        """
    static let purpose = """
        runs cases of gRPC's interop test descriptions; 'all' means the cases of a TestService without
              slow_consumer, which takes most of a minute. Prints one line for each case. The status is 1
              when a case failed, and 3 when none failed but the server could not serve one that was
              named, or any at all. Values of --additional_metadata cannot contain ';'. The flags
              --default_service_account, --oauth_scope, --service_account_key_file and
              --service_config_json are ignored
        """
    static let examples = [
        "interop --test_case=all --server_port=50051",
        "interop --test_case=large_unary,ping_pong --server_host=127.0.0.1 --server_port=50051",
    ]
    static let options: [CommandOption] = [
        "--server_host", "--server_port", "--server_host_override", "--use_tls", "--use_test_ca",
        "--ca_file", "--default_service_account", "--oauth_scope", "--service_account_key_file",
        "--service_config_json", "--additional_metadata", "--test_case", "--concurrent_calls",
        "--soak_iterations", "--soak_max_failures",
        "--soak_per_iteration_max_acceptable_latency_ms",
        "--soak_min_time_ms_between_rpcs", "--soak_overall_timeout_seconds", "--soak_request_size",
        "--soak_response_size", "--soak_num_threads", "--server_control_port",
        "--server_retry_port", "--max_reconnect_backoff_ms", "--backoff_seconds",
        ChannelOptions.frameLog,
    ]

    static func run(_ arguments: Arguments) async throws {
        try arguments.expectAtMost(0)
        let cases = try selectedCases(arguments["--test_case"])
        let server = try server(arguments)
        let named = (arguments["--test_case"] ?? "").split(separator: ",")
        var (failed, notServed, missing) = (0, 0, 0)
        for each in cases {
            let outcome = await each.run(against: server)
            switch outcome {
            case .passed: break
            case .failed: failed += 1
            case .notServed:
                notServed += 1
                if named.contains(where: { $0 == each.name }) { missing += 1 }
            }
            print(line(for: each.name, outcome))
            flushOutput()
        }
        let passed = cases.count - failed - notServed
        print("\(passed) passed, \(failed) failed, \(notServed) not served")
        if failed > 0 { throw ExitStatus(status: 1) }
        if missing > 0 || passed == 0 { throw ExitStatus(status: 3) }
    }

    /// One line, even if the server's texts contain line breaks.
    static func line(for name: String, _ outcome: InteropCase.Outcome) -> String {
        switch outcome {
        case .passed: "passed      \(name)"
        case .failed(let reason): "FAILED      \(name): \(escaped(reason))"
        case .notServed(let reason): "not served  \(name): \(escaped(reason))"
        }
    }

    /// The text with escapes in place of control characters and line separators.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0..<0x20, 0x7f..<0xa0, 0x2028, 0x2029: escaped += scalar.escaped(asASCII: true)
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    static func selectedCases(_ list: String?) throws -> [InteropCase] {
        guard let list, list.contains(where: { $0 != "," }) else {
            throw UsageError(message: "--test_case is missing")
        }
        return try list.split(separator: ",").flatMap { name in
            if name == "all" { return ofTestService }
            guard let found = InteropCase.all.first(where: { $0.name == name }) else {
                throw UsageError(message: "there is no case '\(name)'")
            }
            return [found]
        }
    }

    private static var ofTestService: [InteropCase] {
        InteropCase.all.filter { each in
            if case .testService = each.peer { !each.isLong } else { false }
        }
    }
}

// MARK: - Flags

extension InteropCommand {
    static func server(_ arguments: Arguments) throws -> InteropServer {
        let host = arguments["--server_host"] ?? "localhost"
        let isBare = host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[")
        let bracketed = isBare ? "[\(host)]" : host
        let port = try port("--server_port", arguments) ?? 50_051
        let override = try hostOverride(arguments)
        let credentials = try credentials(arguments, override)
        var common = ChannelArguments()
        common.defaultAuthority = override
        if arguments.has("-vv") { common.frameLog = .standardError }
        var options = CallOptions()
        options.metadata = try metadata(arguments["--additional_metadata"] ?? "")
        var server = InteropServer { [common, options] in
            try Channel(
                "\(bracketed):\(port)", credentials: credentials, arguments: common,
                defaultOptions: options)
        }
        if let port = try self.port("--server_control_port", arguments) {
            // gRPC's test description uses plaintext for this port, even if the other ports use TLS.
            server.makeControlChannel = { [common, options] in
                try Channel(
                    "\(bracketed):\(port)", credentials: .insecure, arguments: common,
                    defaultOptions: options)
            }
        }
        if let port = try self.port("--server_retry_port", arguments) {
            server.makeLostChannel = { [common] maxBackoff in
                var arguments = common
                arguments.maxReconnectBackoff = maxBackoff
                return try Channel(
                    "\(bracketed):\(port)", credentials: credentials, arguments: arguments)
            }
        }
        // If no channel can be made with the options, this is a usage error and not the failure of a case.
        _ = try UsageError.whenInvalid { try server.makeChannel() }
        server.settings = try settings(arguments)
        return server
    }

    private static func port(_ name: String, _ arguments: Arguments) throws -> Int? {
        try arguments.count(name, from: 1, to: 65_535)
    }

    /// Parses the metadata of every call, in the form of the flag of gRPC's C++ client.
    private static func metadata(_ list: String) throws -> Metadata {
        var metadata = Metadata()
        for pair in list.split(separator: ";") {
            guard let colon = pair.firstIndex(of: ":") else {
                throw UsageError(message: "--additional_metadata: '\(pair)' has no ':'")
            }
            let name = String(pair[..<colon])
            let value = String(pair[pair.index(after: colon)...])
            try UsageError.whenInvalid {
                if name.hasSuffix("-bin") {
                    try metadata.add(bytes: Array(value.utf8), for: name)
                } else {
                    try metadata.add(value, for: name)
                }
            }
        }
        return metadata
    }

    /// Nil if the flag is empty, which is the default of other clients.
    private static func hostOverride(_ arguments: Arguments) throws -> String? {
        guard let name = arguments["--server_host_override"], !name.isEmpty else { return nil }
        guard name.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw UsageError(message: "--server_host_override cannot be '\(name)'")
        }
        return name
    }

    private static func credentials(
        _ arguments: Arguments, _ override: String?
    ) throws -> ChannelCredentials {
        guard try arguments.flag("--use_tls") else {
            guard arguments["--ca_file"] == nil else {
                throw UsageError(message: "--ca_file needs --use_tls=true")
            }
            guard try !arguments.flag("--use_test_ca") else {
                throw UsageError(message: "--use_test_ca=true needs --use_tls=true")
            }
            return .insecure
        }
        var tls = TLSOptions()
        tls.targetNameOverride = override
        if let file = arguments["--ca_file"] {
            tls.rootCertificates = .file(file)
        } else if try arguments.flag("--use_test_ca") {
            throw UsageError(
                message: "--use_test_ca=true needs --ca_file=FILE: no authority is built in")
        }
        return try UsageError.whenInvalid { try .tls(tls) }
    }

    private static func settings(_ arguments: Arguments) throws -> InteropServer.Settings {
        var settings = InteropServer.Settings()
        func set(
            _ path: WritableKeyPath<InteropServer.Settings, Int>, _ name: String, from least: Int,
            to most: Int = Int(Int32.max)
        ) throws {
            if let count = try arguments.count(name, from: least, to: most) {
                settings[keyPath: path] = count
            }
        }
        // A case without calls tests nothing. The upper limits keep the memory of the cases bounded.
        try set(\.concurrentCalls, "--concurrent_calls", from: 1, to: 100_000)
        try set(\.soak.iterations, "--soak_iterations", from: 1)
        try set(\.soak.maxFailures, "--soak_max_failures", from: 0)
        try set(\.soak.requestSize, "--soak_request_size", from: 0, to: 64 << 20)
        try set(\.soak.responseSize, "--soak_response_size", from: 0, to: 64 << 20)
        try set(\.soak.threads, "--soak_num_threads", from: 1, to: 10_000)
        if let count = try arguments.count("--soak_per_iteration_max_acceptable_latency_ms") {
            settings.soak.maxLatency = .milliseconds(count)
        }
        if let count = try arguments.count("--soak_min_time_ms_between_rpcs") {
            settings.soak.minTimeBetweenCalls = .milliseconds(count)
        }
        if let count = try arguments.count("--soak_overall_timeout_seconds") {
            settings.soak.overallTimeout = .seconds(count)
        }
        if let count = try arguments.count("--max_reconnect_backoff_ms", from: 1) {
            settings.reconnect.maxBackoff = .milliseconds(count)
        }
        if let count = try arguments.count("--backoff_seconds") {
            settings.reconnect.wait = ReconnectSettings.wait(for: .seconds(count))
        }
        return settings
    }
}

extension Arguments {
    fileprivate func flag(_ name: String) throws -> Bool {
        switch self[name] {
        case nil, "false", "0": return false
        case "true", "1": return true
        case let text?: throw UsageError(message: "\(name) is true or false, not '\(text)'")
        }
    }

    fileprivate func count(
        _ name: String, from least: Int = 0, to most: Int = Int(Int32.max)
    ) throws -> Int? {
        guard let text = self[name] else { return nil }
        guard let count = Int(text), (least...most).contains(count) else {
            throw UsageError(
                message: "\(name) is a number from \(least) to \(most), not '\(text)'")
        }
        return count
    }
}
