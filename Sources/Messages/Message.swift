/// A protobuf message, described once for both directions.
///
/// ```swift
/// struct Person: Message {
///     var name = ""
///     var id: UInt64?
///     var unknownFields = UnknownFields()
///
///     mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
///         try field.string(1, &name)
///         try field.uint64(2, &id)
///     }
/// }
/// ```
///
/// Decoding, encoding and the text form all use that one list, and the compiler specializes it for
/// each of them. A message that a library declares for other modules marks ``visit(_:)`` as
/// `@inlinable`, so that those modules can specialize it too.
///
/// Two messages are equal if the compiler's `==` finds all their properties equal, including unknown fields.
/// That is Swift's equality, not equality of the encodings. 0.0 equals -0.0. A NaN does not equal itself, and
/// neither does a message that contains one. Strings are equal if they differ only in how their accents are
/// composed. To compare encodings, compare `encoded(options: .deterministic)` of both messages.
public protocol Message: Sendable, Equatable, CustomDebugStringConvertible {
    /// The full name in the `.proto` file, such as `helloworld.HelloRequest`. Default: the name of the
    /// Swift type. Only `Any` and reflection need it.
    static var messageName: String { get }

    /// Fields that were received but are not in the list. The message encodes them again. Declare this
    /// property as `var unknownFields = UnknownFields()`. A message that drops such fields conforms to
    /// ``DropsUnknownFields`` instead.
    var unknownFields: UnknownFields { get set }

    /// Creates a message whose fields have their defaults.
    init()

    /// Passes each field to `field`, in the order of the numbers. Senders write fields in that order. Any
    /// other order is decoded as well, but more slowly.
    ///
    /// A number is from 1 to 536870911 and is listed once. If two fields have the same number, both are
    /// encoded, and the first receives all decoded values.
    ///
    /// Pass stored properties without observers, and do nothing else. Encoding visits the message in
    /// place while other threads may read it; encoding and decoding may visit it several times. So
    /// `visit` must depend only on the message and must not assign to it. If `visit` passes a variable
    /// that is not stored in the message (a computed, lazy or wrapped property, or a local variable),
    /// encoding stops the program before the variable is written. A debug build also stops if the message
    /// changes while it is encoded. It checks the list when the type is used for the first time.
    ///
    /// If `visit` throws an error, decoding ends with that error, and a call whose message is encoded fails.
    /// `encoded()` stops the program.
    ///
    /// `field` is valid until `visit` returns. Do not keep a copy of it.
    mutating func visit(_ field: inout some FieldVisitor) throws(WireError)

    // The two functions below are implemented for every message. They are requirements, so that a
    // generic function that was not specialized still calls the code made for the concrete message.

    /// Appends the encoded message, after `prefixByteCount` zero bytes that the caller fills. The large
    /// fields are put into `separate` instead. For calls. Other callers append the whole message with
    /// ``encode(appendingTo:options:)``. If ``visit(_:)`` throws, throws its error and appends nothing.
    func encode(
        appendingTo bytes: inout [UInt8], reservingPrefix prefixByteCount: Int,
        separating separate: inout SeparateBytes, options: EncodingOptions
    ) throws(WireError)

    /// Adds the fields in `bytes`: single fields are replaced, messages are merged, lists grow.
    mutating func merge(_ bytes: Span<UInt8>, options: DecodingOptions) throws(WireError)
}

extension Message {
    @inlinable
    public static var messageName: String { "\(Self.self)" }

    @inlinable
    public init(
        decoding bytes: Span<UInt8>, options: DecodingOptions = DecodingOptions()
    ) throws(WireError) {
        self.init()
        try merge(bytes, options: options)
    }

    @inlinable
    public init(
        decoding bytes: [UInt8], options: DecodingOptions = DecodingOptions()
    ) throws(WireError) {
        self.init()
        try merge(ContiguousArray(bytes).span, options: options)
    }

    /// The encoded message. Stops the program if ``visit(_:)`` throws.
    ///
    /// To encode many messages one after another without allocating memory for each, use
    /// ``encode(appendingTo:options:)``.
    @inlinable
    public func encoded(options: EncodingOptions = EncodingOptions()) -> [UInt8] {
        encoded(reservingPrefix: 0, options: options)
    }

    /// The encoded message, after `prefixByteCount` zero bytes that the caller fills.
    @inlinable
    public func encoded(
        reservingPrefix prefixByteCount: Int, options: EncodingOptions = EncodingOptions()
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        encode(appendingTo: &bytes, reservingPrefix: prefixByteCount, options: options)
        return bytes
    }

    /// Appends the encoded message. Uses the capacity that the array has kept. An ``EncodingBuffer`` does the
    /// same without the time that it takes to empty an array.
    ///
    /// ```swift
    /// bytes.removeAll(keepingCapacity: true)
    /// point.encode(appendingTo: &bytes)
    /// ```
    @inlinable
    public func encode(
        appendingTo bytes: inout [UInt8], options: EncodingOptions = EncodingOptions()
    ) {
        encode(appendingTo: &bytes, reservingPrefix: 0, options: options)
    }

    /// Appends the encoded message, after `prefixByteCount` zero bytes that the caller fills.
    @inlinable
    public func encode(
        appendingTo bytes: inout [UInt8], reservingPrefix prefixByteCount: Int,
        options: EncodingOptions = EncodingOptions()
    ) {
        var separate = SeparateBytes.none
        do throws(WireError) {
            try encode(
                appendingTo: &bytes, reservingPrefix: prefixByteCount, separating: &separate,
                options: options)
        } catch {
            ProgramError.stopThrowing(Self.self, error)
        }
    }

    /// Creates a message and sets its fields in one expression: `.with { $0.name = "world" }`.
    @inlinable
    public static func with<Failure: Error>(
        _ setUp: (inout Self) throws(Failure) -> Void
    ) throws(Failure) -> Self {
        var message = Self()
        try setUp(&message)
        return message
    }
}
