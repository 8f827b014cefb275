import SwiftletMessages

// The layouts of fields and messages, which decoding and encoding need.
extension SchemaBuilder {
    func layout(
        of index: Int, _ type: FieldType, _ target: Int
    ) throws(SchemaError) -> FieldLayout {
        let entry = fields[index]
        let number = entry.proto.number ?? 0
        // A message set writes the numbers of its items as values, and not in tags.
        let isItem =
            entry.isExtension && type == .message && entry.proto.label != .repeated
            && messages[entry.message].proto.options?.messageSetWireFormat == true
        let maxNumber = isItem ? Int32.max : NumberRange.maxFieldNumber
        guard 1...maxNumber ~= number else {
            throw error(entry.file, entry.fullName, "number \(number) is not in 1...\(maxNumber)")
        }
        let shape = try shape(of: entry, type, target)
        let oneof = entry.isExtension ? nil : entry.proto.oneofIndex
        let firstOneof = messages[entry.message].oneofs.lowerBound
        if oneof != nil, shape == .list || shape == .map || shape == .required {
            throw error(entry.file, entry.fullName, "a field of a oneof must be optional")
        }
        return FieldLayout(
            number: UInt32(number), type: type, shape: shape,
            isPacked: shape == .list && type.isPackable && entry.features.packsLists,
            validatesUTF8: entry.features.validatesUTF8,
            isClosedEnum: type == .enumeration && enums[target].isClosed,
            target: Int32(target), oneof: oneof.map { Int32(firstOneof) + $0 } ?? -1)
    }

    private func shape(
        of entry: FieldEntry, _ type: FieldType, _ target: Int
    ) throws(SchemaError) -> FieldLayout.Shape {
        if entry.proto.label == .repeated {
            let isMap = type == .message && messages[target].proto.options?.mapEntry == true
            return isMap ? .map : .list
        }
        switch entry.features.presence {
        case .required:
            if entry.isExtension {
                throw error(entry.file, entry.fullName, "an extension cannot be required")
            }
            return .required
        case .implicit:
            let hasPresence =
                type.isMessage || entry.isExtension || entry.proto.oneofIndex != nil
            return hasPresence ? .explicit : .implicit
        case .explicit: return .explicit
        }
    }

    mutating func layOut(message index: Int) throws(SchemaError) {
        let entry = messages[index]
        var numbers: [UInt32: Int] = [:]
        for field in entry.fields {
            let number = layouts[field].number
            if let old = numbers.updateValue(field, forKey: number) {
                throw error(
                    entry.file, fields[field].fullName,
                    "it has the number of \(fields[old].fullName), \(number)")
            }
            messages[index].fieldsByName[fields[field].proto.name ?? ""] = field
            messages[index].fieldsByJSONName[fields[field].jsonName] = field
        }
        let isMapEntry = entry.proto.options?.mapEntry == true
        if isMapEntry { try checkMapEntry(entry, numbers) }
        messageLayouts.append(
            tables.add(
                message: index, fields: entry.fields, layouts: layouts, isMapEntry: isMapEntry,
                isMessageSet: !isMapEntry && entry.proto.options?.messageSetWireFormat == true,
                hasExtensions: !entry.extensionsByNumber.isEmpty))
        messages[index].wellKnown = wellKnown(entry, numbers)
    }

    private func checkMapEntry(
        _ entry: MessageEntry, _ numbers: [UInt32: Int]
    ) throws(SchemaError) {
        guard entry.fields.count == 2, let key = numbers[1], let value = numbers[2],
            layouts[key].type.isMapKey, layouts[key].isSingular, layouts[value].isSingular
        else {
            throw error(
                entry.file, entry.fullName, "the entry of a map needs a key 1 and a value 2")
        }
        let proto = entry.proto
        guard entry.parent != nil, proto.nestedType.isEmpty, proto.enumType.isEmpty,
            proto.extension.isEmpty, proto.extensionRange.isEmpty
        else {
            throw error(
                entry.file, entry.fullName,
                "the entry of a map is inside a message, and declares only its key and its value")
        }
    }

    private func wellKnown(_ entry: MessageEntry, _ numbers: [UInt32: Int]) -> WellKnownType? {
        guard let type = WellKnownType(fullName: entry.fullName) else { return nil }
        let hasFields = type.expectedFields.allSatisfy { expected in
            numbers[expected.number].map { matches(layouts[$0], expected) } ?? false
        }
        return hasFields ? type : nil
    }

    private func matches(_ field: FieldLayout, _ expected: WellKnownType.ExpectedField) -> Bool {
        switch expected.shape {
        case .single: field.isSingular && matchesType(field, expected)
        case .list: field.shape == .list && matchesType(field, expected)
        case .mapByString:
            field.shape == .map
                && messages[field.targetIndex].fields.allSatisfy { index in
                    let part = layouts[index]
                    return part.number == 1
                        ? part.type == .string : matchesType(part, expected)
                }
        }
    }

    private func matchesType(
        _ field: FieldLayout, _ expected: WellKnownType.ExpectedField
    ) -> Bool {
        guard expected.types.contains(field.type) else { return false }
        switch field.type {
        case .message, .group: return messages[field.targetIndex].fullName == expected.target
        case .enumeration: return enums[field.targetIndex].fullName == expected.target
        default: return true
        }
    }

    /// Marks the messages in which a required field can be missing, or can be missing in an inner message.
    /// First marks the messages with required fields. Then repeatedly marks the messages that have a field of
    /// a marked message.
    mutating func markRequiredChecks() {
        var users: [[Int]] = Array(repeating: [], count: messages.count)
        for field in fields.indices where layouts[field].type.isMessage {
            users[layouts[field].targetIndex].append(fields[field].message)
        }
        var pending = messages.indices.filter { !messageLayouts[$0].required.isEmpty }
        while let message = pending.popLast() {
            guard !messageLayouts[message].needsRequiredCheck else { continue }
            messageLayouts[message].needsRequiredCheck = true
            pending += users[message]
        }
        for field in fields.indices where layouts[field].type.isMessage {
            let target = layouts[field].targetIndex
            layouts[field].needsRequiredCheck = messageLayouts[target].needsRequiredCheck
        }
    }

    /// Marks the fields that share their oneof. A proto3 field with presence has its own oneof, and is not
    /// marked.
    mutating func markSharedOneofs() {
        for field in fields.indices where layouts[field].oneof >= 0 {
            layouts[field].sharesOneof = oneofs[Int(layouts[field].oneof)].fields.count > 1
        }
    }
}
