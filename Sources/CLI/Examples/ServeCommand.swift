import Swiftlet
import SwiftletDynamic
import SwiftletLoopback

/// Serves the example services, or canned answers, until the process is ended.
enum ServeCommand: Command {
    static let name = "serve"
    static let usage = """
        serve [--port PORT] [--certificate FILE --key FILE]
            [--proto FILE [-I DIR] | --protoset FILE] [--answers FILE] [--fault KIND]
        """
    static let purpose = """
        serves the example services on 127.0.0.1, for tests. With --proto or --protoset it is a mock
              server of the services in these files, which answers with the JSON of --answers. A fault is
              status:CODE, delay:TIME, stall, drop, drop-after:MESSAGES, reset:NUMBER, refuse, goaway,
              no-trailers or garbage. It applies to all calls. To restrict it, append ,on=METHOD and
              ,call=N or ,share=P (0 to 1)
        """
    static let examples = [
        "serve --port 50051", "serve --fault status:UNAVAILABLE,share=0.1 --fault delay:200ms",
        "serve --proto shop.proto --answers answers.json --port 0",
    ]
    static let options: [CommandOption] =
        ServerOptions.all
        + [
            .value("answers", named: "FILE", help: "the answers of a mock server, as JSON"),
            FaultOption.option,
        ]
        + SchemaOptions.all

    static func run(_ arguments: Arguments) async throws {
        try arguments.expectAtMost(0)
        let options = try ServerOptions(arguments)
        let faults = try FaultOption.faults(arguments)
        if let mock = try mock(arguments) {
            let server = try StartFailure.instead {
                try LoopbackServer(on: options.address, tls: options.tls, register: mock)
            }
            try UsageError.whenInvalid { try server.setFaults(faults) }
            return try await ServerOptions.serve(with: server)
        }
        let (server, reconnects) = try StartFailure.instead {
            let reconnects = try ReconnectService()
            let server = try LoopbackServer(on: options.address, tls: options.tls) { server in
                register(reconnects, in: &server)
            }
            return (server, reconnects)
        }
        try UsageError.whenInvalid { try server.setFaults(faults) }
        try await ServerOptions.serve(
            with: server,
            "closing connections at once, to test reconnecting, on \(reconnects.target)")
    }

    private static func register(_ reconnects: ReconnectService, in server: inout ServerMethods) {
        server.addGreeter()
        server.addRouteGuide()
        server.addBenchmark()
        server.add(TestService())
        server.add(reconnects)
        server.add(ReflectionService())
        let health = HealthService()
        server.add(health)
        for name in server.serviceNames { health.set(.serving, for: name) }
    }

    /// Returns a closure that registers the mock services of the schema. Nil if there is no schema.
    private static func mock(
        _ arguments: Arguments
    ) throws -> ((inout ServerMethods) -> Void)? {
        let schema = try SchemaOptions.localSchema(arguments)?.withContentsOfAny()
        guard let path = arguments["--answers"] else {
            guard schema == nil else {
                throw UsageError(message: "--proto and --protoset need --answers FILE")
            }
            return nil
        }
        guard let schema else {
            throw UsageError(message: "--answers needs the services: --proto or --protoset")
        }
        let service = try MockService(schema: schema, answers: try answers(path, schema))
        let files = schema.files.map(\.descriptor)
        let names = Set(files.compactMap(\.name))
        let bundled = [Google.Protobuf.FileDescriptorProto].bundled
        return { server in
            server.add(
                ReflectionService(
                    files: bundled.filter { !names.contains($0.name ?? "") } + files))
            let health = HealthService()
            server.add(health)
            server.add(service)
            for name in service.serviceNames { health.set(.serving, for: name) }
        }
    }

    private static func answers(
        _ path: String, _ schema: Schema
    ) throws -> [String: CannedAnswers] {
        let bytes = try Arguments.contents(of: path)
        do {
            return try AnswerFile.read(bytes, schema: schema)
        } catch let error as FormatError {
            throw UsageError(message: "\(path):\(error)", isAboutUsage: false)
        }
    }
}
