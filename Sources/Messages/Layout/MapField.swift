/// A map. The functions get the address of the dictionary, of a key, or of a value.
///
/// Safe: the codec calls them only with the address of a property whose type the table has checked when it was made.
@safe
package final class MapField: FieldDetail {
    /// What the keys and the values are.
    package let key: UnsafePointer<TableEntry>
    package let value: UnsafePointer<TableEntry>

    let isEmpty: (_ map: UnsafeRawPointer) -> Bool

    /// Calls `body` for each entry; if `isSorted`, in the order of the keys.
    package let forEach:
        (
            _ map: UnsafeRawPointer, _ isSorted: Bool,
            _ body: (_ key: UnsafeRawPointer, _ value: UnsafeRawPointer) -> Void
        ) -> Void

    /// Inserts the entry that `body` makes of a new one. It replaces one with an equal key.
    let insert:
        (
            _ map: UnsafeMutableRawPointer,
            _ body: (
                _ key: UnsafeMutableRawPointer, _ value: UnsafeMutableRawPointer
            ) throws(WireError) -> Void
        ) throws(WireError) -> Void

    let reserve: (_ count: Int, _ map: UnsafeMutableRawPointer) -> Void
    package let areEqual: (_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool
    let hash: (_ map: UnsafeRawPointer, _ hasher: inout Hasher) -> Void

    /// The functions for a map of these types. The compiler makes them for the types that are most used in maps, because
    /// a dictionary of types that are not known takes ten times as long.
    static func make<Key: MapKey, Value>(_ key: FieldKind<Key>, _ value: FieldKind<Value>)
        -> MapField
    {
        switch key {
        case let key as FieldKind<String>:
            switch value {
            case let value as FieldKind<String>: MapField(key, value)
            case let value as FieldKind<Int64>: MapField(key, value)
            case let value as FieldKind<Int32>: MapField(key, value)
            case let value as FieldKind<Double>: MapField(key, value)
            default: MapField(key, value)
            }
        case let key as FieldKind<Int32>:
            if let value = value as? FieldKind<String> {
                MapField(key, value)
            } else {
                MapField(key, value)
            }
        default: MapField(key, value)
        }
    }

    private init<Key: MapKey, Value>(_ keyKind: FieldKind<Key>, _ valueKind: FieldKind<Value>) {
        unsafe key = TableEntry.immortal(
            1, keyKind.code, .required, offset: 0, detail: keyKind.detail)
        unsafe value = TableEntry.immortal(
            2, valueKind.code, .required, offset: 0, detail: valueKind.detail)
        unsafe isEmpty = { unsafe $0.assumingMemoryBound(to: [Key: Value].self).pointee.isEmpty }
        unsafe forEach = { map, isSorted, body in
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
        unsafe insert = { map, body throws(WireError) in
            let map = unsafe map.assumingMemoryBound(to: [Key: Value].self)
            var key = keyKind.initial()
            var value = valueKind.initial()
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
        unsafe reserve = { count, map in
            let map = unsafe map.assumingMemoryBound(to: [Key: Value].self)
            guard unsafe count > map.pointee.count else { return }
            unsafe map.pointee.reserveCapacity(map.pointee.count + count)
        }
        // Values are compared as those of other fields, and not by Swift's equality, which takes quadratic time for
        // some texts.
        let content = unsafe value
        unsafe areEqual = { left, right in
            let left = unsafe left.assumingMemoryBound(to: [Key: Value].self)
            let right = unsafe right.assumingMemoryBound(to: [Key: Value].self)
            guard unsafe left.pointee.count == right.pointee.count else { return false }
            return unsafe left.pointee.allSatisfy { key, one in
                guard let other = unsafe right.pointee[key] else { return false }
                return unsafe withUnsafePointer(to: one) { one in
                    unsafe withUnsafePointer(to: other) { other in
                        unsafe FieldValue.areEqual(
                            content.pointee, UnsafeRawPointer(one), UnsafeRawPointer(other))
                    }
                }
            }
        }
        unsafe hash = { map, hasher in
            // A sum, because the order of the entries has no meaning.
            var sum = 0
            for (key, one) in unsafe map.assumingMemoryBound(to: [Key: Value].self).pointee {
                var entry = hasher
                entry.combine(key)
                unsafe withUnsafePointer(to: one) {
                    unsafe FieldValue.hash(content.pointee, UnsafeRawPointer($0), &entry)
                }
                sum &+= entry.finalize()
            }
            hasher.combine(sum)
        }
    }
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
        TextBytes.precedes(left, right)
    }
}
