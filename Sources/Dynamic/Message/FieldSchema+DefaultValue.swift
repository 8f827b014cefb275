extension FieldSchema {
    /// The value of the field when it is absent: the declared default, else zero, empty, or the first value
    /// of the enum.
    public var defaultValue: DynamicValue {
        switch scalarDefault {
        case .bool(let value): .bool(value)
        case .int32(let value): .int32(value)
        case .int64(let value): .int64(value)
        case .uint32(let value): .uint32(value)
        case .uint64(let value): .uint64(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        case .bytes(let value): .bytes(value)
        case .enumeration(let value): .enumeration(value)
        case nil: empty
        }
    }

    private var empty: DynamicValue {
        guard !isList, let message else { return .list([]) }
        return isMap ? .map([:]) : .message(DynamicMessage(message))
    }
}
