import SwiftletMessages

// The extensions that a message declares for its extension ranges.
extension FileValidator {
    private typealias Declaration = Google.Protobuf.ExtensionRangeOptions.Declaration

    func validateDeclarations(of message: Message, at path: ProtoPath) {
        // A name is declared once in all ranges of the message.
        var names: Set<String> = []
        for (index, range) in message.extensionRange.enumerated() {
            guard let options = range.options, !options.declaration.isEmpty else { continue }
            let place = path + [PathNumber.Message.extensionRange, Int32(index)]
            if options.verification == .unverified {
                file.fail("an extension range with declarations cannot be UNVERIFIED", at: place)
            }
            var numbers: Set<Int32> = []
            for declaration in options.declaration {
                let number = declaration.number ?? 0
                if number < range.start ?? 0 || number >= range.end ?? 0 {
                    file.fail("the declared number \(number) is not in the range", at: place)
                }
                if !numbers.insert(number).inserted {
                    file.fail("the number \(number) is declared twice", at: place)
                }
                validate(declaration, &names, at: place)
            }
        }
    }

    private func validate(
        _ declaration: Declaration, _ names: inout Set<String>, at place: ProtoPath
    ) {
        guard let name = declaration.fullName, let type = declaration.type else {
            let hasOne = declaration.fullName != nil || declaration.type != nil
            if hasOne || declaration.reserved != true {
                file.fail(
                    "the declaration of \(declaration.number ?? 0) needs 'full_name' and 'type'",
                    at: place)
            }
            return
        }
        for text in Self.isKeyword(type) ? [name] : [name, type] where !Self.isFullName(text) {
            return file.fail(
                "a declared name is identifiers with a dot before each, not '\(ProtoName.shown(text))'",
                at: place)
        }
        if !names.insert(name).inserted { file.fail("'\(name)' is declared twice", at: place) }
    }

    /// Whether the type is not the name of a message or an enum.
    private static func isKeyword(_ type: String) -> Bool {
        let scalar = Field.FieldType.scalars[declared: type]
        return scalar != nil && scalar != .group || DeclaredName.isSame(type, "enum")
    }

    /// Whether each part has a dot before it. As in protoc, a part can begin with a digit.
    private static func isFullName(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count > 1 && parts[0].isEmpty
            && parts.dropFirst().allSatisfy { part in
                !part.isEmpty && part.allSatisfy { $0.isLetter || $0.isDigit }
            }
    }
}
