import SwiftletMessages

// Enums and their values.
extension FileValidator {
    func validate(_ type: Enum, at path: ProtoPath) {
        let name = type.name ?? ""
        guard let first = type.value.first else {
            return file.fail("the enum '\(name)' needs at least one value", at: path)
        }
        if declared.enums[path]?.isClosed == false, first.number != 0 {
            file.fail(
                "the first value of an open enum is 0",
                at: path + [PathNumber.Enum.value, 0, PathNumber.EnumValue.number])
        }
        validateAliases(type, at: path)
        validateReserved(type, at: path)
        validateStrippedNames(type, at: path)
    }

    private func validateAliases(_ type: Enum, at path: ProtoPath) {
        var names: [Int32: String] = [:]
        var hasAlias = false
        for (index, value) in type.value.enumerated() {
            guard let other = names.updateValue(value.name ?? "", forKey: value.number ?? 0)
            else { continue }
            hasAlias = true
            guard type.options?.allowAlias != true else { continue }
            file.fail(
                """
                the number \(value.number ?? 0) is used twice, by '\(other)' and \
                '\(value.name ?? "")'; set 'option allow_alias = true' to allow it
                """, at: path + [PathNumber.Enum.value, Int32(index), PathNumber.EnumValue.number])
        }
        if type.options?.allowAlias == false {
            file.fail(
                "'allow_alias = false' has no effect; remove it", at: path + [PathNumber.name])
        } else if type.options?.allowAlias == true, !hasAlias {
            file.fail(
                "no two values have one number; remove 'allow_alias'", at: path + [PathNumber.name])
        }
    }

    private func validateReserved(_ type: Enum, at path: ProtoPath) {
        let ranges = type.reservedRange.enumerated().inOrder {
            ($0.element.start ?? 0) < ($1.element.start ?? 0)
        }
        var reached: Int32?
        for (index, range) in ranges {
            let place = path + [PathNumber.Enum.reservedRange, Int32(index)]
            let start = range.start ?? 0
            let end = range.end ?? 0
            if let problem = NumberRange.problem(from: start, through: end) {
                file.fail(problem, at: place)
            } else if let before = reached, start <= before {
                file.fail("the range overlaps another reserved range", at: place)
            }
            reached = max(reached ?? end, end)
        }
        validateValues(of: type, in: ranges.map(\.element), at: path)
        validateReservedNames(
            type.reservedName, path + [PathNumber.Enum.reservedName],
            used: type.value.enumerated().map {
                ($1.name ?? "", path + [PathNumber.Enum.value, Int32($0), PathNumber.name])
            })
    }

    /// Reports values whose number is reserved. `ranges` must be sorted. The values are sorted here, so
    /// that one pass over both is enough.
    private func validateValues(
        of type: Enum, in ranges: [Enum.EnumReservedRange], at path: ProtoPath
    ) {
        var rest = ranges[...]
        let values = type.value.enumerated().inOrder {
            ($0.element.number ?? 0) < ($1.element.number ?? 0)
        }
        for (index, value) in values {
            let number = value.number ?? 0
            while let range = rest.first, (range.end ?? 0) < number { rest.removeFirst() }
            guard let range = rest.first, (range.start ?? 0) <= number else { continue }
            file.fail(
                "the number \(number) is reserved",
                at: path + [PathNumber.Enum.value, Int32(index), PathNumber.EnumValue.number])
        }
    }

    /// Generated code removes the name of the enum from its values, so the shortened names must differ.
    private func validateStrippedNames(_ type: Enum, at path: ProtoPath) {
        let isLegacy =
            file.edition == .proto2 && type.options?.deprecatedLegacyJsonFieldConflicts == true
        guard !isLegacy else { return }
        let prefix = (type.name ?? "").utf8.filter { $0 != UInt8(ascii: "_") }.map(\.lowercased)
        var seen: [String: Google.Protobuf.EnumValueDescriptorProto] = [:]
        for (index, value) in type.value.enumerated() {
            let stripped = Self.stripped(value.name ?? "", of: prefix)
            guard let other = seen[stripped] else {
                seen[stripped] = value
                continue
            }
            guard other.name != value.name, other.number != value.number else { continue }
            file.fail(
                """
                '\(value.name ?? "")' and '\(other.name ?? "")' are the same without case and \
                without the name of the enum
                """, at: path + [PathNumber.Enum.value, Int32(index), PathNumber.name])
        }
    }

    /// The name without `prefix`, in Pascal case. Underscores and case are ignored when `prefix` is compared.
    private static func stripped(_ name: String, of prefix: [UInt8]) -> String {
        let bytes = Array(name.utf8)
        var rest = bytes[...]
        var matched = prefix[...]
        while let wanted = matched.first, let byte = rest.first {
            if byte != UInt8(ascii: "_") {
                guard byte.lowercased == wanted else { break }
                matched = matched.dropFirst()
            }
            rest = rest.dropFirst()
        }
        rest = rest.drop { $0 == UInt8(ascii: "_") }
        if !matched.isEmpty || rest.isEmpty { rest = bytes[...] }
        var result: [UInt8] = []
        var raisesNext = true
        for byte in rest {
            if byte == UInt8(ascii: "_") {
                raisesNext = true
            } else {
                result.append(raisesNext ? byte.uppercased : byte.lowercased)
                raisesNext = false
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var lowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self + 32 : self
    }

    fileprivate var uppercased: UInt8 {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) ? self - 32 : self
    }
}
