// The next tag is that of the field. These are separate functions, so that a message's `visit`
// contains only a comparison for each field. So it compiles faster and needs less of the
// instruction cache.
extension FieldDecoder {
    @inlinable
    @inline(never)
    mutating func readOptional<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value?
    ) throws(WireError) {
        repeat {
            // If a message arrives in parts, each part is merged into the parts before it.
            var present = value.take() ?? K.initial
            try read(kind, number, into: &present)
            value = consume present
            try nextTag()
        } while tag == Tag.listed(number, K.wireType)
    }

    @inlinable
    @inline(never)
    mutating func readIndirect<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout Indirect<K.Value>
    ) throws(WireError) {
        repeat {
            if value.elements.isEmpty { value.elements = [K.initial] }
            try read(kind, number, into: &value.elements[0])
            try nextTag()
        } while tag == Tag.listed(number, K.wireType)
    }

    @inlinable
    @inline(never)
    mutating func readRepeated<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value]
    ) throws(WireError) {
        let run = runLength()
        // Reserves only if the list at least doubles. Otherwise many short runs would copy the list
        // each time.
        if run > values.count { values.reserveCapacity(values.count &+ run) }
        repeat {
            var value = K.initial
            try read(kind, number, into: &value)
            values.append(consume value)
            try nextTag()
        } while tag == Tag.listed(number, K.wireType)
    }

    @inlinable
    @inline(never)
    mutating func readPackable<K: PackableKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value]
    ) throws(WireError) {
        while true {
            if tag == Tag.listed(number, .lengthDelimited) {
                try packed(kind, number, into: &values)
            } else if tag == Tag.listed(number, K.wireType) {
                var value = K.initial
                try read(kind, number, into: &value)
                values.append(consume value)
            } else {
                return
            }
            try nextTag()
        }
    }

    @inlinable
    @inline(__always)
    mutating func packed<K: PackableKind>(
        _ kind: K, _ number: UInt32, into values: inout [K.Value]
    ) throws(WireError) {
        let byteCount = try length()
        let outerEnd = unsafe end
        unsafe end = cursor + byteCount
        // The values are counted first, so that the array checks only once whether it has one
        // owner.
        let first = values.count
        let count = K.fixedByteCount.map { byteCount / $0 } ?? varintCount()
        values.append(contentsOf: repeatElement(K.initial, count: count))
        unsafe try values.withUnsafeMutableBufferPointer { elements throws(WireError) in
            // Safe: `count` elements were appended, from the index `first` on.
            for index in first..<first &+ count {
                unsafe try read(kind, number, into: &elements[index])
            }
        }
        // The remaining bytes begin one more value, which is truncated.
        if unsafe cursor < end {
            var rest = K.initial
            try read(kind, number, into: &rest)
        }
        unsafe end = outerEnd
    }
}
