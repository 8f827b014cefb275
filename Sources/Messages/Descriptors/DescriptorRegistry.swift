extension Google.Protobuf.FileDescriptorProto {
    /// `grpc/reflection/v1alpha/reflection.proto`, which differs from its successor in its package.
    public static let reflectionAlpha: Self = {
        func alpha(_ name: inout String?) {
            let old = ".grpc.reflection.v1."
            guard let full = name, full.hasPrefix(old) else { return }
            name = ".grpc.reflection.v1alpha." + full.dropFirst(old.count)
        }
        var file = reflection
        file.name = "grpc/reflection/v1alpha/reflection.proto"
        file.package = "grpc.reflection.v1alpha"
        for message in file.messageType.indices {
            for field in file.messageType[message].field.indices {
                alpha(&file.messageType[message].field[field].typeName)
            }
        }
        for service in file.service.indices {
            for method in file.service[service].method.indices {
                alpha(&file.service[service].method[method].inputType)
                alpha(&file.service[service].method[method].outputType)
            }
        }
        return file
    }()

    /// The files of all services whose messages come with this module, imported files first.
    public static let bundled: [Self] = [
        helloworld, routeguide, testingEmpty, testingMessages, testing, testingBenchmark, health,
        reflection, reflectionAlpha,
    ]

    /// The full names of the services that the file declares.
    public var serviceNames: [String] {
        service.compactMap { $0.name.map(fullName) }
    }

    /// The full names of all that the file declares: messages and enums with those inside them,
    /// services, and their methods.
    public var symbols: [String] {
        var symbols: [String] = []
        for message in messageType { add(message, in: fullName(""), to: &symbols) }
        symbols += enumType.compactMap { $0.name.map(fullName) }
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
    }
}
