public import SwiftletMessages

extension Google.Protobuf.FileDescriptorProto {
    /// The full names of the services that the file declares.
    public var serviceNames: [String] {
        service.compactMap { $0.name.map(fullName) }
    }

    /// The full names of everything that the file declares: messages, enums and extensions, including
    /// nested ones, services, and methods.
    public var symbols: [String] {
        var symbols: [String] = []
        for message in messageType { add(message, in: fullName(""), to: &symbols) }
        symbols += enumType.compactMap { $0.name.map(fullName) }
        symbols += `extension`.compactMap { $0.name.map(fullName) }
        for service in service {
            let name = fullName(service.name ?? "")
            symbols += [name] + service.method.compactMap { $0.name.map { "\(name).\($0)" } }
        }
        return symbols
    }

    private func fullName(_ name: String) -> String { package.map { "\($0).\(name)" } ?? name }

    private func add(
        _ message: Google.Protobuf.DescriptorProto, in scope: String, to symbols: inout [String]
    ) {
        let name = scope + (message.name ?? "")
        symbols.append(name)
        for nested in message.nestedType { add(nested, in: name + ".", to: &symbols) }
        symbols += message.enumType.compactMap { $0.name.map { "\(name).\($0)" } }
        symbols += message.extension.compactMap { $0.name.map { "\(name).\($0)" } }
    }
}
