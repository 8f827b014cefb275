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
    private enum State: Sendable {
        case read(DynamicContents)
        case pending(PendingMessage)
        /// The state while the contents are being changed.
        case none
    }

    private var state: State

    /// Makes an empty message.
    public init(_ schema: MessageSchema) {
        self.init(pool: schema.pool, type: schema.index)
    }

    init(pool: SchemaPool, type: Int) {
        state = .read(DynamicContents(pool: pool, type: type))
    }

    @inline(__always)
    init(_ contents: DynamicContents) { state = .read(contents) }

    @inline(__always)
    init(_ pending: PendingMessage) { state = .pending(pending) }

    /// The fields.
    @inline(__always)
    var contents: DynamicContents {
        switch state {
        case .read(let contents): contents
        case .pending(let message): message.contents
        case .none: Self.isBeingChanged()
        }
    }

    /// Calls `body` with the fields. Does not retain them, because the message keeps them alive.
    @inline(__always)
    func withContents<Result>(_ body: (DynamicContents) -> Result) -> Result {
        switch state {
        case .read(let contents): body(contents)
        case .pending(let message): message.withContents(body)
        case .none: Self.isBeingChanged()
        }
    }

    var pool: SchemaPool {
        switch state {
        case .read(let contents): contents.pool
        case .pending(let message): message.source.pool
        case .none: Self.isBeingChanged()
        }
    }

    /// The index of the message type in the pool.
    var type: Int {
        switch state {
        case .read(let contents): contents.type
        case .pending(let message): message.type
        case .none: Self.isBeingChanged()
        }
    }

    /// Never called: the compiler allows no access to a message while ``mutate(_:)`` changes it.
    private static func isBeingChanged() -> Never {
        preconditionFailure("a message is read while it is being changed")
    }

    /// The type.
    public var schema: MessageSchema { MessageSchema(pool: pool, index: type) }

    /// Fields that were received and that the schema does not know, as they were encoded.
    public var unknownFields: [UInt8] {
        get { contents.unknown }
        set { mutate { $0.unknown = newValue } }
    }

    /// Whether no field is present and there are no unknown fields.
    public var isEmpty: Bool {
        contents.isEmpty && contents.unknown.isEmpty
    }

    /// The fields that are present with their values, by ascending number.
    public var presentFields: [(field: FieldSchema, value: DynamicValue)] {
        let pool = self.pool
        return contents.present.map { (FieldSchema(pool: pool, index: $0.field), $0.value) }
    }

    /// Changes the contents, which are copied first if another message shares them.
    @inline(__always)
    mutating func mutate<Result, Failure: Error>(
        _ body: (inout DynamicContents) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var contents = self.contents
        // The message drops its reference, so that the contents are copied only if another message has them.
        state = .none
        defer { state = .read(contents) }
        contents.makeUnique()
        return try body(&contents)
    }
}

extension DynamicMessage: Equatable {
    public static func == (one: DynamicMessage, other: DynamicMessage) -> Bool {
        one.contents == other.contents
    }
}
