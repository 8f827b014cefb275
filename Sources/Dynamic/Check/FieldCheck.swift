import SwiftletMessages

/// Compares a field of a Swift message with its declaration.
struct FieldCheck {
    let field: ListedField
    let schema: FieldSchema

    private var name: String { "field \(schema.number) '\(schema.name)'" }

    /// Describes each difference in a sentence.
    var findings: [String] {
        let shape = shapeFinding.map { [$0] } ?? packingFindings + defaultFindings
        return shape + typeFindings + enumFindings
    }
}

// MARK: - Shape

extension FieldCheck {
    private var shapeFinding: String? {
        guard let expected = expectedShape else { return nil }
        return "\(name) is \(description(of: field.declaredShape)); declare it as \(expected)"
    }

    /// The shape that the property must have; nil when its shape is right.
    private var expectedShape: String? {
        if let oneof = schema.oneof {
            if case .oneof = field.declaredShape { return nil }
            return "a case of the oneof '\(oneof.name)'"
        }
        if let key = schema.mapKey {
            if field.declaredShape == .map(key.type) { return nil }
            return "a map with keys of type \(key.type.name)"
        }
        if schema.isList { return field.declaredShape == .list ? nil : "a list" }
        if schema.isRequired {
            return field.declaredShape == .required
                || field.declaredShape == .explicit && requiresItself
                ? nil : "required"
        }
        if !schema.hasPresence {
            return field.declaredShape == .implicit ? nil : "a field without presence"
        }
        return field.declaredShape == .explicit || hasOwnDefault ? nil : "optional"
    }

    /// Whether the value of the required field would contain itself without end, so that the property must be
    /// optional.
    private var requiresItself: Bool { RecursiveFields(schema.pool).contains(schema) }

    /// Whether the property has the form for a field with a declared default: it is not optional,
    /// even if the field has presence.
    private var hasOwnDefault: Bool {
        field.declaredShape == .implicit && schema.hasExplicitDefault
    }

    private func description(of shape: ListedField.DeclaredShape) -> String {
        switch shape {
        case .implicit: "a field without presence"
        case .required: "required"
        case .explicit: "optional"
        case .list: "a list"
        case .map(let key): "a map with keys of type \(key?.name ?? "unknown")"
        case .oneof: "a case of a oneof"
        }
    }
}

// MARK: - Packing and defaults

extension FieldCheck {
    private var packingFindings: [String] {
        guard let isPacked = field.isPacked, schema.isList, isPacked != schema.isPacked else {
            return []
        }
        return ["\(name) is \(isPacked ? "" : "not ")packed; pass 'packed: \(schema.isPacked)'"]
    }

    private var defaultFindings: [String] {
        guard field.type == schema.type, let initial = field.initialValue else { return [] }
        let isZeroOmitted = field.declaredShape == .implicit && !hasOwnDefault
        if isZeroOmitted, !field.omitsZero {
            return ["\(name) has a default of its own; the declaration has none, so remove it"]
        }
        guard !isSame(initial, schema.defaultValue) else { return [] }
        return ["\(name) has the default \(initial); change it to \(schema.defaultValue)"]
    }

    /// Whether two defaults are equal. A NaN is equal to a NaN.
    private func isSame(_ one: DynamicValue, _ other: DynamicValue) -> Bool {
        switch (one, other) {
        case (.float(let one), .float(let other)): one == other || one.isNaN && other.isNaN
        case (.double(let one), .double(let other)): one == other || one.isNaN && other.isNaN
        default: one == other
        }
    }
}

// MARK: - Types

extension FieldCheck {
    /// The declaration of one value.
    private var element: FieldSchema { schema.mapValue ?? schema }

    private var typeFindings: [String] {
        guard field.type == element.type else {
            return [
                "\(name) has the type \(field.type.name); change it to \(element.type.name)"
            ]
        }
        guard let message = element.message, let actual = field.messageName,
            actual != message.fullName
        else { return [] }
        return ["\(name) has the message type \(actual); change it to \(message.fullName)"]
    }

    private var enumFindings: [String] {
        guard field.type == .enumeration, let enumeration = element.enumeration else { return [] }
        return missingValues(of: enumeration) + extraValues(of: enumeration)
    }

    private func missingValues(of enumeration: EnumSchema) -> [String] {
        let numbers = Set(enumeration.values.map(\.number)).inOrder()
        return numbers.compactMap { number in
            let names = enumeration.values.filter { $0.number == number }.map(\.name)
            let actual = field.valueName(number)
            guard actual.map(names.contains) != true else { return nil }
            let described = actual.map { "the name '\($0)'" } ?? "no name"
            return "\(name): \(enumeration.fullName) has \(described) for \(number); change it to"
                + " '\(names.first ?? "")'"
        }
    }

    /// Reports values that the `.proto` file does not declare. Tries only numbers near the declared
    /// ones, because an open enum has no list of its values.
    private func extraValues(of enumeration: EnumSchema) -> [String] {
        let highest = enumeration.values.map(\.number).max() ?? 0
        let end = min(max(highest, 0), 1_000) + 20
        return (-20...end).compactMap { number in
            guard !enumeration.contains(number), let extra = field.valueName(number) else {
                return nil
            }
            return "\(name): \(enumeration.fullName) has no value \(number); remove '\(extra)'"
        }
    }
}
