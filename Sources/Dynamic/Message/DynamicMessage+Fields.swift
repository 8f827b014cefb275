// Access to fields. Each function has a form for a field's schema, for its name and for its number.
extension DynamicMessage {
    /// The value of a field, or its default when it is absent. Throws when the message has no such
    /// field.
    public func get(_ field: FieldSchema) throws(DynamicError) -> DynamicValue {
        try check(field)
        return contents.value(field.number) ?? field.defaultValue
    }

    /// The value of the field of that name. Throws when the message has no such field.
    public func get(_ name: String) throws(DynamicError) -> DynamicValue {
        try get(try field(name))
    }

    /// The value of the field with that number. Throws when the message has no such field.
    public func get(number: UInt32) throws(DynamicError) -> DynamicValue {
        try get(try field(number: number))
    }

    /// Whether a field is present. A field without presence is present when it is not zero. A list or a map
    /// is present when it is not empty. Throws when the message has no such field.
    public func has(_ field: FieldSchema) throws(DynamicError) -> Bool {
        try check(field)
        return contents.value(field.number) != nil
    }

    /// Whether the field of that name is present. Throws when the message has no such field.
    public func has(_ name: String) throws(DynamicError) -> Bool { try has(try field(name)) }

    /// Whether the field with that number is present. Throws when the message has no such field.
    public func has(number: UInt32) throws(DynamicError) -> Bool {
        try has(try field(number: number))
    }

    /// Sets a field. Throws when the message has no such field, or the value is not of its type.
    ///
    /// Setting a field of a oneof clears the other fields. If a field without presence is set to zero, or a
    /// list or map to an empty one, the field becomes absent.
    public mutating func set(
        _ field: FieldSchema, _ value: DynamicValue
    ) throws(DynamicError) {
        try check(field)
        store(try FieldValueCheck(field).converted(value), field)
    }

    /// Sets the field of that name. Throws as ``set(_:_:)-(FieldSchema,_)`` does.
    public mutating func set(_ name: String, _ value: DynamicValue) throws(DynamicError) {
        try set(try field(name), value)
    }

    /// Sets the field with that number. Throws as ``set(_:_:)-(FieldSchema,_)`` does.
    public mutating func set(number: UInt32, _ value: DynamicValue) throws(DynamicError) {
        try set(try field(number: number), value)
    }

    /// Makes a field absent. Throws when the message has no such field.
    public mutating func clear(_ field: FieldSchema) throws(DynamicError) {
        try check(field)
        mutate { $0.clear(field.number) }
    }

    /// Makes the field of that name absent. Throws when the message has no such field.
    public mutating func clear(_ name: String) throws(DynamicError) {
        try clear(try field(name))
    }

    /// Makes the field with that number absent. Throws when the message has no such field.
    public mutating func clear(number: UInt32) throws(DynamicError) {
        try clear(try field(number: number))
    }

    /// Adds a value to a list. Throws when the message has no such list, or the value is not of its
    /// type.
    public mutating func append(_ name: String, _ value: DynamicValue) throws(DynamicError) {
        let field = try field(name)
        guard field.isList else { throw DynamicError(path: name, message: "the field is no list") }
        let element = try FieldValueCheck(field).element(value)
        mutate { contents in
            contents.update(field.number, field: field.index, initial: .list([])) { value in
                value.append(element)
            }
        }
    }

    /// The field of a oneof that is present; nil when none is.
    public func present(in oneof: OneofSchema) -> FieldSchema? {
        let layouts = pool.layouts
        return contents.onlyPresent { layouts[$0.field].oneof == oneof.index }
            .map { FieldSchema(pool: pool, index: $0.field) }
    }

    /// Stores a value that is of the field's type. If the field omits such a value, the field becomes absent.
    mutating func store(_ value: DynamicValue, _ field: FieldSchema) {
        let layouts = pool.layouts
        let layout = layouts[field.index]
        mutate { contents in
            if layout.isOmitted(value) { return contents.clear(layout.number) }
            if layout.sharesOneof {
                contents.clear(oneof: layout.oneof, but: layout.number, layouts: layouts)
            }
            contents.store(value, number: layout.number, field: field.index)
        }
    }

    // MARK: Finding the field

    private func field(_ name: String) throws(DynamicError) -> FieldSchema {
        if let field = schema.field(name) { return field }
        if let field = schema.schema.field(name), field.isExtension,
            field.containingMessage == schema
        {
            return field
        }
        throw DynamicError(
            path: name, message: "\(schema.fullName) has no field of this name")
    }

    private func field(number: UInt32) throws(DynamicError) -> FieldSchema {
        if let field = schema.field(number: number) { return field }
        throw DynamicError(
            path: "\(number)", message: "\(schema.fullName) has no field with this number")
    }

    private func check(_ field: FieldSchema) throws(DynamicError) {
        guard field.pool === pool, field.containingMessage.index == type else {
            throw DynamicError(
                path: field.name,
                message: "the field is one of \(field.containingMessage), not of \(schema)")
        }
    }
}

extension FieldLayout {
    /// Whether a field with this value counts as absent.
    func isOmitted(_ value: DynamicValue) -> Bool {
        switch value {
        case .list(let values): values.isEmpty
        case .map(let values): values.isEmpty
        default: shape == .implicit && value.isZero
        }
    }
}

extension DynamicValue {
    /// Adds an element to a list in place.
    @inline(__always)
    mutating func append(_ element: DynamicValue) {
        guard case .list(var values) = self else { return }
        // The list is moved out, so that it has one owner and grows in place.
        self = .bool(false)
        values.append(element)
        self = .list(values)
    }

    /// Whether proto3 omits the value. Negative zero is not omitted.
    var isZero: Bool {
        switch self {
        case .bool(let value): !value
        case .int32(let value), .enumeration(let value): value == 0
        case .int64(let value): value == 0
        case .uint32(let value): value == 0
        case .uint64(let value): value == 0
        case .float(let value): value.bitPattern == 0
        case .double(let value): value.bitPattern == 0
        case .string(let value): value.isEmpty
        case .bytes(let value): value.isEmpty
        case .message: false
        case .list(let values): values.isEmpty
        case .map(let values): values.isEmpty
        }
    }
}

extension DynamicMessage {
    /// The value of a field that the schema has, or its default.
    func value(_ number: UInt32) -> DynamicValue? {
        contents.value(number) ?? schema.field(number: number)?.defaultValue
    }
}
