import SwiftletMessages

/// `protobuf_test_messages.proto2.TestAllTypesProto2`: a field of every type in every shape of proto2.
struct TestAllTypesProto2: Message {
    static let messageName = "protobuf_test_messages.proto2.TestAllTypesProto2"

    enum OneofField: Equatable {
        case uint32(UInt32)
        case nestedMessage(NestedMessage)
        case string(String)
        case bytes([UInt8])
        case bool(Bool)
        case uint64(UInt64)
        case float(Float)
        case double(Double)
        case enumeration(NestedEnum)
    }

    var optionalInt32: Int32?
    var optionalInt64: Int64?
    var optionalUint32: UInt32?
    var optionalUint64: UInt64?
    var optionalSint32: Int32?
    var optionalSint64: Int64?
    var optionalFixed32: UInt32?
    var optionalFixed64: UInt64?
    var optionalSfixed32: Int32?
    var optionalSfixed64: Int64?
    var optionalFloat: Float?
    var optionalDouble: Double?
    var optionalBool: Bool?
    var optionalString: String?
    var optionalBytes: [UInt8]?
    var optionalNestedMessage: NestedMessage?
    var optionalForeignMessage: ForeignMessageProto2?
    var optionalNestedEnum: NestedEnum?
    var optionalForeignEnum: ForeignEnumProto2?
    var optionalStringPiece: String?
    var optionalCord: String?
    /// Not `@Indirect`, because the list in the other file could not name its storage.
    var _recursiveMessage = Indirect<TestAllTypesProto2>()

    var repeatedInt32: [Int32] = []
    var repeatedInt64: [Int64] = []
    var repeatedUint32: [UInt32] = []
    var repeatedUint64: [UInt64] = []
    var repeatedSint32: [Int32] = []
    var repeatedSint64: [Int64] = []
    var repeatedFixed32: [UInt32] = []
    var repeatedFixed64: [UInt64] = []
    var repeatedSfixed32: [Int32] = []
    var repeatedSfixed64: [Int64] = []
    var repeatedFloat: [Float] = []
    var repeatedDouble: [Double] = []
    var repeatedBool: [Bool] = []
    var repeatedString: [String] = []
    var repeatedBytes: [[UInt8]] = []
    var repeatedNestedMessage: [NestedMessage] = []
    var repeatedForeignMessage: [ForeignMessageProto2] = []
    var repeatedNestedEnum: [NestedEnum] = []
    var repeatedForeignEnum: [ForeignEnumProto2] = []
    var repeatedStringPiece: [String] = []
    var repeatedCord: [String] = []

    var mapInt32Int32: [Int32: Int32] = [:]
    var mapInt64Int64: [Int64: Int64] = [:]
    var mapUint32Uint32: [UInt32: UInt32] = [:]
    var mapUint64Uint64: [UInt64: UInt64] = [:]
    var mapSint32Sint32: [Int32: Int32] = [:]
    var mapSint64Sint64: [Int64: Int64] = [:]
    var mapFixed32Fixed32: [UInt32: UInt32] = [:]
    var mapFixed64Fixed64: [UInt64: UInt64] = [:]
    var mapSfixed32Sfixed32: [Int32: Int32] = [:]
    var mapSfixed64Sfixed64: [Int64: Int64] = [:]
    var mapInt32Float: [Int32: Float] = [:]
    var mapInt32Double: [Int32: Double] = [:]
    var mapBoolBool: [Bool: Bool] = [:]
    var mapStringString: [String: String] = [:]
    var mapStringBytes: [String: [UInt8]] = [:]
    var mapStringNestedMessage: [String: NestedMessage] = [:]
    var mapStringForeignMessage: [String: ForeignMessageProto2] = [:]
    var mapStringNestedEnum: [String: NestedEnum] = [:]
    var mapStringForeignEnum: [String: ForeignEnumProto2] = [:]

    var packedInt32: [Int32] = []
    var packedInt64: [Int64] = []
    var packedUint32: [UInt32] = []
    var packedUint64: [UInt64] = []
    var packedSint32: [Int32] = []
    var packedSint64: [Int64] = []
    var packedFixed32: [UInt32] = []
    var packedFixed64: [UInt64] = []
    var packedSfixed32: [Int32] = []
    var packedSfixed64: [Int64] = []
    var packedFloat: [Float] = []
    var packedDouble: [Double] = []
    var packedBool: [Bool] = []
    var packedNestedEnum: [NestedEnum] = []
    var unpackedInt32: [Int32] = []
    var unpackedInt64: [Int64] = []
    var unpackedUint32: [UInt32] = []
    var unpackedUint64: [UInt64] = []
    var unpackedSint32: [Int32] = []
    var unpackedSint64: [Int64] = []
    var unpackedFixed32: [UInt32] = []
    var unpackedFixed64: [UInt64] = []
    var unpackedSfixed32: [Int32] = []
    var unpackedSfixed64: [Int64] = []
    var unpackedFloat: [Float] = []
    var unpackedDouble: [Double] = []
    var unpackedBool: [Bool] = []
    var unpackedNestedEnum: [NestedEnum] = []

    var oneofField: OneofField?
    /// The extension that `test_messages_proto2.proto` declares.
    var extensionInt32: Int32?
    var data: Data?

    /// These have defaults in the `.proto` file. A field with presence is nil until it is set.
    var defaultInt32: Int32?
    var defaultInt64: Int64?
    var defaultUint32: UInt32?
    var defaultUint64: UInt64?
    var defaultSint32: Int32?
    var defaultSint64: Int64?
    var defaultFixed32: UInt32?
    var defaultFixed64: UInt64?
    var defaultSfixed32: Int32?
    var defaultSfixed64: Int64?
    var defaultFloat: Float?
    var defaultDouble: Double?
    var defaultBool: Bool?
    var defaultString: String?
    var defaultBytes: [UInt8]?

    /// Fields 401 to 418, whose names only matter in JSON.
    var fieldName1: Int32?
    var fieldName2: Int32?
    var fieldName3: Int32?
    var fieldName4: Int32?
    var fieldName5: Int32?
    var fieldName6: Int32?
    var fieldName7: Int32?
    var fieldName8: Int32?
    var fieldName9: Int32?
    var fieldName10: Int32?
    var fieldName11: Int32?
    var fieldName12: Int32?
    var fieldName13: Int32?
    var fieldName14: Int32?
    var fieldName15: Int32?
    var fieldName16: Int32?
    var fieldName17: Int32?
    var fieldName18: Int32?
    var unknownFields = UnknownFields()
}
