import SwiftletMessages
import SwiftletWellKnown

extension TestAllTypes {
    static let layout = Layout<Self> { field in
        field.int32(1, \.optionalInt32)
        field.int64(2, \.optionalInt64)
        field.uint32(3, \.optionalUint32)
        field.uint64(4, \.optionalUint64)
        field.sint32(5, \.optionalSint32)
        field.sint64(6, \.optionalSint64)
        field.fixed32(7, \.optionalFixed32)
        field.fixed64(8, \.optionalFixed64)
        field.sfixed32(9, \.optionalSfixed32)
        field.sfixed64(10, \.optionalSfixed64)
        field.float(11, \.optionalFloat)
        field.double(12, \.optionalDouble)
        field.bool(13, \.optionalBool)
        field.string(14, \.optionalString)
        field.bytes(15, \.optionalBytes)
        field.message(18, \.optionalNestedMessage)
        field.message(19, \.optionalForeignMessage)
        field.enumeration(21, \.optionalNestedEnum)
        field.enumeration(22, \.optionalForeignEnum)
        field.enumeration(23, \.optionalAliasedEnum)
        field.string(24, \.optionalStringPiece)
        field.string(25, \.optionalCord)
        field.message(27, \._recursiveMessage)
        field.int32(31, \.repeatedInt32)
        field.int64(32, \.repeatedInt64)
        field.uint32(33, \.repeatedUint32)
        field.uint64(34, \.repeatedUint64)
        field.sint32(35, \.repeatedSint32)
        field.sint64(36, \.repeatedSint64)
        field.fixed32(37, \.repeatedFixed32)
        field.fixed64(38, \.repeatedFixed64)
        field.sfixed32(39, \.repeatedSfixed32)
        field.sfixed64(40, \.repeatedSfixed64)
        field.float(41, \.repeatedFloat)
        field.double(42, \.repeatedDouble)
        field.bool(43, \.repeatedBool)
        field.string(44, \.repeatedString)
        field.bytes(45, \.repeatedBytes)
        field.message(48, \.repeatedNestedMessage)
        field.message(49, \.repeatedForeignMessage)
        field.enumeration(51, \.repeatedNestedEnum)
        field.enumeration(52, \.repeatedForeignEnum)
        field.string(54, \.repeatedStringPiece)
        field.string(55, \.repeatedCord)
        field.map(56, \.mapInt32Int32, .int32, .int32)
        field.map(57, \.mapInt64Int64, .int64, .int64)
        field.map(58, \.mapUint32Uint32, .uint32, .uint32)
        field.map(59, \.mapUint64Uint64, .uint64, .uint64)
        field.map(60, \.mapSint32Sint32, .sint32, .sint32)
        field.map(61, \.mapSint64Sint64, .sint64, .sint64)
        field.map(62, \.mapFixed32Fixed32, .fixed32, .fixed32)
        field.map(63, \.mapFixed64Fixed64, .fixed64, .fixed64)
        field.map(64, \.mapSfixed32Sfixed32, .sfixed32, .sfixed32)
        field.map(65, \.mapSfixed64Sfixed64, .sfixed64, .sfixed64)
        field.map(66, \.mapInt32Float, .int32, .float)
        field.map(67, \.mapInt32Double, .int32, .double)
        field.map(68, \.mapBoolBool, .bool, .bool)
        field.map(69, \.mapStringString, .string, .string)
        field.map(70, \.mapStringBytes, .string, .bytes)
        field.map(71, \.mapStringNestedMessage, .string, .message(NestedMessage.self))
        field.map(72, \.mapStringForeignMessage, .string, .message(ForeignMessage.self))
        field.map(73, \.mapStringNestedEnum, .string, .enumeration(NestedEnum.self))
        field.map(74, \.mapStringForeignEnum, .string, .enumeration(ForeignEnum.self))
        field.int32(75, \.packedInt32)
        field.int64(76, \.packedInt64)
        field.uint32(77, \.packedUint32)
        field.uint64(78, \.packedUint64)
        field.sint32(79, \.packedSint32)
        field.sint64(80, \.packedSint64)
        field.fixed32(81, \.packedFixed32)
        field.fixed64(82, \.packedFixed64)
        field.sfixed32(83, \.packedSfixed32)
        field.sfixed64(84, \.packedSfixed64)
        field.float(85, \.packedFloat)
        field.double(86, \.packedDouble)
        field.bool(87, \.packedBool)
        field.enumeration(88, \.packedNestedEnum)
        field.int32(89, \.unpackedInt32, packed: false)
        field.int64(90, \.unpackedInt64, packed: false)
        field.uint32(91, \.unpackedUint32, packed: false)
        field.uint64(92, \.unpackedUint64, packed: false)
        field.sint32(93, \.unpackedSint32, packed: false)
        field.sint64(94, \.unpackedSint64, packed: false)
        field.fixed32(95, \.unpackedFixed32, packed: false)
        field.fixed64(96, \.unpackedFixed64, packed: false)
        field.sfixed32(97, \.unpackedSfixed32, packed: false)
        field.sfixed64(98, \.unpackedSfixed64, packed: false)
        field.float(99, \.unpackedFloat, packed: false)
        field.double(100, \.unpackedDouble, packed: false)
        field.bool(101, \.unpackedBool, packed: false)
        field.enumeration(102, \.unpackedNestedEnum, packed: false)
        field.oneof(111, \.oneofField, .uint32, OneofField.uint32) {
            if case .uint32(let it) = $0 { it } else { nil }
        }
        field.oneof(112, \.oneofField, .message(NestedMessage.self), OneofField.nestedMessage) {
            if case .nestedMessage(let it) = $0 { it } else { nil }
        }
        field.oneof(113, \.oneofField, .string, OneofField.string) {
            if case .string(let it) = $0 { it } else { nil }
        }
        field.oneof(114, \.oneofField, .bytes, OneofField.bytes) {
            if case .bytes(let it) = $0 { it } else { nil }
        }
        field.oneof(115, \.oneofField, .bool, OneofField.bool) {
            if case .bool(let it) = $0 { it } else { nil }
        }
        field.oneof(116, \.oneofField, .uint64, OneofField.uint64) {
            if case .uint64(let it) = $0 { it } else { nil }
        }
        field.oneof(117, \.oneofField, .float, OneofField.float) {
            if case .float(let it) = $0 { it } else { nil }
        }
        field.oneof(118, \.oneofField, .double, OneofField.double) {
            if case .double(let it) = $0 { it } else { nil }
        }
        field.oneof(119, \.oneofField, .enumeration(NestedEnum.self), OneofField.enumeration) {
            if case .enumeration(let it) = $0 { it } else { nil }
        }
        field.oneof(
            120, \.oneofField, .enumeration(Google.Protobuf.NullValue.self), OneofField.nullValue
        ) {
            if case .nullValue(let it) = $0 { it } else { nil }
        }
        field.message(201, \.optionalBoolWrapper)
        field.message(202, \.optionalInt32Wrapper)
        field.message(203, \.optionalInt64Wrapper)
        field.message(204, \.optionalUInt32Wrapper)
        field.message(205, \.optionalUInt64Wrapper)
        field.message(206, \.optionalFloatWrapper)
        field.message(207, \.optionalDoubleWrapper)
        field.message(208, \.optionalStringWrapper)
        field.message(209, \.optionalBytesWrapper)
        field.message(211, \.repeatedBoolWrapper)
        field.message(212, \.repeatedInt32Wrapper)
        field.message(213, \.repeatedInt64Wrapper)
        field.message(214, \.repeatedUInt32Wrapper)
        field.message(215, \.repeatedUInt64Wrapper)
        field.message(216, \.repeatedFloatWrapper)
        field.message(217, \.repeatedDoubleWrapper)
        field.message(218, \.repeatedStringWrapper)
        field.message(219, \.repeatedBytesWrapper)
        field.message(301, \.optionalDuration)
        field.message(302, \.optionalTimestamp)
        field.message(303, \.optionalFieldMask)
        field.message(304, \.optionalStruct)
        field.message(305, \.optionalAny)
        field.message(306, \.optionalValue)
        field.enumeration(307, \.optionalNullValue)
        field.message(311, \.repeatedDuration)
        field.message(312, \.repeatedTimestamp)
        field.message(313, \.repeatedFieldmask)
        field.message(315, \.repeatedAny)
        field.message(316, \.repeatedValue)
        field.message(317, \.repeatedListValue)
        field.message(324, \.repeatedStruct)
        field.int32(401, \.fieldName1)
        field.int32(402, \.fieldName2)
        field.int32(403, \.fieldName3)
        field.int32(404, \.fieldName4)
        field.int32(405, \.fieldName5)
        field.int32(406, \.fieldName6)
        field.int32(407, \.fieldName7)
        field.int32(408, \.fieldName8)
        field.int32(409, \.fieldName9)
        field.int32(410, \.fieldName10)
        field.int32(411, \.fieldName11)
        field.int32(412, \.fieldName12)
        field.int32(413, \.fieldName13)
        field.int32(414, \.fieldName14)
        field.int32(415, \.fieldName15)
        field.int32(416, \.fieldName16)
        field.int32(417, \.fieldName17)
        field.int32(418, \.fieldName18)
    }
}
