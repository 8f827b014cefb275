extension FileSource {
    /// Writes the client functions of the selected faces (such as `blockingSayHello`) in an
    /// extension. The extension is outside the namespace, so that no message hides the types of the
    /// faces.
    func writeFaces(_ service: ServiceSchema, _ writer: inout SourceWriter) {
        let source = ServiceSource(service, self, isInNamespace: false)
        let client = names.namespace(file.package) + [source.name(.client)]
        guard !source.methods.isEmpty else { return }
        for face in GeneratorOptions.Face.allCases where options.faces.contains(face) {
            writer.separate()
            writer.block("nonisolated extension \(client.joined(separator: "."))") { writer in
                for method in source.methods { write(face, of: method, &writer) }
            }
        }
    }

    private func write(
        _ face: GeneratorOptions.Face, of method: MethodSource, _ writer: inout SourceWriter
    ) {
        guard let identifier = method.faceIdentifiers[face] else { return }
        let function = FaceFunction(face, of: method)
        writer.separate()
        writer.documentation(method.documentation)
        if function.hasDiscardableResult { writer.line("@discardableResult") }
        writer.declaration(
            "\(options.access)func \(identifier)", function.parameters, function.effects,
            result: function.result)
        writer.body { $0.call(function.callee, function.arguments, ending: function.ending) }
    }
}

extension GeneratorOptions.Face {
    /// The name of the function of this face for a method.
    func function(_ method: String) -> String {
        let capitalized = method.prefix(1).uppercased() + method.dropFirst()
        return switch self {
        case .handlers: "start" + capitalized
        case .blocking: "blocking" + capitalized
        case .futures: method + "Call"
        }
    }
}

/// A function of a client that makes a call in another way than with `async`.
private struct FaceFunction {
    let face: GeneratorOptions.Face
    let method: MethodSource

    init(_ face: GeneratorOptions.Face, of method: MethodSource) {
        self.face = face
        self.method = method
    }

    private var streamsRequests: Bool { method.schema.streamsRequests }
    private var streamsResponses: Bool { method.schema.streamsResponses }

    /// Whether the result can be discarded: a call with handlers then continues.
    var hasDiscardableResult: Bool { face == .handlers && !streamsRequests }

    var parameters: [String] {
        var parameters = streamsRequests ? [] : ["_ request: \(method.request)"]
        parameters.append("options: CallOptions = CallOptions()")
        if let last { parameters.append("\(last.label) \(last.type)") }
        return parameters
    }

    var effects: String {
        switch (face, method.shape) {
        case (.handlers, .unary), (.handlers, .serverStreaming): " throws(RPCError)"
        case (.blocking, .unary), (.blocking, .serverStreaming): " throws(RPCError)"
        // The closure of the caller can throw any error.
        case (.blocking, .clientStreaming): " throws"
        default: ""
        }
    }

    var result: String {
        switch face {
        case .handlers: streamsRequests ? "WritingCall<\(method.request)>" : "RunningCall"
        case .blocking:
            streamsResponses
                ? "BlockingCall<\(method.types)>" : method.reply
        case .futures:
            switch method.shape {
            case .unary: "UnaryCall<\(method.types)>"
            case .serverStreaming: "ServerStreamingCall<\(method.types)>"
            case .clientStreaming: "ClientStreamingCall<\(method.types)>"
            case .bidirectional: "BidirectionalCall<\(method.types)>"
            }
        }
    }

    /// The channel's function.
    var callee: String {
        let shape = method.shape.rawValue
        let capitalized = shape.prefix(1).uppercased() + shape.dropFirst()
        let function =
            switch face {
            case .handlers: "start" + capitalized
            case .blocking: "blocking" + capitalized
            case .futures: shape + "Call"
            }
        return (effects.isEmpty ? "" : "try ") + "channel." + function
    }

    var arguments: [String] {
        var arguments = [method.value]
        if !streamsRequests { arguments.append("request") }
        arguments.append("options: withDefaults(options)")
        if let last { arguments.append(last.argument) }
        return arguments
    }

    /// The code after the call. The channel's blocking function returns the message together with
    /// metadata, so the message is selected.
    var ending: String { face == .blocking && method.shape == .unary ? ".message" : "" }

    /// The last parameter: the handlers of responses, or the closure that writes requests. Nil if
    /// there is none.
    private var last: (label: String, type: String, argument: String)? {
        switch face {
        case .handlers:
            streamsResponses
                ? ("handlers:", "ResponseHandlers<\(method.reply)>", "handlers: handlers")
                : (
                    "completion:",
                    "@escaping @Sendable (Result<Response<\(method.reply)>, RPCError>) -> Void",
                    "completion: completion"
                )
        case .blocking:
            method.shape == .clientStreaming
                ? ("_ produce:", "(BlockingCall<\(method.types)>) throws -> Void", "produce") : nil
        case .futures:
            streamsResponses
                ? (
                    "handler:", "@escaping @Sendable (\(method.reply)) -> Void",
                    "handler: handler"
                ) : nil
        }
    }
}
