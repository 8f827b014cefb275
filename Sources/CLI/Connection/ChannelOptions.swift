import Swiftlet

/// Options of commands that call a server.
enum ChannelOptions {
    static let all: [CommandOption] =
        [
            .flag("plaintext", help: "no TLS; the default for a target on this machine"),
            .flag("tls", help: "TLS; the default for every other target"),
            .value(
                "cacert", "ca", named: "FILE|system",
                help: "the authorities that may certify the server"),
            .value("cert", named: "FILE", help: "the certificate of this client, with --key"),
            .value("key", named: "FILE", help: "the private key of this client"),
            .value(
                "servername", "override", named: "NAME",
                help: "the name that the server's certificate must be for"),
            .flag("insecure", help: "TLS that accepts every certificate"),
            .value("authority", named: "NAME", help: "the :authority of requests"),
        ] + HeaderOption.options + [
            .value(
                "max-time", "timeout", named: "TIME",
                help: "the longest time of a call; default: 20s, and none for call, repl and "
                    + "health --watch"),
            .value(
                "connect-timeout", named: "TIME", help: "the longest time of an attempt to connect"),
            .value(
                "keepalive-time", named: "TIME",
                help:
                    "probes a silent connection after this time, and closes it if no answer arrives "
                    + "within the same time; at least 10s"),
            .value("compress", named: "gzip|deflate", help: "compresses requests"),
            .value(
                "max-msg-size", "max-msg-sz", named: "BYTES", help: "the largest response message"),
            .value("user-agent", named: "TEXT", help: "put before the user agent of this program"),
            .value(
                "retry", named: "N",
                help:
                    "sends a call up to N times while it is UNAVAILABLE, also if the server cannot "
                    + "be reached"),
            .value("proxy", named: "URL|none", help: "the proxy to connect through"),
            MeshOption.option, TraceFile.option, frameLog,
        ]
    static let frameLog = CommandOption.flag(
        "vv", help: "prints each HTTP/2 frame to the standard error; includes -v")
    static let usage = "[connection options]"
    static let defaultTarget = "localhost:50051"

    /// - Parameters:
    ///   - target: The server.
    ///   - arguments: The options.
    ///   - timeout: The longest time of a call that has no `--max-time`; nil sets no limit.
    ///   - headers: The metadata of all calls, as `NAME: VALUE`. Replaces the values of `-H`.
    ///   - configure: Changes arguments that the options do not set.
    static func channel(
        _ target: String, _ arguments: Arguments, timeout: Duration? = .seconds(20),
        headers: [String]? = nil, configure: (inout ChannelArguments) -> Void = { _ in }
    ) throws -> Channel {
        var options = CallOptions()
        options.timeout = try arguments.duration("--max-time") ?? timeout
        options.compression = try arguments.choice("--compress", as: Compression.self)?.algorithm
        options.metadata = try HeaderOption.metadata(headers ?? HeaderOption.lines(arguments))
        try MeshOption.enable(for: target, arguments)
        let credentials = try SecurityOptions.credentials(target, arguments)
        return try UsageError.whenInvalid {
            var channelArguments = ChannelArguments()
            configure(&channelArguments)
            try apply(arguments, to: &channelArguments)
            let trace = try TraceFile.begin(arguments)
            let channel = try Channel(
                target, credentials: credentials, arguments: channelArguments,
                defaultOptions: options)
            // Only now: an earlier trace must not be lost by a mistake in the command line.
            try trace?.removeContent()
            return channel
        }
    }

    private static let shortestKeepAlive = Duration.seconds(10)

    /// Attempts after about 0.3, 0.6, 1.2 and 2.4 seconds.
    private static func retryPolicy(maxAttempts: Int) -> RetryPolicy {
        var policy = RetryPolicy(maxAttempts: maxAttempts, retryableCodes: [.unavailable])
        policy.initialBackoff = .milliseconds(300)
        policy.maxBackoff = .seconds(3)
        return policy
    }

    private enum Compression: String, CaseIterable {
        case gzip, deflate, identity

        var algorithm: CompressionAlgorithm { CompressionAlgorithm(name: rawValue) }
    }

    private static func apply(
        _ arguments: Arguments, to channel: inout ChannelArguments
    ) throws {
        channel.defaultAuthority = arguments["--authority"]
        channel.userAgentPrefix = arguments["--user-agent"]
        if arguments.has("-vv") { channel.frameLog = .standardError }
        if let timeout = try arguments.duration("--connect-timeout") {
            channel.connectTimeout = timeout
        }
        if let time = try arguments.duration("--keepalive-time") {
            guard time >= shortestKeepAlive else {
                throw UsageError(message: "--keepalive-time needs 10s or more")
            }
            channel.keepAliveInterval = time
            channel.keepAliveTimeout = time
        }
        if let count = try arguments.integer("--max-msg-size", in: 0...Int(Int32.max)) {
            channel.maxReceiveMessageByteCount = count
        }
        if let count = try arguments.integer("--retry", in: 1...5), count > 1 {
            var config = ServiceConfig()
            config.methods = [
                MethodConfig([.all]) {
                    $0.retry = retryPolicy(maxAttempts: count)
                }
            ]
            channel.serviceConfig = config
            // A call that is sent again must not find the failure that its last attempt found: the channel
            // connects again more often than attempts follow each other.
            channel.initialReconnectBackoff = .milliseconds(50)
            channel.maxReconnectBackoff = .milliseconds(100)
        }
        if let proxy = arguments["--proxy"] {
            channel.proxy = proxy == "none" ? .none : .server(try ProxyServer(proxy))
        }
    }
}

extension Channel {
    /// Runs `body` and closes the channel, even if `body` throws. If a program exits with an open channel, it
    /// sends no GOAWAY to the server.
    func closing<Result>(after body: () async throws -> Result) async throws -> Result {
        do {
            let result = try await body()
            await close()
            return result
        } catch {
            await close()
            throw error
        }
    }
}
