public import SwiftletMessages

/// Compares a Swift message with its declaration in a `.proto` file, for a test.
///
/// ```swift
/// @Test func schema() throws { try check(HelloRequest.self, against: schema) }
/// ```
///
/// Finds wrong, missing and extra fields, and differences of types, presence, packing,
/// defaults, oneofs, enum values and the name. A message must also keep unknown fields, unless it
/// conforms to `DropsUnknownFields`. The names of properties are not compared.
///
/// Throws all differences in one error, also when the schema has no message of that name.
public func check<M: Message>(
    _ type: M.Type, against schema: Schema
) throws(SchemaMismatch) {
    guard let message = schema.message(M.messageName) else {
        throw SchemaMismatch(
            message: M.messageName,
            findings: ["the schema has no message of this name; change 'messageName' of \(type)"])
    }
    try check(type, against: message)
}

/// Compares a Swift message with a declaration. A name that differs is one of the differences.
///
/// Throws all differences in one error.
public func check<M: Message>(
    _ type: M.Type, against message: MessageSchema
) throws(SchemaMismatch) {
    let findings = SchemaCheck.findings(type, message)
    guard findings.isEmpty else {
        throw SchemaMismatch(message: message.fullName, findings: findings)
    }
}

/// The parts of a comparison.
enum SchemaCheck {
    static func findings<M: Message>(_ type: M.Type, _ schema: MessageSchema) -> [String] {
        let listed = ListedField.all(of: type)
        return name(type, schema) + MessageCheck.problems(of: type)
            + fields(listed, schema) + oneofs(listed, schema) + unknownFields(type)
    }

    private static func name<M: Message>(_ type: M.Type, _ schema: MessageSchema) -> [String] {
        guard M.messageName != schema.fullName else { return [] }
        return ["'messageName' is '\(M.messageName)'; change it to '\(schema.fullName)'"]
    }

    private static func fields(_ fields: [ListedField], _ schema: MessageSchema) -> [String] {
        var missing = Dictionary(uniqueKeysWithValues: schema.fields.map { ($0.number, $0) })
        var findings: [String] = []
        for field in fields {
            missing[field.number] = nil
            guard let declared = schema.field(number: field.number) else {
                findings.append("field \(field.number) is not declared; remove it")
                continue
            }
            findings += FieldCheck(field: field, schema: declared).findings
        }
        for field in missing.values.inOrder(by: { $0.number < $1.number }) {
            findings.append(
                "field \(field.number) '\(field.name)' of type \(field.type.name) is missing; add it"
            )
        }
        return findings
    }

    /// Checks that all fields of a oneof are cases of one enum, and that two oneofs do not share an
    /// enum.
    private static func oneofs(_ fields: [ListedField], _ schema: MessageSchema) -> [String] {
        var enums: [OneofSchema: ObjectIdentifier] = [:]
        var owners: [ObjectIdentifier: OneofSchema] = [:]
        var findings: [String] = []
        for field in fields {
            guard case .oneof(let identity) = field.declaredShape,
                let declared = schema.field(number: field.number), let oneof = declared.oneof
            else { continue }
            let first = enums[oneof] ?? identity
            let owner = owners[identity] ?? oneof
            enums[oneof] = first
            owners[identity] = owner
            guard first != identity || owner != oneof else { continue }
            findings.append(
                "field \(field.number) '\(declared.name)' is a case of another enum than the rest of"
                    + " the oneof '\(oneof.name)'; move it")
        }
        return findings
    }

    private static func unknownFields<M: Message>(_ type: M.Type) -> [String] {
        var message = M()
        message.unknownFields = UnknownFieldProbe.fields
        let areKept = !message.unknownFields.isEmpty
        if type is any DropsUnknownFields.Type {
            guard areKept else { return [] }
            return [
                "unknown fields are kept, but the type conforms to 'DropsUnknownFields';"
                    + " conform to 'Message' alone"
            ]
        }
        guard !areKept else { return [] }
        return [
            "unknown fields are dropped; store them in 'var unknownFields = UnknownFields()', or"
                + " remove the property and conform to 'DropsUnknownFields'"
        ]
    }
}

/// A message without fields. It keeps every decoded field as an unknown field.
private struct UnknownFieldProbe: Message {
    var unknownFields = UnknownFields()

    static let layout = Layout<Self> { _ in }

    /// Field 1 with the value 1. Empty only when the decoder does not keep unknown fields.
    static var fields: UnknownFields {
        ((try? UnknownFieldProbe(decoding: [8, 1])) ?? UnknownFieldProbe()).unknownFields
    }
}
