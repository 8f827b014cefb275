extension FileSource {
    /// Writes the methods of a service, its client, and a protocol of the client.
    func write(_ service: ServiceSchema, _ writer: inout SourceWriter) {
        let source = ServiceSource(service, self)
        writeMethods(source, &writer)
        guard options.writesClients else { return }
        writeProtocol(source, &writer)
        writeClient(source, &writer)
    }

    private func writeMethods(_ source: ServiceSource, _ writer: inout SourceWriter) {
        writer.separate()
        writer.documentation(["The methods of `\(source.schema.fullName)`."])
        writer.block("\(options.access)nonisolated enum \(source.name(.methods))") { writer in
            for method in source.methods {
                writer.documentation(method.documentation)
                writer.call(
                    "\(options.access)static let \(method.identifier) = Method<\(method.types)>",
                    [SwiftLiteral.quoted(method.schema.path), ".\(method.shape.rawValue)"] + codecs)
            }
        }
    }

    /// The arguments of `Method` with the codecs, which messages of this library have by themselves.
    private var codecs: [String] {
        switch options.messages {
        case .swiftlet: []
        case .swiftProtobuf: ["request: .swiftProtobuf", "reply: .swiftProtobuf"]
        }
    }

    /// Writes the codec of SwiftProtobuf's messages. It is private, so that each file can have one.
    func writeCodec(_ writer: inout SourceWriter) {
        writer.separate()
        writer.block("nonisolated extension Codec where Value: SwiftProtobuf.Message") { writer in
            writer.block("fileprivate static var swiftProtobuf: Codec") {
                $0.call(
                    "Codec",
                    [
                        "bytes: { try $0.serializedBytes() }",
                        "value: { try Value(serializedBytes: $0) }",
                    ])
            }
        }
    }

    private func writeProtocol(_ source: ServiceSource, _ writer: inout SourceWriter) {
        let name = source.name(.clientProtocol)
        let client = source.name(.client)
        writer.separate()
        writer.documentation([
            "What code needs of a ``\(client)``. A test passes another implementation."
        ])
        writer.block("\(options.access)nonisolated protocol \(name): Sendable") { writer in
            for method in source.methods {
                writer.separate()
                writer.documentation(method.documentation)
                writer.declaration(
                    "nonisolated(nonsending) func \(method.identifier)",
                    method.parameters("CallOptions"), method.effects, result: method.result,
                    hasBody: false)
            }
        }
    }

    private func writeClient(_ source: ServiceSource, _ writer: inout SourceWriter) {
        let access = options.access
        let service = source.schema
        writer.separate()
        let comments = service.comments.documentationLines
        writer.documentation(
            comments.isEmpty ? ["The client of `\(service.fullName)`."] : comments)
        let name = source.name(.client)
        writer.block(
            "\(access)nonisolated struct \(name): \(source.name(.clientProtocol)), ServiceClient"
        ) { writer in
            writer.line("\(access)let channel: Channel")
            writer.line("\(access)let defaultOptions: CallOptions")
            writer.separate()
            writer.declaration(
                "\(access)init",
                ["channel: Channel", "defaultOptions: CallOptions = CallOptions()"])
            writer.body { writer in
                writer.line("self.channel = channel")
                writer.line("self.defaultOptions = defaultOptions")
            }
            for method in source.methods {
                writer.separate()
                writer.documentation(method.documentation)
                writer.declaration(
                    "\(access)nonisolated(nonsending) func \(method.identifier)",
                    method.parameters("CallOptions"), method.effects, result: method.result)
                writer.body { $0.call("try await \(method.shape)", method.call) }
            }
        }
    }

    /// Writes an extension of the client protocol. Its functions have no parameter for options. The extension is at the
    /// top level, because Swift does not allow an extension inside the namespace's extension.
    func writeConveniences(_ service: ServiceSchema, _ writer: inout SourceWriter) {
        let source = ServiceSource(service, self, isInNamespace: false)
        guard !source.methods.isEmpty else { return }
        let path = names.namespace(file.package) + [source.name(.clientProtocol)]
        writer.separate()
        writer.block("nonisolated extension \(path.joined(separator: "."))") { writer in
            for method in source.methods {
                writer.separate()
                writer.documentation(method.documentation)
                writer.declaration(
                    "\(options.access)nonisolated(nonsending) func \(method.identifier)",
                    method.parameters(nil), method.effects, result: method.result)
                writer.body { $0.call("try await \(method.called)", method.forwarded) }
            }
        }
    }
}
