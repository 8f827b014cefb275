import SwiftletMessages

/// The message inside a `google.protobuf.Any`.
struct AnyContent {
    let url: String
    let message: DynamicMessage

    /// Throws if the schema does not have the type, or if the bytes are not a message of it. Messages in the
    /// content may be nested `maxDepth` deep.
    init(_ any: DynamicMessage, maxDepth: Int) throws(DynamicError) {
        guard case .string(let url) = any.value(1), case .bytes(let bytes) = any.value(2) else {
            throw DynamicError(path: "", message: "the message is not a google.protobuf.Any")
        }
        guard let name = DeclaredName.ofType(url: url),
            let schema = any.schema.schema.message(name)
        else {
            throw DynamicError(
                path: "type_url",
                message: "the schema has no message '\(ErrorText.cut(url))'; add its file")
        }
        do throws(WireError) {
            message = try DynamicMessage(
                decoding: bytes, as: schema, options: DecodingOptions(maxDepth: maxDepth),
                allowsPartial: true)
        } catch {
            throw DynamicError(path: "value", message: "not a \(schema.fullName): \(error)")
        }
        self.url = url
    }
}
