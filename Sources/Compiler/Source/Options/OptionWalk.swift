import SwiftletMessages

/// Visits the options of all declarations in a file.
protocol OptionsVisitor {
    /// - Parameters:
    ///   - scope: The full name of the declaration that has the options.
    ///   - path: The path of the options.
    mutating func visit<Options: ProtoOptions>(
        _ options: inout Options?, in scope: String, at path: ProtoPath
    )
}

extension OptionsVisitor {
    mutating func visitAll(of file: inout Google.Protobuf.FileDescriptorProto) {
        let package = file.package ?? ""
        visit(&file.options, in: package, at: [PathNumber.File.options])
        for index in file.messageType.indices {
            visitAll(
                of: &file.messageType[index], in: package,
                at: [PathNumber.File.message, Int32(index)])
        }
        for index in file.enumType.indices {
            visitAll(
                of: &file.enumType[index], in: package,
                at: [PathNumber.File.enumeration, Int32(index)])
        }
        for index in file.service.indices {
            visitAll(
                of: &file.service[index], in: package,
                at: [PathNumber.File.service, Int32(index)])
        }
        visitAll(of: &file.extension, in: package, at: [PathNumber.File.extension])
    }

    private mutating func visitAll(
        of message: inout Google.Protobuf.DescriptorProto, in scope: String, at path: ProtoPath
    ) {
        let name = Declarer.join(scope, message.name)
        visit(&message.options, in: name, at: path + [PathNumber.Message.options])
        visitAll(of: &message.field, in: name, at: path + [PathNumber.Message.field])
        for index in message.oneofDecl.indices {
            visit(
                &message.oneofDecl[index].options,
                in: Declarer.join(name, message.oneofDecl[index].name),
                at: path + [PathNumber.Message.oneof, Int32(index), PathNumber.Oneof.options])
        }
        for index in message.extensionRange.indices {
            visit(
                &message.extensionRange[index].options, in: name,
                at: path + [
                    PathNumber.Message.extensionRange, Int32(index), PathNumber.Range.options,
                ])
        }
        for index in message.nestedType.indices {
            visitAll(
                of: &message.nestedType[index], in: name,
                at: path + [PathNumber.Message.nestedType, Int32(index)])
        }
        for index in message.enumType.indices {
            visitAll(
                of: &message.enumType[index], in: name,
                at: path + [PathNumber.Message.enumeration, Int32(index)])
        }
        visitAll(of: &message.extension, in: name, at: path + [PathNumber.Message.extension])
    }

    private mutating func visitAll(
        of fields: inout [Google.Protobuf.FieldDescriptorProto], in scope: String,
        at path: ProtoPath
    ) {
        for index in fields.indices {
            visit(
                &fields[index].options, in: Declarer.join(scope, fields[index].name),
                at: path + [Int32(index), PathNumber.Field.options])
        }
    }

    private mutating func visitAll(
        of type: inout Google.Protobuf.EnumDescriptorProto, in scope: String, at path: ProtoPath
    ) {
        visit(
            &type.options, in: Declarer.join(scope, type.name),
            at: path + [PathNumber.Enum.options])
        for index in type.value.indices {
            visit(
                &type.value[index].options, in: Declarer.join(scope, type.value[index].name),
                at: path + [PathNumber.Enum.value, Int32(index), PathNumber.EnumValue.options])
        }
    }

    private mutating func visitAll(
        of service: inout Google.Protobuf.ServiceDescriptorProto, in scope: String,
        at path: ProtoPath
    ) {
        let name = Declarer.join(scope, service.name)
        visit(&service.options, in: name, at: path + [PathNumber.Service.options])
        for index in service.method.indices {
            visit(
                &service.method[index].options,
                in: Declarer.join(name, service.method[index].name),
                at: path + [PathNumber.Service.method, Int32(index), PathNumber.Method.options])
        }
    }
}
