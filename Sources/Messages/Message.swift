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
/// Decoding, encoding and the text form all come from that one list, and the compiler resolves it
/// for each of them. A message that a library declares for others marks ``visit(_:)`` as
/// `@inlinable`, so that the modules of its users can resolve it too.
///
/// Two messages are equal when the compiler's `==` finds all their properties equal, unknown fields
/// included. That is Swift's equality, not the wire's: 0.0 is equal to -0.0, a NaN is not equal to
/// itself, and neither is a message that holds one; strings are equal when they differ only in how
/// their accents are composed. To ask whether two messages are the same on the wire, compare
/// `encoded(options: .deterministic)` of both.
public protocol Message: Sendable, Equatable, CustomDebugStringConvertible {
    /// The full name in the `.proto` file, such as `helloworld.HelloRequest`. The name of the Swift
    /// type when a message does not say; only `Any` and reflection need it.
    static var messageName: String { get }

    /// What was received but is not in the list. A message that stores this property sends it on
    /// when it is encoded again; one that does not store it drops what it does not know.
    var unknownFields: UnknownFields { get set }

    /// A message whose fields have their defaults.
    init()

    /// Hands each field to `field`, in the order of the numbers, because that is the order in which
    /// senders write them; another order decodes as well, only slower.
    ///
    /// A number is from 1 to 536870911, which is checked, and is listed once, which is not: of two
    /// fields of one number both are written, and all that is read goes to the first.
    ///
    /// It hands over stored properties and does nothing else: it must not depend on anything but the
    /// message, since decoding may walk the list several times and encoding walks it twice; and it
    /// must not assign to a property, since encoding walks the very value that others may be
    /// reading. A debug build stops at a message that changes while it is encoded.
    mutating func visit(_ field: inout some FieldVisitor) throws(WireError)

    // The two below have a body for every message. They are requirements nevertheless: a generic
    // function that was not specialised then still calls the code made for the very message.

    /// Appends the message on the wire, behind `prefixByteCount` zero octets for the caller to fill,
    /// and without the fields that `apart` wants left out. For calls; anybody else appends the whole
    /// message by ``encode(appendingTo:options:)``.
    func encode(
        appendingTo octets: inout [UInt8], reservingPrefix prefixByteCount: Int,
        leavingOut apart: inout OctetsApart, options: EncodingOptions)

    /// Adds what `octets` hold: single fields are replaced, messages are merged, lists grow.
    mutating func merge(_ octets: Span<UInt8>, options: DecodingOptions) throws(WireError)
}

extension Message {
    @inlinable
    public static var messageName: String { "\(Self.self)" }

    @inlinable
    public var unknownFields: UnknownFields {
        get { UnknownFields() }
        set {}
    }

    @inlinable
    public init(
        decoding octets: Span<UInt8>, options: DecodingOptions = DecodingOptions()
    ) throws(WireError) {
        self.init()
        try merge(octets, options: options)
    }

    @inlinable
    public init(
        decoding octets: [UInt8], options: DecodingOptions = DecodingOptions()
    ) throws(WireError) {
        self.init()
        try merge(octets.span, options: options)
    }

    /// The message on the wire.
    ///
    /// To encode many messages one after the other, ``encode(appendingTo:options:)`` needs no new
    /// memory for each.
    @inlinable
    public func encoded(options: EncodingOptions = EncodingOptions()) -> [UInt8] {
        encoded(reservingPrefix: 0, options: options)
    }

    /// The message on the wire, behind `prefixByteCount` zero octets for the caller to fill.
    @inlinable
    public func encoded(
        reservingPrefix prefixByteCount: Int, options: EncodingOptions = EncodingOptions()
    ) -> [UInt8] {
        var octets: [UInt8] = []
        encode(appendingTo: &octets, reservingPrefix: prefixByteCount, options: options)
        return octets
    }

    /// Appends the message on the wire. The memory that an array has kept is used again:
    ///
    /// ```swift
    /// octets.removeAll(keepingCapacity: true)
    /// point.encode(appendingTo: &octets)
    /// ```
    @inlinable
    public func encode(
        appendingTo octets: inout [UInt8], options: EncodingOptions = EncodingOptions()
    ) {
        encode(appendingTo: &octets, reservingPrefix: 0, options: options)
    }

    /// Appends the message on the wire, behind `prefixByteCount` zero octets for the caller to fill.
    @inlinable
    public func encode(
        appendingTo octets: inout [UInt8], reservingPrefix prefixByteCount: Int,
        options: EncodingOptions = EncodingOptions()
    ) {
        var apart = OctetsApart.none
        encode(
            appendingTo: &octets, reservingPrefix: prefixByteCount, leavingOut: &apart,
            options: options)
    }

    /// Makes a message and sets it up in one expression: `.with { $0.name = "world" }`.
    @inlinable
    public static func with<Failure: Error>(
        _ setUp: (inout Self) throws(Failure) -> Void
    ) throws(Failure) -> Self {
        var message = Self()
        try setUp(&message)
        return message
    }
}
