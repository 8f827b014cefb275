/// Checks that a value is of a field's type, and converts numbers to it.
struct FieldValueCheck {
    private let field: FieldSchema

    init(_ field: FieldSchema) { self.field = field }

    /// Converts a value to the form that the field stores.
    func converted(_ value: DynamicValue) throws(DynamicError) -> DynamicValue {
        switch (field.layout.shape, value) {
        case (.list, .list(let values)): return .list(try list(values))
        case (.map, .map(let values)): return .map(try map(values))
        case (.list, _), (.map, _): throw error(value, "a \(field.isMap ? "map" : "list")")
        default: return try element(value)
        }
    }

    private func list(_ values: [DynamicValue]) throws(DynamicError) -> [DynamicValue] {
        var result: [DynamicValue] = []
        result.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            do throws(DynamicError) {
                result.append(try element(value))
            } catch {
                throw DynamicError(path: "\(field.name)[\(index)]", message: error.message)
            }
        }
        return result
    }

    private func map(
        _ values: [DynamicMapKey: DynamicValue]
    ) throws(DynamicError) -> [DynamicMapKey: DynamicValue] {
        guard let keyField = field.mapKey, let valueField = field.mapValue else { return values }
        var result: [DynamicMapKey: DynamicValue] = [:]
        for (key, value) in values {
            let place = "\(field.name)[\(key)]"
            do throws(DynamicError) {
                let key = DynamicMapKey(try FieldValueCheck(keyField).element(key.value)) ?? key
                result[key] = try FieldValueCheck(valueField).element(value)
            } catch {
                throw DynamicError(path: place, message: error.message)
            }
        }
        return result
    }

    /// Converts one value to the field's type.
    func element(_ value: DynamicValue) throws(DynamicError) -> DynamicValue {
        let converted: DynamicValue? =
            switch field.type {
            case .double: double(value).map { .double($0) }
            case .float: float(value).map { .float($0) }
            case .int64, .sfixed64, .sint64: integer(value).map { .int64($0) }
            case .uint64, .fixed64: integer(value).map { .uint64($0) }
            case .int32, .sfixed32, .sint32: integer(value).map { .int32($0) }
            case .uint32, .fixed32: integer(value).map { .uint32($0) }
            case .bool: if case .bool = value { value } else { nil }
            case .string: if case .string = value { value } else { nil }
            case .bytes: if case .bytes = value { value } else { nil }
            case .enumeration: enumeration(value)
            case .message, .group: message(value)
            }
        guard let converted else { throw error(value, field.message?.fullName ?? field.type.name) }
        return converted
    }

    private func integer<T: FixedWidthInteger>(_ value: DynamicValue) -> T? {
        switch value {
        case .int32(let value): T(exactly: value)
        case .int64(let value): T(exactly: value)
        case .uint32(let value): T(exactly: value)
        case .uint64(let value): T(exactly: value)
        default: nil
        }
    }

    private func double(_ value: DynamicValue) -> Double? {
        switch value {
        case .double(let value): value
        case .float(let value): Double(value)
        default: (integer(value) as Int64?).flatMap { Double(exactly: $0) }
        }
    }

    /// Converts the value to a float. A double is rounded; nil for a finite double that is outside
    /// of the range of a float.
    private func float(_ value: DynamicValue) -> Float? {
        if case .float(let value) = value { return value }
        guard let value = double(value) else { return nil }
        let rounded = Float(value)
        return rounded.isInfinite && value.isFinite ? nil : rounded
    }

    private func enumeration(_ value: DynamicValue) -> DynamicValue? {
        let number: Int32? = if case .enumeration(let it) = value { it } else { integer(value) }
        guard let number else { return nil }
        if field.layout.isClosedEnum, field.enumeration?.contains(number) == false { return nil }
        return .enumeration(number)
    }

    private func message(_ value: DynamicValue) -> DynamicValue? {
        guard case .message(let message) = value, message.schema == field.message else {
            return nil
        }
        return value
    }

    private func error(_ value: DynamicValue, _ expected: String) -> DynamicError {
        DynamicError(
            path: field.name, message: "\(value.kindName) is not \(expected)")
    }
}

extension DynamicValue {
    /// The value or its kind, for an error text.
    fileprivate var kindName: String {
        switch self {
        case .bool(let value): "\(value)"
        case .int32(let value), .enumeration(let value): "\(value)"
        case .int64(let value): "\(value)"
        case .uint32(let value): "\(value)"
        case .uint64(let value): "\(value)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string: "a string"
        case .bytes: "a byte sequence"
        case .message(let message): "a \(message.schema.fullName)"
        case .list: "a list"
        case .map: "a map"
        }
    }
}
