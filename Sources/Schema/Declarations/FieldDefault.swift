/// The value of an absent field that is one number, text or value of an enum.
package enum FieldDefault: Sendable {
    case bool(Bool)
    case int32(Int32)
    case int64(Int64)
    case uint32(UInt32)
    case uint64(UInt64)
    case float(Float)
    case double(Double)
    case string(String)
    case bytes([UInt8])
    /// The number of a value of an enum.
    case enumeration(Int32)
}
