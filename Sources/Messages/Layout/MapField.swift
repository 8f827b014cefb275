/// A map. The codec passes the address of the dictionary, of a key, or of a value.
package class MapField: FieldDetail {
    /// What the keys and the values are.
    let key: FieldEntry
    let value: FieldEntry

    init(_ key: FieldEntry, _ value: FieldEntry) {
        self.key = key
        self.value = value
    }

    package var keyCode: FieldCode { key.code }

    func isEmpty(_ map: UnsafeRawPointer) -> Bool { fatalError("abstract") }

    /// Calls `body` for each entry; if `isSorted`, in the order of the keys.
    func forEach(
        _ map: UnsafeRawPointer, isSorted: Bool,
        _ body: (_ key: UnsafeRawPointer, _ value: UnsafeRawPointer) -> Void
    ) { fatalError("abstract") }

    /// Inserts the entry that `body` makes of a new one. It replaces one with an equal key.
    func insert(
        into map: UnsafeMutableRawPointer,
        _ body: (
            _ key: UnsafeMutableRawPointer, _ value: UnsafeMutableRawPointer
        ) throws(WireError) -> Void
    ) throws(WireError) { fatalError("abstract") }

    func reserve(_ count: Int, _ map: UnsafeMutableRawPointer) { fatalError("abstract") }
    func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
        fatalError("abstract")
    }
    func hash(_ map: UnsafeRawPointer, _ hasher: inout Hasher) { fatalError("abstract") }
}

/// A type of the language that may be the key of a map.
///
/// Keys are compared by Swift's equality: two strings that differ only in how their accents are composed are one
/// key. If a peer sends both, the last entry is kept, with its spelling.
public protocol MapKey: Hashable, Sendable {
    /// The order in deterministic encoding.
    static func precedes(_ left: Self, _ right: Self) -> Bool
}

extension MapKey where Self: Comparable {
    public static func precedes(_ left: Self, _ right: Self) -> Bool { left < right }
}

extension Int32: MapKey {}
extension Int64: MapKey {}
extension UInt32: MapKey {}
extension UInt64: MapKey {}
extension Bool: MapKey {
    public static func precedes(_ left: Bool, _ right: Bool) -> Bool { !left && right }
}
extension String: MapKey {
    /// The order of the UTF-8 bytes, as in other implementations.
    public static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}

/// Safe: the codec calls the functions only with the address of a property of the type `[Key: Value]`, which the table
/// has checked when it was made.
@safe
final class MapFieldOf<Key: MapKey, Value: Hashable & Sendable>: MapField {
    private let initialKey: @Sendable () -> Key
    private let initialValue: @Sendable () -> Value

    init(_ key: FieldKind<Key>, _ value: FieldKind<Value>) {
        initialKey = key.initial
        initialValue = value.initial
        super.init(
            FieldEntry(1, key.code, .required, offset: 0, detail: key.detail),
            FieldEntry(2, value.code, .required, offset: 0, detail: value.detail))
    }

    override func isEmpty(_ map: UnsafeRawPointer) -> Bool {
        unsafe map.assumingMemoryBound(to: [Key: Value].self).pointee.isEmpty
    }

    override func forEach(
        _ map: UnsafeRawPointer, isSorted: Bool,
        _ body: (UnsafeRawPointer, UnsafeRawPointer) -> Void
    ) {
        let map = unsafe map.assumingMemoryBound(to: [Key: Value].self)
        func pass(_ key: Key, _ value: Value) {
            unsafe withUnsafePointer(to: key) { key in
                unsafe withUnsafePointer(to: value) { value in
                    unsafe body(UnsafeRawPointer(key), UnsafeRawPointer(value))
                }
            }
        }
        guard isSorted else {
            for (key, value) in unsafe map.pointee { pass(key, value) }
            return
        }
        for key in unsafe map.pointee.keys.sorted(by: Key.precedes) {
            if let value = unsafe map.pointee[key] { pass(key, value) }
        }
    }

    override func insert(
        into map: UnsafeMutableRawPointer,
        _ body: (UnsafeMutableRawPointer, UnsafeMutableRawPointer) throws(WireError) -> Void
    ) throws(WireError) {
        let map = unsafe map.assumingMemoryBound(to: [Key: Value].self)
        var key = initialKey()
        var value = initialValue()
        try unsafe withUnsafeMutablePointer(to: &key) { key throws(WireError) in
            try unsafe withUnsafeMutablePointer(to: &value) { value throws(WireError) in
                try unsafe body(UnsafeMutableRawPointer(key), UnsafeMutableRawPointer(value))
            }
        }
        let old = unsafe map.pointee.updateValue(value, forKey: key)
        // The dictionary has kept the earlier key, whose bytes may differ.
        guard Key.self == String.self, old != nil else { return }
        let new = unsafe map.pointee.removeValue(forKey: key)
        unsafe map.pointee[key] = new
    }

    override func reserve(_ count: Int, _ map: UnsafeMutableRawPointer) {
        let map = unsafe map.assumingMemoryBound(to: [Key: Value].self)
        guard unsafe count > map.pointee.count else { return }
        unsafe map.pointee.reserveCapacity(map.pointee.count + count)
    }

    override func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
        unsafe left.assumingMemoryBound(to: [Key: Value].self).pointee
            == right.assumingMemoryBound(to: [Key: Value].self).pointee
    }

    override func hash(_ map: UnsafeRawPointer, _ hasher: inout Hasher) {
        unsafe map.assumingMemoryBound(to: [Key: Value].self).pointee.hash(into: &hasher)
    }
}
