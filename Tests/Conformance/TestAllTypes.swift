import SwiftletMessages
import SwiftletWellKnown

/// `protobuf_test_messages.proto3.TestAllTypesProto3`: a field of every type in every shape.
struct TestAllTypes: Message {
    static let messageName = "protobuf_test_messages.proto3.TestAllTypesProto3"

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
        case nullValue(Google.Protobuf.NullValue)
    }

    var optionalInt32: Int32 = 0
    var optionalInt64: Int64 = 0
    var optionalUint32: UInt32 = 0
    var optionalUint64: UInt64 = 0
    var optionalSint32: Int32 = 0
    var optionalSint64: Int64 = 0
    var optionalFixed32: UInt32 = 0
    var optionalFixed64: UInt64 = 0
    var optionalSfixed32: Int32 = 0
    var optionalSfixed64: Int64 = 0
    var optionalFloat: Float = 0
    var optionalDouble: Double = 0
    var optionalBool = false
    var optionalString = ""
    var optionalBytes: [UInt8] = []

    var optionalNestedMessage: NestedMessage?
    var optionalForeignMessage: ForeignMessage?
    var optionalNestedEnum = NestedEnum()
    var optionalForeignEnum = ForeignEnum()
    var optionalAliasedEnum = AliasedEnum()
    var optionalStringPiece = ""
    var optionalCord = ""
    /// Not `@Indirect`, because the list in the other file could not name its storage.
    var _recursiveMessage = Indirect<TestAllTypes>()

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
    var repeatedForeignMessage: [ForeignMessage] = []
    var repeatedNestedEnum: [NestedEnum] = []
    var repeatedForeignEnum: [ForeignEnum] = []
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
    var mapStringForeignMessage: [String: ForeignMessage] = [:]
    var mapStringNestedEnum: [String: NestedEnum] = [:]
    var mapStringForeignEnum: [String: ForeignEnum] = [:]

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

    var optionalBoolWrapper: Google.Protobuf.BoolValue?
    var optionalInt32Wrapper: Google.Protobuf.Int32Value?
    var optionalInt64Wrapper: Google.Protobuf.Int64Value?
    var optionalUInt32Wrapper: Google.Protobuf.UInt32Value?
    var optionalUInt64Wrapper: Google.Protobuf.UInt64Value?
    var optionalFloatWrapper: Google.Protobuf.FloatValue?
    var optionalDoubleWrapper: Google.Protobuf.DoubleValue?
    var optionalStringWrapper: Google.Protobuf.StringValue?
    var optionalBytesWrapper: Google.Protobuf.BytesValue?
    var repeatedBoolWrapper: [Google.Protobuf.BoolValue] = []
    var repeatedInt32Wrapper: [Google.Protobuf.Int32Value] = []
    var repeatedInt64Wrapper: [Google.Protobuf.Int64Value] = []
    var repeatedUInt32Wrapper: [Google.Protobuf.UInt32Value] = []
    var repeatedUInt64Wrapper: [Google.Protobuf.UInt64Value] = []
    var repeatedFloatWrapper: [Google.Protobuf.FloatValue] = []
    var repeatedDoubleWrapper: [Google.Protobuf.DoubleValue] = []
    var repeatedStringWrapper: [Google.Protobuf.StringValue] = []
    var repeatedBytesWrapper: [Google.Protobuf.BytesValue] = []

    var optionalDuration: Google.Protobuf.Duration?
    var optionalTimestamp: Google.Protobuf.Timestamp?
    var optionalFieldMask: Google.Protobuf.FieldMask?
    var optionalStruct: Google.Protobuf.Struct?
    var optionalAny: Google.Protobuf.AnyMessage?
    var optionalValue: Google.Protobuf.Value?
    var optionalNullValue = Google.Protobuf.NullValue.null
    var repeatedDuration: [Google.Protobuf.Duration] = []
    var repeatedTimestamp: [Google.Protobuf.Timestamp] = []
    var repeatedFieldmask: [Google.Protobuf.FieldMask] = []
    var repeatedAny: [Google.Protobuf.AnyMessage] = []
    var repeatedValue: [Google.Protobuf.Value] = []
    var repeatedListValue: [Google.Protobuf.ListValue] = []
    var repeatedStruct: [Google.Protobuf.Struct] = []

    /// Fields 401 to 418, whose names only matter in JSON.
    var fieldName1: Int32 = 0
    var fieldName2: Int32 = 0
    var fieldName3: Int32 = 0
    var fieldName4: Int32 = 0
    var fieldName5: Int32 = 0
    var fieldName6: Int32 = 0
    var fieldName7: Int32 = 0
    var fieldName8: Int32 = 0
    var fieldName9: Int32 = 0
    var fieldName10: Int32 = 0
    var fieldName11: Int32 = 0
    var fieldName12: Int32 = 0
    var fieldName13: Int32 = 0
    var fieldName14: Int32 = 0
    var fieldName15: Int32 = 0
    var fieldName16: Int32 = 0
    var fieldName17: Int32 = 0
    var fieldName18: Int32 = 0
    var unknownFields = UnknownFields()
}
