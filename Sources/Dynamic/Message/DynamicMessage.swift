/// A message whose type is known only at run time.
///
/// ```swift
/// var request = DynamicMessage(try schema.requiredMessage("helloworld.HelloRequest"))
/// try request.set("name", "world")
/// let bytes = try request.encoded()
/// ```
///
/// A message is a value. Copies share their contents until one of them changes.
///
/// Messages are equal when they are of one type, the same fields are present with equal values, and
/// the unknown fields have the same bytes.
public struct DynamicMessage: Sendable {
    private(set) var storage: DynamicStorage

    /// Makes an empty message.
    public init(_ schema: MessageSchema) {
        self.init(pool: schema.pool, type: schema.index)
    }

    /// `contents` must be of the type.
    init(pool: SchemaPool, type: Int, contents: DynamicContents = DynamicContents()) {
        storage = DynamicStorage(pool: pool, type: type, contents: contents)
    }

    /// The type.
    public var schema: MessageSchema { MessageSchema(pool: storage.pool, index: storage.type) }

    /// Fields that were received and that the schema does not know, as they were encoded.
    public var unknownFields: [UInt8] {
        get { storage.contents.unknown }
        set { mutate { $0.unknown = newValue } }
    }

    /// Whether no field is present and there are no unknown fields.
    public var isEmpty: Bool {
        storage.contents.entries.isEmpty && storage.contents.unknown.isEmpty
    }

    /// The fields that are present with their values, by ascending number.
    public var presentFields: [(field: FieldSchema, value: DynamicValue)] {
        storage.contents.entries.map { entry in
            (FieldSchema(pool: storage.pool, index: Int(entry.field)), entry.value)
        }
    }

    /// Changes the contents, which are copied first if another message shares them.
    @inline(__always)
    mutating func mutate<Result, Failure: Error>(
        _ body: (inout DynamicContents) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
        return try body(&storage.contents)
    }
}

extension DynamicMessage: Equatable {
    public static func == (one: DynamicMessage, other: DynamicMessage) -> Bool {
        if one.storage === other.storage { return true }
        return one.storage.pool === other.storage.pool && one.storage.type == other.storage.type
            && one.storage.contents == other.storage.contents
    }
}

/// The contents of a message, shared by its copies.
///
/// `@unchecked` is safe: ``DynamicMessage`` changes a storage only while it holds the one reference.
final class DynamicStorage: @unchecked Sendable {
    let pool: SchemaPool
    /// The index of the message in the pool.
    let type: Int
    var contents: DynamicContents

    init(pool: SchemaPool, type: Int, contents: DynamicContents) {
        self.pool = pool
        self.type = type
        self.contents = contents
    }

    func copy() -> DynamicStorage { DynamicStorage(pool: pool, type: type, contents: contents) }
}
