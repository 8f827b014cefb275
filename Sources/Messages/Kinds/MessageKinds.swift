/// A message inside a message, after its length.
@frozen
public struct MessageKind<M: Message>: FieldKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .lengthDelimited }
    @inlinable public static var initial: M { M() }

    @inlinable
    public static func isInitial(_ value: M) -> Bool { false }

    @inlinable
    @inline(__always)
    public static func write(
        _ value: UnsafePointer<M>, _ number: UInt32, _ writer: inout FieldWriter
    ) {
        writer.tag(number, .lengthDelimited)
        unsafe writer.nested(value)
    }

    @inlinable
    public static func read(
        into value: inout M, _ number: UInt32, _ decoder: inout FieldDecoder
    ) throws(WireError) {
        try decoder.nested(into: &value, number)
    }

    public static func describe(_ value: M, _ text: inout TextWriter) { text.nested(value) }
}

extension FieldKind {
    @inlinable
    public static func message<M>(_ type: M.Type) -> MessageKind<M>
    where Self == MessageKind<M> { MessageKind() }
}

/// A group of proto2: a message between a start tag and an end tag.
@frozen
public struct GroupKind<M: Message>: FieldKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .startGroup }
    @inlinable public static var initial: M { M() }

    @inlinable
    public static func isInitial(_ value: M) -> Bool { false }

    @inlinable
    @inline(__always)
    public static func write(
        _ value: UnsafePointer<M>, _ number: UInt32, _ writer: inout FieldWriter
    ) {
        writer.tag(number, .startGroup)
        unsafe writer.fields(of: value)
        writer.tag(number, .endGroup)
    }

    @inlinable
    public static func read(
        into value: inout M, _ number: UInt32, _ decoder: inout FieldDecoder
    ) throws(WireError) {
        try decoder.group(into: &value, number)
    }

    public static func describe(_ value: M, _ text: inout TextWriter) { text.nested(value) }
}

extension FieldKind {
    @inlinable
    public static func group<M>(_ type: M.Type) -> GroupKind<M>
    where Self == GroupKind<M> { GroupKind() }
}
