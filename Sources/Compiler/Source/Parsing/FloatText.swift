#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The defaults of floating-point fields as text.
enum FloatText {
    /// Writes 15 digits if they suffice to read the number back, otherwise 17.
    static func ofDouble(_ value: Double) -> String {
        if let special = special(value) { return special }
        let short = formatted(value, digits: 15)
        return Double(short) == value ? short : formatted(value, digits: 17)
    }

    /// Writes 6 digits if they suffice to read the number back, otherwise 9.
    static func ofFloat(_ value: Double) -> String {
        let float = Float(value)
        if let special = special(Double(float)) { return special }
        let short = formatted(Double(float), digits: 6)
        return Float(short) == float ? short : formatted(Double(float), digits: 9)
    }

    private static func special(_ value: Double) -> String? {
        if value.isNaN { return "nan" }
        if value.isInfinite { return value < 0 ? "-inf" : "inf" }
        return nil
    }

    private static func formatted(_ value: Double, digits: Int32) -> String {
        let capacity = 40
        let characters = unsafe [CChar](unsafeUninitializedCapacity: capacity) { buffer, count in
            // Safe: at most `capacity` bytes are written, and 17 digits with sign, point and
            // exponent need 24.
            let written = unsafe withVaList([digits, value]) { list in
                unsafe vsnprintf(buffer.baseAddress, capacity, "%.*g", list)
            }
            count = max(0, min(Int(written), capacity - 1))
        }
        return String(decoding: characters.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
