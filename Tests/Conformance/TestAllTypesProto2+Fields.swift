import SwiftletMessages

extension TestAllTypesProto2 {
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
        field.string(24, \.optionalStringPiece)
        field.string(25, \.optionalCord)
        field.message(27, \._recursiveMessage)
        field.int32(31, \.repeatedInt32, packed: false)
        field.int64(32, \.repeatedInt64, packed: false)
        field.uint32(33, \.repeatedUint32, packed: false)
        field.uint64(34, \.repeatedUint64, packed: false)
        field.sint32(35, \.repeatedSint32, packed: false)
        field.sint64(36, \.repeatedSint64, packed: false)
        field.fixed32(37, \.repeatedFixed32, packed: false)
        field.fixed64(38, \.repeatedFixed64, packed: false)
        field.sfixed32(39, \.repeatedSfixed32, packed: false)
        field.sfixed64(40, \.repeatedSfixed64, packed: false)
        field.float(41, \.repeatedFloat, packed: false)
        field.double(42, \.repeatedDouble, packed: false)
        field.bool(43, \.repeatedBool, packed: false)
        field.string(44, \.repeatedString)
        field.bytes(45, \.repeatedBytes)
        field.message(48, \.repeatedNestedMessage)
        field.message(49, \.repeatedForeignMessage)
        field.enumeration(51, \.repeatedNestedEnum, packed: false)
        field.enumeration(52, \.repeatedForeignEnum, packed: false)
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
        field.map(72, \.mapStringForeignMessage, .string, .message(ForeignMessageProto2.self))
        field.map(73, \.mapStringNestedEnum, .string, .enumeration(NestedEnum.self))
        field.map(74, \.mapStringForeignEnum, .string, .enumeration(ForeignEnumProto2.self))
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
        field.int32(120, \.extensionInt32)
        field.group(201, \.data)
        field.int32(241, \.defaultInt32)
        field.int64(242, \.defaultInt64)
        field.uint32(243, \.defaultUint32)
        field.uint64(244, \.defaultUint64)
        field.sint32(245, \.defaultSint32)
        field.sint64(246, \.defaultSint64)
        field.fixed32(247, \.defaultFixed32)
        field.fixed64(248, \.defaultFixed64)
        field.sfixed32(249, \.defaultSfixed32)
        field.sfixed64(250, \.defaultSfixed64)
        field.float(251, \.defaultFloat)
        field.double(252, \.defaultDouble)
        field.bool(253, \.defaultBool)
        field.string(254, \.defaultString)
        field.bytes(255, \.defaultBytes)
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
