import Synchronization

/// What the codec must know of a message type that only the program knows.
///
/// The codec passes addresses: of a message, of an optional message, or of an array of messages. An optional stores
/// its value at its start, so the address of an optional that is not nil is also that of the message.
@safe
@usableFromInline
package class MessageType: FieldDetail {
    /// The address of the table, after its first use; 0 before.
    private let knownTable = Atomic<UInt>(0)
    /// The distance of two elements of an array, in bytes.
    package let stride: Int
    /// Whether an optional has a byte of its own that says whether it is nil, after the message.
    let hasTagByte: Bool
    let presence: Presence

    /// Cannot be copied, so that the closure is not retained for each call.
    @safe
    struct Presence: ~Copyable {
        /// Whether an optional has a message.
        let isPresent: (_ optional: UnsafeRawPointer) -> Bool
    }

    /// Not inlined: the optimizer of Swift 6.3 stops with an error where it puts the closure into `presence`.
    @inline(never)
    init(stride: Int, hasTagByte: Bool, isPresent: @escaping (UnsafeRawPointer) -> Bool) {
        self.stride = stride
        self.hasTagByte = hasTagByte
        presence = unsafe Presence(isPresent: isPresent)
    }

    final var table: UnsafePointer<FieldTable> {
        let known = knownTable.load(ordering: .acquiring)
        if let table = unsafe UnsafePointer<FieldTable>(bitPattern: known) { return unsafe table }
        let table = unsafe makeTable()
        knownTable.store(UInt(bitPattern: table), ordering: .releasing)
        return unsafe table
    }

    /// The table, which is made at the first use: a message may contain its own type.
    func makeTable() -> UnsafePointer<FieldTable> { abstract() }
    package var name: String { abstract() }

    /// Looks at the optional in place: a value of a type that can be copied would be copied first.
    @inlinable
    static func isPresent<Value: ~Copyable>(_ optional: UnsafePointer<Value?>) -> Bool {
        unsafe optional.pointee != nil
    }

    /// A word of an optional, by its offset in bytes, and a value that it has only if the optional is nil. An optional that
    /// is nil may have another value there. Nil if there is no such word.
    func nilWord() -> (offset: Int, value: UInt64)? { abstract() }

    /// Puts a new message into the optional, if it is nil.
    func makePresent(_ optional: UnsafeMutableRawPointer) { abstract() }

    /// Appends new messages to an array, which nobody else has afterwards.
    func append(_ count: Int, to array: UnsafeMutableRawPointer) { abstract() }

    /// Copies the array if somebody else has it.
    func makeUnique(_ array: UnsafeMutableRawPointer) { abstract() }

    /// Where the message stores its unknown fields; nil if it computes them.
    func unknownFieldsOffset() -> Int? { abstract() }
    package func unknownFields(_ message: UnsafeRawPointer) -> UnknownFields { abstract() }
    func appendUnknown(_ fields: UnsafeBufferPointer<UInt8>, to message: UnsafeMutableRawPointer) {
        abstract()
    }

    /// Names of the properties by their offset, for text.
    func propertyNames() -> [Int: String] { abstract() }
    /// Calls `body` with the address of a new message.
    package func withNew(_ body: (_ message: UnsafeMutableRawPointer) -> Void) { abstract() }
}

/// `List` is `[M]`: a function that has that type needs not look it up at each call.
///
/// Safe: the codec calls the functions only with addresses from the table of `M` or of a message that has a field of
/// this type, and the table has checked the types of the properties when it was made.
@safe
final class MessageTypeOf<M: Message, List: RangeReplaceableCollection<M>>: MessageType {
    convenience init() {
        unsafe self.init { unsafe Self.isPresent($0.assumingMemoryBound(to: M?.self)) }
    }

    init(isPresent: @escaping (UnsafeRawPointer) -> Bool) {
        unsafe super.init(
            stride: MemoryLayout<M>.stride,
            hasTagByte: MemoryLayout<M?>.size > MemoryLayout<M>.size, isPresent: isPresent)
        checkMemory()
    }

    /// ``ListElements`` and ``makePresent(_:)`` rely on this.
    private func checkMemory() {
        let isZero = unsafe withUnsafeBytes(of: Optional(M())) { bytes in
            unsafe !hasTagByte || bytes[MemoryLayout<M>.size] == 0
        }
        guard isZero else { ProgramError.stop("an optional \(M.self) is not stored as expected") }
        let array = [M(), M()]
        let isSame: Bool = unsafe array.withUnsafeBufferPointer { elements in
            unsafe withUnsafeBytes(of: array) { place in
                let found = unsafe ListElements(at: place.baseAddress.unsafelyUnwrapped)
                return unsafe found.first == UnsafeRawPointer(elements.baseAddress)
                    && found.count == 2
            }
        }
        guard isSame else { ProgramError.stop("an array of \(M.self) is not stored as expected") }
    }

    override func makeTable() -> UnsafePointer<FieldTable> { unsafe M.layout.table }
    override var name: String { M.messageName }

    /// An optional without a tag byte is nil if one of the message's properties has bits that no value of it has. The word
    /// with these bits makes an optional nil, whatever its other words are.
    override func nilWord() -> (offset: Int, value: UInt64)? {
        guard !hasTagByte else { return nil }
        let absent: M? = nil
        var optional: M? = M()
        return unsafe withUnsafeBytes(of: absent) { absent in
            unsafe withUnsafeMutableBytes(of: &optional) { optional in
                let width = MemoryLayout<UInt64>.size
                for offset in Swift.stride(from: 0, through: absent.count - width, by: width) {
                    let value = unsafe absent.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    let former = unsafe optional.loadUnaligned(
                        fromByteOffset: offset, as: UInt64.self)
                    guard value != former else { continue }
                    // Safe: `isPresent` copies nothing, and then the optional gets its own bits back.
                    unsafe optional.storeBytes(of: value, toByteOffset: offset, as: UInt64.self)
                    let isPresent = unsafe presence.isPresent(
                        UnsafeRawPointer(optional.baseAddress.unsafelyUnwrapped))
                    unsafe optional.storeBytes(of: former, toByteOffset: offset, as: UInt64.self)
                    if !isPresent { return (offset, value) }
                }
                return nil
            }
        }
    }

    override func makePresent(_ optional: UnsafeMutableRawPointer) {
        guard unsafe !presence.isPresent(optional) else { return }
        // Safe: an optional that is nil needs no release, and with a message in it, it is that message, and the byte
        // of its own is 0, if it has one. The type `M?` is not known here and would be looked up at each call.
        unsafe optional.assumingMemoryBound(to: M.self).initialize(to: M())
        if hasTagByte {
            unsafe optional.storeBytes(of: 0, toByteOffset: MemoryLayout<M>.size, as: UInt8.self)
        }
    }

    override func append(_ count: Int, to array: UnsafeMutableRawPointer) {
        let list = unsafe array.assumingMemoryBound(to: List.self)
        let present = unsafe ListElements(at: array).count
        // Reserves only if the list at least doubles. Otherwise many short runs would copy the list each time.
        if count > max(1, present) { unsafe list.pointee.reserveCapacity(present &+ count) }
        for _ in 0..<count { unsafe list.pointee.append(M()) }
    }

    override func makeUnique(_ array: UnsafeMutableRawPointer) {
        // To reserve memory makes an array unique.
        unsafe array.assumingMemoryBound(to: List.self).pointee.reserveCapacity(0)
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

    override package func unknownFields(_ message: UnsafeRawPointer) -> UnknownFields {
        unsafe message.assumingMemoryBound(to: M.self).pointee.unknownFields
    }

    override func appendUnknown(
        _ fields: UnsafeBufferPointer<UInt8>, to message: UnsafeMutableRawPointer
    ) {
        unsafe message.assumingMemoryBound(to: M.self).pointee.unknownFields.append(fields)
    }

    override func propertyNames() -> [Int: String] { PropertyNames.byOffset(of: M()) }

    override package func withNew(_ body: (UnsafeMutableRawPointer) -> Void) {
        var message = M()
        unsafe withUnsafeMutableBytes(of: &message) { bytes in
            guard let start = bytes.baseAddress else { return }
            unsafe body(start)
        }
    }
}
