extension FileSource {
    /// Writes the protocol of a loopback service and the typed fake, if the options include them.
    func writeTesting(_ service: ServiceSchema, _ writer: inout SourceWriter) {
        let source = ServiceSource(service, self)
        if options.writesServices { writeService(source, &writer) }
        if options.writesFakes { writeFake(source, &writer) }
    }

    private func writeService(_ source: ServiceSource, _ writer: inout SourceWriter) {
        writer.separate()
        writer.documentation([
            "`\(source.schema.fullName)` on a loopback server. A method that is not implemented answers",
            "UNIMPLEMENTED.",
        ])
        writer.block(
            "\(options.access)nonisolated protocol \(source.name(.service)): LoopbackService"
        ) { writer in
            for method in source.methods {
                writer.separate()
                writer.documentation(method.documentation)
                writer.declaration(
                    "func \(method.identifier)", method.handlerParameters, " async throws",
                    result: method.handlerResult, hasBody: false)
            }
        }
    }

    /// Writes the registration of the methods, and a default implementation of each method that fails with
    /// UNIMPLEMENTED.
    func writeRegistration(_ service: ServiceSchema, _ writer: inout SourceWriter) {
        let source = ServiceSource(service, self, isInNamespace: false)
        let namespace = names.namespace(file.package)
        let type = (namespace + [source.name(.service)]).joined(separator: ".")
        writer.separate()
        writer.block("nonisolated extension \(type)") { writer in
            writer.block("\(options.access)func register(in methods: inout ServerMethods)") {
                for method in source.methods {
                    $0.declaration("methods.\(method.shape)", [method.value])
                    $0.body { $0.call("try await \(method.called)", method.handlerArguments) }
                }
            }
            for method in source.methods { writeDefault(method, &writer) }
        }
    }

    private func writeDefault(_ method: MethodSource, _ writer: inout SourceWriter) {
        writer.separate()
        writer.documentation(method.documentation)
        writer.declaration(
            "\(options.access)func \(method.identifier)", method.handlerParameters,
            " async throws", result: method.handlerResult)
        writer.body { writer in
            let message = "\(method.schema.path) is not implemented"
            writer.call("throw RPCError", [".unimplemented", SwiftLiteral.quoted(message)])
        }
    }

    private func writeFake(_ source: ServiceSource, _ writer: inout SourceWriter) {
        let access = options.access
        writer.separate()
        writer.documentation([
            "A fake of `\(source.schema.fullName)`: a test queues the responses, and calls receive them."
        ])
        writer.block("\(access)nonisolated struct \(source.name(.fake)): Sendable") { writer in
            writer.documentation(["The fake channel, for responses of other services."])
            writer.line("\(access)let fake: FakeChannel")
            writer.separate()
            writer.documentation(["The channel for the code under test."])
            writer.line("\(access)var channel: Channel { fake.channel }")
            if options.writesClients {
                let client = source.name(.client)
                writer.separate()
                writer.documentation(["A client for the code under test."])
                writer.getter("\(access)var client: \(client)", "\(client)(channel: channel)")
            }
            writer.separate()
            writer.documentation(["Throws when the system has no resources for a queue."])
            writer.line("\(access)init() throws(RPCError) { fake = try FakeChannel() }")
            for method in source.methods {
                writer.separate()
                writer.documentation([
                    "Queues a response for the next call of `\(method.schema.name)`."
                ])
                writer.declaration(
                    "\(access)func \(method.identifier)", [],
                    result: "FakeResponse<\(method.types)>")
                writer.body { $0.call("fake.respond", ["to: \(method.value)"]) }
            }
        }
    }
}

// MARK: - The function of a loopback service

extension MethodSource {
    var handlerParameters: [String] {
        var parameters = [
            schema.streamsRequests
                ? "_ requests: RequestStream<\(request)>" : "_ request: \(request)"
        ]
        if schema.streamsResponses { parameters.append("_ replies: ReplyWriter<\(reply)>") }
        return parameters + ["_ context: ServerContext"]
    }

    var handlerResult: String? { schema.streamsResponses ? nil : reply }

    /// The arguments in the closure that the server calls.
    var handlerArguments: [String] { handlerParameters.indices.map { "$\($0)" } }
}
