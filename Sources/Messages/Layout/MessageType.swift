/// What the codec must know of a message type that only the program knows.
///
/// The codec passes addresses: of a message, of an optional message, or of an array of messages. An optional stores
/// its value at its start, so the address of an optional that is not nil is also that of the message.
package class MessageType: FieldDetail {
    /// The distance of two elements of an array, in bytes.
    let stride: Int

    init(stride: Int) { self.stride = stride }

    var table: UnsafePointer<FieldTable> { fatalError("abstract") }
    package var name: String { fatalError("abstract") }

    func isPresent(_ optional: UnsafeRawPointer) -> Bool { fatalError("abstract") }
    /// Puts a new message into the optional, if it is nil.
    func makePresent(_ optional: UnsafeMutableRawPointer) { fatalError("abstract") }

    /// Calls `body` with the address of the first element of an array that is not empty.
    func withElements(
        _ array: UnsafeRawPointer, _ body: (_ first: UnsafeRawPointer, _ count: Int) -> Void
    ) { fatalError("abstract") }

    /// Appends new messages to an array, and calls `body` with the address of the first of them.
    func append(
        _ count: Int, to array: UnsafeMutableRawPointer,
        _ body: (_ first: UnsafeMutableRawPointer) throws(WireError) -> Void
    ) throws(WireError) { fatalError("abstract") }

    /// Puts a new message into an array, if it is empty, and calls `body` with the address of its first element.
    func withFirst(
        _ array: UnsafeMutableRawPointer,
        _ body: (_ first: UnsafeMutableRawPointer) throws(WireError) -> Void
    ) throws(WireError) { fatalError("abstract") }

    /// Where the message stores its unknown fields; nil if it computes them.
    func unknownFieldsOffset() -> Int? { fatalError("abstract") }
    func unknownFields(_ message: UnsafeRawPointer) -> UnknownFields { fatalError("abstract") }
    func appendUnknown(_ fields: UnsafeBufferPointer<UInt8>, to message: UnsafeMutableRawPointer) {
        fatalError("abstract")
    }

    /// Names of the properties by their offset, for text.
    func propertyNames() -> [Int: String] { fatalError("abstract") }
    /// Calls `body` with the address of a new message.
    func withNew(_ body: (_ message: UnsafeMutableRawPointer) -> Void) { fatalError("abstract") }
}

/// Safe: the codec calls the functions only with addresses from the table of `M` or of a message that has a field of
/// this type, and the table has checked the types of the properties when it was made.
@safe
final class MessageTypeOf<M: Message>: MessageType {
    init() { super.init(stride: MemoryLayout<M>.stride) }

    override var table: UnsafePointer<FieldTable> { unsafe M.layout.table }
    override var name: String { M.messageName }

    override func isPresent(_ optional: UnsafeRawPointer) -> Bool {
        unsafe optional.assumingMemoryBound(to: M?.self).pointee != nil
    }

    override func makePresent(_ optional: UnsafeMutableRawPointer) {
        let optional = unsafe optional.assumingMemoryBound(to: M?.self)
        if unsafe optional.pointee == nil { unsafe optional.pointee = M() }
    }

    override func withElements(
        _ array: UnsafeRawPointer, _ body: (UnsafeRawPointer, Int) -> Void
    ) {
        unsafe array.assumingMemoryBound(to: [M].self).pointee.withUnsafeBufferPointer { elements in
            guard let first = elements.baseAddress, !elements.isEmpty else { return }
            unsafe body(UnsafeRawPointer(first), elements.count)
        }
    }

    override func append(
        _ count: Int, to array: UnsafeMutableRawPointer,
        _ body: (UnsafeMutableRawPointer) throws(WireError) -> Void
    ) throws(WireError) {
        let array = unsafe array.assumingMemoryBound(to: [M].self)
        let first = unsafe array.pointee.count
        if count == 1 {
            unsafe array.pointee.append(M())
        } else {
            unsafe array.pointee.append(contentsOf: repeatElement(M(), count: count))
        }
        unsafe try array.pointee.withUnsafeMutableBufferPointer { elements throws(WireError) in
            guard let start = elements.baseAddress else { return }
            try unsafe body(UnsafeMutableRawPointer(start + first))
        }
    }

    override func withFirst(
        _ array: UnsafeMutableRawPointer,
        _ body: (UnsafeMutableRawPointer) throws(WireError) -> Void
    ) throws(WireError) {
        let array = unsafe array.assumingMemoryBound(to: [M].self)
        if unsafe array.pointee.isEmpty { unsafe array.pointee.append(M()) }
        unsafe try array.pointee.withUnsafeMutableBufferPointer { elements throws(WireError) in
            guard let start = elements.baseAddress else { return }
            try unsafe body(UnsafeMutableRawPointer(start))
        }
    }

    /// Assigns a value whose bits no other property has, and looks where they are.
    override func unknownFieldsOffset() -> Int? {
        var message = M()
        // The value is one word, the reference of an array that exists only here.
        let marker = UnknownFields(unchecked: [0])
        let wanted = unsafe withUnsafeBytes(of: marker) { unsafe $0.load(as: UInt.self) }
        message.unknownFields = marker
        return unsafe withUnsafeBytes(of: &message) { bytes in
            let width = MemoryLayout<UInt>.size
            return Swift.stride(from: 0, through: bytes.count - width, by: width).first { offset in
                unsafe bytes.load(fromByteOffset: offset, as: UInt.self) == wanted
            }
        }
    }

    override func unknownFields(_ message: UnsafeRawPointer) -> UnknownFields {
        unsafe message.assumingMemoryBound(to: M.self).pointee.unknownFields
    }

    override func appendUnknown(
        _ fields: UnsafeBufferPointer<UInt8>, to message: UnsafeMutableRawPointer
    ) {
        unsafe message.assumingMemoryBound(to: M.self).pointee.unknownFields.append(fields)
    }

    override func propertyNames() -> [Int: String] { PropertyNames.byOffset(of: M()) }

    override func withNew(_ body: (UnsafeMutableRawPointer) -> Void) {
        var message = M()
        unsafe withUnsafeMutableBytes(of: &message) { bytes in
            guard let start = bytes.baseAddress else { return }
            unsafe body(start)
        }
    }
}
