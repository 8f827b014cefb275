import SwiftletMessages

// Services and their methods.
extension ProtoParser {
    typealias Service = Google.Protobuf.ServiceDescriptorProto
    typealias Method = Google.Protobuf.MethodDescriptorProto

    mutating func service(at path: ProtoPath) throws(BrokenStatement) -> Service {
        let location = open(path)
        defer { close(location) }
        lexer.advance()
        var service = Service()
        service.name = try name(at: path, "the name of the service")
        try expect(endOf: location, "{")
        try block(of: "a service") { parser throws(BrokenStatement) in
            guard !parser.isNext("option") else {
                return try parser.optionStatement(
                    &service.options, at: path + [PathNumber.Service.options])
            }
            let index = Int32(service.method.count)
            service.method.append(
                try parser.method(at: path + [PathNumber.Service.method, index]))
        }
        return service
    }

    private mutating func method(at path: ProtoPath) throws(BrokenStatement) -> Method {
        let location = open(path)
        defer { close(location) }
        try expect("rpc")
        var method = Method()
        method.name = try name(at: path, "the name of the method")
        (method.clientStreaming, method.inputType) = try parameter(
            at: path, stream: PathNumber.Method.clientStreaming, type: PathNumber.Method.inputType)
        try expect("returns")
        (method.serverStreaming, method.outputType) = try parameter(
            at: path, stream: PathNumber.Method.serverStreaming,
            type: PathNumber.Method.outputType)
        guard isNext("{") else {
            try expect(endOf: location, ";")
            return method
        }
        try expect(endOf: location, "{")
        // If a method has braces, protoc gives it options even if there are none in the braces.
        method.options = .init()
        try block(of: "a method") { parser throws(BrokenStatement) in
            guard parser.isNext("option") else { throw parser.unexpected("'option'") }
            try parser.optionStatement(
                &method.options, at: path + [PathNumber.Method.options])
        }
        return method
    }

    /// Reads a type in parentheses, and whether it is streamed: true, or nil.
    private mutating func parameter(
        at path: ProtoPath, stream: Int32, type: Int32
    ) throws(BrokenStatement) -> (isStream: Bool?, type: String?) {
        try expect("(")
        var isStream: Bool?
        if isNext("stream") {
            mark(path + [stream], lexer.current)
            lexer.advance()
            isStream = true
        }
        let location = open(path + [type])
        let name = try typeName()
        close(location)
        try expect(")")
        return (isStream, name)
    }
}
