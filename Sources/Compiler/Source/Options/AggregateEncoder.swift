import SwiftletMessages

/// Encodes the fields of one message in the order of their numbers.
struct AggregateEncoder {
    private let message: LinkedMessage
    private var values: [Int32: [EncodedOption]] = [:]
    private var fields: [Int32: LinkedField] = [:]
    private var oneofs: [Int32: LinkedField] = [:]

    init(_ message: LinkedMessage) { self.message = message }

    mutating func add(_ value: EncodedOption, to field: LinkedField) throws(OptionProblem) {
        if !field.isRepeated, values[field.number] != nil {
            throw OptionProblem("'\(field.name)' is set twice")
        }
        // As in protoc, a field without presence that has its default is not set, and may be set again.
        guard !field.isUnset(by: value) else { return }
        if let index = field.oneofIndex, !field.isExtension {
            if let other = oneofs.updateValue(field, forKey: index), other !== field {
                throw OptionProblem("'\(field.name)' and '\(other.name)' are in one oneof")
            }
        }
        fields[field.number] = field
        values[field.number, default: []].append(value)
    }

    mutating func addAny(url: [UInt8], _ bytes: [UInt8]) throws(OptionProblem) {
        guard values.isEmpty else {
            throw OptionProblem("the Any has a type or a value already")
        }
        values[1] = [.bytes(url)]
        if !bytes.isEmpty { values[2] = [.bytes(bytes)] }
    }

    func finish() throws(OptionProblem) -> [UInt8] {
        for field in message.requiredFields where values[field.number] == nil {
            throw OptionProblem("the required field '\(field.fullName)' is missing")
        }
        var bytes: [UInt8] = []
        for number in numbers.inOrder() {
            append(values[number] ?? [], of: number, to: &bytes)
        }
        return bytes
    }

    private var numbers: Set<Int32> {
        // The entries of a map always encode a key and a value, even if these are zero.
        message.isMapEntry ? [1, 2] : Set(values.keys)
    }

    private func append(_ values: [EncodedOption], of number: Int32, to bytes: inout [UInt8]) {
        guard let field = fields[number] else {
            // No field with this number was added. If it is the key or value of a map entry, its
            // default is written. If it is a field of `Any`, `addAny` has added its value.
            for value in values { bytes.append(option: value, number: number) }
            if values.isEmpty, let missing = message.fields.first(where: { $0.number == number }) {
                bytes.append(option: missing.zero, number: number)
            }
            return
        }
        if field.isPacked {
            var packed: [UInt8] = []
            for value in values { packed.append(packed: value) }
            bytes.append(option: .bytes(packed), number: number)
        } else if message.isMessageSet, field.isExtension {
            for value in values { bytes.append(option: value.inMessageSet(number), number: 1) }
        } else {
            for value in values { bytes.append(option: value, number: number) }
        }
    }
}

extension LinkedField {
    /// The default of the type, encoded.
    fileprivate var zero: EncodedOption {
        switch type {
        case FieldType.string?, FieldType.bytes?, FieldType.message?: .bytes([])
        case FieldType.group?: .group([])
        case FieldType.fixed32?, FieldType.sfixed32?, FieldType.float?: .fixed32(0)
        case FieldType.fixed64?, FieldType.sfixed64?, FieldType.double?: .fixed64(0)
        default: .varint(0)
        }
    }
}

extension EncodedOption {
    /// The value as an item of a message set: a group with the number and the message.
    fileprivate func inMessageSet(_ number: Int32) -> EncodedOption {
        var item: [UInt8] = []
        item.append(option: .varint(UInt64(UInt32(bitPattern: number))), number: 2)
        item.append(option: self, number: 3)
        return .group(item)
    }
}
