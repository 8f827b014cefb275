/// A protobuf message, described once for both directions.
///
/// ```swift
/// struct Person: Message {
///     var name = ""
///     var id: UInt64?
///     var friends: [Person] = []
///     var unknownFields = UnknownFields()
///
///     static let layout = Layout<Self> { field in
///         field.string(1, \.name)
///         field.uint64(2, \.id)
///         field.message(3, \.friends)
///     }
/// }
/// ```
///
/// Encoding, decoding, equality, hashing and the text form all use that one list. The library reads it when the
/// type is used for the first time, and drives all of them itself: a message adds no code to the program but
/// its properties and its list.
///
/// Two messages are equal if all listed fields and the unknown fields are equal. Strings are equal if they have the
/// same bytes. Numbers are equal as in Swift: 0.0 equals -0.0, and a NaN does not equal itself, so neither does a
/// message that contains one. Keys of maps are equal as in Swift, too. Properties that are not in the list do not
/// count. To compare encodings, compare `encoded(options: .deterministic)` of both messages.
public protocol Message: Sendable, Hashable, CustomDebugStringConvertible {
    /// The full name in the `.proto` file, such as `helloworld.HelloRequest`. Default: the name of the
    /// Swift type without a package, such as `HelloRequest`. Only `Any`, details of errors and `SwiftletDynamic`
    /// need the full name.
    static var messageName: String { get }

    /// The fields. Declare it as `static let layout = Layout<Self> { field in … }`.
    static var layout: Layout<Self> { get }

    /// Fields that were received but are not in the list. The message encodes them again. Declare this
    /// property as `var unknownFields = UnknownFields()`. A message that drops such fields conforms to
    /// ``DropsUnknownFields`` instead.
    var unknownFields: UnknownFields { get set }

    /// Creates a message whose fields have their defaults.
    init()
}

extension Message {
    public static var messageName: String { "\(Self.self)" }

    /// Decodes a message. Throws if the bytes are not a message of the type, or exceed a limit of the options.
    @inlinable
    public init(
        decoding bytes: Span<UInt8>, options: DecodingOptions = DecodingOptions()
    ) throws(WireError) {
        self.init()
        try merge(bytes, options: options)
    }

    /// Decodes a message. Throws as the initializer for a span does.
    @inlinable
    public init(
        decoding bytes: [UInt8], options: DecodingOptions = DecodingOptions()
    ) throws(WireError) {
        self.init()
        try merge(ContiguousArray(bytes).span, options: options)
    }

    /// The encoded message, after `prefixByteCount` zero bytes that the caller fills. Default: none.
    ///
    /// To encode many messages one after another without allocating memory for each, use
    /// ``encode(appendingTo:reservingPrefix:options:)``.
    @inlinable
    public func encoded(
        reservingPrefix prefixByteCount: Int = 0, options: EncodingOptions = EncodingOptions()
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        encode(appendingTo: &bytes, reservingPrefix: prefixByteCount, options: options)
        return bytes
    }

    /// Appends the encoded message, after `prefixByteCount` zero bytes that the caller fills. Default: none. Uses the
    /// capacity that the array has kept. An ``EncodingBuffer`` does the same without the time that it takes to empty
    /// an array.
    ///
    /// ```swift
    /// bytes.removeAll(keepingCapacity: true)
    /// point.encode(appendingTo: &bytes)
    /// ```
    @inlinable
    public func encode(
        appendingTo bytes: inout [UInt8], reservingPrefix prefixByteCount: Int = 0,
        options: EncodingOptions = EncodingOptions()
    ) {
        unsafe withUnsafePointer(to: self) { message in
            unsafe Encoding.append(
                UnsafeRawPointer(message), Self.layout.table, to: &bytes,
                reservingPrefix: prefixByteCount, separating: nil, options: options)
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
