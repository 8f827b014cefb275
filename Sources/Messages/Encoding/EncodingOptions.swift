/// The options for encoding a message.
public struct EncodingOptions: Hashable, Sendable {
    /// All options in one byte. The encoder copies them. With one byte for each, two bytes would be stored
    /// one by one and then loaded together, which stalls the processor.
    var bits: UInt8

    static var deterministicBit: UInt8 { 1 }
    static var dropsUnknownFieldsBit: UInt8 { 2 }

    /// Whether maps are sorted by key, so that equal messages have equal encodings. Default: false.
    public var isDeterministic: Bool {
        get { bits & Self.deterministicBit != 0 }
        set { set(Self.deterministicBit, to: newValue) }
    }

    /// Whether unknown fields are encoded. Default: true.
    public var keepsUnknownFields: Bool {
        get { bits & Self.dropsUnknownFieldsBit == 0 }
        set { set(Self.dropsUnknownFieldsBit, to: !newValue) }
    }

    public init(isDeterministic: Bool = false, keepsUnknownFields: Bool = true) {
        bits = 0
        self.isDeterministic = isDeterministic
        self.keepsUnknownFields = keepsUnknownFields
    }

    /// Options that sort maps by key.
    public static let deterministic = EncodingOptions(isDeterministic: true)

    mutating func set(_ bit: UInt8, to isSet: Bool) { bits = isSet ? bits | bit : bits & ~bit }
}
