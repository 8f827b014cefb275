/// A service as Swift source.
struct ServiceSource {
    let schema: ServiceSchema
    let methods: [MethodSource]
    private let names: TypeNames

    /// - Parameter isInNamespace: Whether the source is inside the namespace of the package. Outside
    ///   it, all names are written in full.
    init(_ schema: ServiceSchema, _ file: FileSource, isInNamespace: Bool = true) {
        self.schema = schema
        names = file.names
        let namespace = file.names.namespace(file.file.package)
        let scope = isInNamespace ? namespace : []
        let methodsName = (namespace.dropFirst(scope.count) + [names.name(.methods, of: schema)])
            .joined(separator: ".")
        // A function with the name of a type would hide the type in expressions.
        let reserved = SwiftWords.functionNames.union(
            [names.name(.methods, of: schema), names.name(.client, of: schema)]
                + namespace.prefix(1))
        var functions = NameScope()
        let identifiers = schema.methods.map { method in
            let spelling =
                file.options.keepsMethodCasing
                ? SwiftSpelling.verbatim(method.name) : SwiftSpelling.property(method.name)
            return functions.claim(spelling, suffix: "Method", reserved: reserved)
        }
        methods = zip(schema.methods, identifiers).map { method, name in
            var faces: [GeneratorOptions.Face: String] = [:]
            for face in GeneratorOptions.Face.allCases {
                faces[face] = functions.claim(face.function(name), suffix: "Method")
            }
            return MethodSource(
                schema: method, identifier: SwiftWords.escaped(name), faceIdentifiers: faces,
                methodsName: methodsName,
                request: file.messageReference(method.input, from: scope),
                reply: file.messageReference(method.output, from: scope))
        }
    }

    func name(_ part: ServicePart) -> String { names.name(part, of: schema) }
}

/// A method of a service as Swift source.
struct MethodSource {
    /// The shapes of calls, by the names of `CallShape` and of the channel's functions.
    enum Shape: String {
        case unary, serverStreaming, clientStreaming, bidirectional
    }

    let schema: MethodSchema
    /// The name of the function.
    let identifier: String
    /// The names of the functions of the other faces.
    let faceIdentifiers: [GeneratorOptions.Face: String]
    /// The type that has the `Method` as a static property.
    let methodsName: String
    let request: String
    let reply: String

    /// The name of the function in a body where parameters of functions can hide it.
    var called: String {
        ["methods", "produce", "request"].contains(identifier) ? "self." + identifier : identifier
    }

    var shape: Shape {
        switch (schema.streamsRequests, schema.streamsResponses) {
        case (false, false): .unary
        case (false, true): .serverStreaming
        case (true, false): .clientStreaming
        case (true, true): .bidirectional
        }
    }

    /// The generic arguments of `Method`.
    var types: String { "\(request), \(reply)" }

    /// The static property with the method.
    var value: String { "\(methodsName).\(identifier)" }

    var documentation: [String] {
        let lines = schema.comments.documentationLines
        return lines.isEmpty ? ["Calls `\(schema.path)`."] : lines
    }
}

// MARK: - The function of a client

extension MethodSource {
    /// - Parameter options: The type of the parameter with options; nil for a function without it.
    func parameters(_ options: String?) -> [String] {
        var parameters: [String] = []
        if !schema.streamsRequests { parameters.append("_ request: \(request)") }
        if let options { parameters.append("options: \(options)") }
        if shape == .clientStreaming {
            parameters.append(
                "_ produce: nonisolated(nonsending) (RequestWriter<\(request)>) async throws -> Void"
            )
        }
        return parameters
    }

    /// The effects of the function. A client-streaming function also throws what its closure throws.
    var effects: String { shape == .clientStreaming ? " async throws" : " async throws(RPCError)" }

    /// The type of the result.
    var result: String {
        switch shape {
        case .unary, .clientStreaming: reply
        case .serverStreaming: "ResponseStream<\(reply)>"
        case .bidirectional: "Conversation<\(types)>"
        }
    }

    /// The arguments of the channel's function.
    var call: [String] {
        var arguments = [value]
        if !schema.streamsRequests { arguments.append("request") }
        arguments.append("options: options")
        if shape == .clientStreaming { arguments.append("produce") }
        return arguments
    }

    /// The arguments with which the function without options calls the one with options.
    var forwarded: [String] {
        var arguments: [String] = []
        if !schema.streamsRequests { arguments.append("request") }
        arguments.append("options: CallOptions()")
        if shape == .clientStreaming { arguments.append("produce") }
        return arguments
    }
}
