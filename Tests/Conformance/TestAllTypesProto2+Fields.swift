import SwiftletMessages

extension TestAllTypesProto2 {
    mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
        try field.int32(1, &optionalInt32)
        try field.int64(2, &optionalInt64)
        try field.uint32(3, &optionalUint32)
        try field.uint64(4, &optionalUint64)
        try field.sint32(5, &optionalSint32)
        try field.sint64(6, &optionalSint64)
        try field.fixed32(7, &optionalFixed32)
        try field.fixed64(8, &optionalFixed64)
        try field.sfixed32(9, &optionalSfixed32)
        try field.sfixed64(10, &optionalSfixed64)
        try field.float(11, &optionalFloat)
        try field.double(12, &optionalDouble)
        try field.bool(13, &optionalBool)
        try field.string(14, &optionalString)
        try field.bytes(15, &optionalBytes)
        try field.message(18, &optionalNestedMessage)
        try field.message(19, &optionalForeignMessage)
        try field.enumeration(21, &optionalNestedEnum)
        try field.enumeration(22, &optionalForeignEnum)
        try field.string(24, &optionalStringPiece)
        try field.string(25, &optionalCord)
        try field.message(27, &_recursiveMessage)
        try field.int32(31, &repeatedInt32, packed: false)
        try field.int64(32, &repeatedInt64, packed: false)
        try field.uint32(33, &repeatedUint32, packed: false)
        try field.uint64(34, &repeatedUint64, packed: false)
        try field.sint32(35, &repeatedSint32, packed: false)
        try field.sint64(36, &repeatedSint64, packed: false)
        try field.fixed32(37, &repeatedFixed32, packed: false)
        try field.fixed64(38, &repeatedFixed64, packed: false)
        try field.sfixed32(39, &repeatedSfixed32, packed: false)
        try field.sfixed64(40, &repeatedSfixed64, packed: false)
        try field.float(41, &repeatedFloat, packed: false)
        try field.double(42, &repeatedDouble, packed: false)
        try field.bool(43, &repeatedBool, packed: false)
        try field.string(44, &repeatedString)
        try field.bytes(45, &repeatedBytes)
        try field.message(48, &repeatedNestedMessage)
        try field.message(49, &repeatedForeignMessage)
        try field.enumeration(51, &repeatedNestedEnum, packed: false)
        try field.enumeration(52, &repeatedForeignEnum, packed: false)
        try field.string(54, &repeatedStringPiece)
        try field.string(55, &repeatedCord)
        try field.map(56, &mapInt32Int32, .int32, .int32)
        try field.map(57, &mapInt64Int64, .int64, .int64)
        try field.map(58, &mapUint32Uint32, .uint32, .uint32)
        try field.map(59, &mapUint64Uint64, .uint64, .uint64)
        try field.map(60, &mapSint32Sint32, .sint32, .sint32)
        try field.map(61, &mapSint64Sint64, .sint64, .sint64)
        try field.map(62, &mapFixed32Fixed32, .fixed32, .fixed32)
        try field.map(63, &mapFixed64Fixed64, .fixed64, .fixed64)
        try field.map(64, &mapSfixed32Sfixed32, .sfixed32, .sfixed32)
        try field.map(65, &mapSfixed64Sfixed64, .sfixed64, .sfixed64)
        try field.map(66, &mapInt32Float, .int32, .float)
        try field.map(67, &mapInt32Double, .int32, .double)
        try field.map(68, &mapBoolBool, .bool, .bool)
        try field.map(69, &mapStringString, .string, .string)
        try field.map(70, &mapStringBytes, .string, .bytes)
        try field.map(71, &mapStringNestedMessage, .string, .message(NestedMessage.self))
        try field.map(72, &mapStringForeignMessage, .string, .message(ForeignMessageProto2.self))
        try field.map(73, &mapStringNestedEnum, .string, .enumeration(NestedEnum.self))
        try field.map(74, &mapStringForeignEnum, .string, .enumeration(ForeignEnumProto2.self))
        try field.int32(75, &packedInt32)
        try field.int64(76, &packedInt64)
        try field.uint32(77, &packedUint32)
        try field.uint64(78, &packedUint64)
        try field.sint32(79, &packedSint32)
        try field.sint64(80, &packedSint64)
        try field.fixed32(81, &packedFixed32)
        try field.fixed64(82, &packedFixed64)
        try field.sfixed32(83, &packedSfixed32)
        try field.sfixed64(84, &packedSfixed64)
        try field.float(85, &packedFloat)
        try field.double(86, &packedDouble)
        try field.bool(87, &packedBool)
        try field.enumeration(88, &packedNestedEnum)
        try field.int32(89, &unpackedInt32, packed: false)
        try field.int64(90, &unpackedInt64, packed: false)
        try field.uint32(91, &unpackedUint32, packed: false)
        try field.uint64(92, &unpackedUint64, packed: false)
        try field.sint32(93, &unpackedSint32, packed: false)
        try field.sint64(94, &unpackedSint64, packed: false)
        try field.fixed32(95, &unpackedFixed32, packed: false)
        try field.fixed64(96, &unpackedFixed64, packed: false)
        try field.sfixed32(97, &unpackedSfixed32, packed: false)
        try field.sfixed64(98, &unpackedSfixed64, packed: false)
        try field.float(99, &unpackedFloat, packed: false)
        try field.double(100, &unpackedDouble, packed: false)
        try field.bool(101, &unpackedBool, packed: false)
        try field.enumeration(102, &unpackedNestedEnum, packed: false)
        try field.oneof(111, &oneofField, .uint32, OneofField.uint32) {
            if case .uint32(let it) = $0 { it } else { nil }
        }
        try field.oneof(112, &oneofField, .message(NestedMessage.self), OneofField.nestedMessage) {
            if case .nestedMessage(let it) = $0 { it } else { nil }
        }
        try field.oneof(113, &oneofField, .string, OneofField.string) {
            if case .string(let it) = $0 { it } else { nil }
        }
        try field.oneof(114, &oneofField, .bytes, OneofField.bytes) {
            if case .bytes(let it) = $0 { it } else { nil }
        }
        try field.oneof(115, &oneofField, .bool, OneofField.bool) {
            if case .bool(let it) = $0 { it } else { nil }
        }
        try field.oneof(116, &oneofField, .uint64, OneofField.uint64) {
            if case .uint64(let it) = $0 { it } else { nil }
        }
        try field.oneof(117, &oneofField, .float, OneofField.float) {
            if case .float(let it) = $0 { it } else { nil }
        }
        try field.oneof(118, &oneofField, .double, OneofField.double) {
            if case .double(let it) = $0 { it } else { nil }
        }
        try field.oneof(119, &oneofField, .enumeration(NestedEnum.self), OneofField.enumeration) {
            if case .enumeration(let it) = $0 { it } else { nil }
        }
        try field.int32(120, &extensionInt32)
        try field.group(201, &data)
        try field.int32(241, &defaultInt32)
        try field.int64(242, &defaultInt64)
        try field.uint32(243, &defaultUint32)
        try field.uint64(244, &defaultUint64)
        try field.sint32(245, &defaultSint32)
        try field.sint64(246, &defaultSint64)
        try field.fixed32(247, &defaultFixed32)
        try field.fixed64(248, &defaultFixed64)
        try field.sfixed32(249, &defaultSfixed32)
        try field.sfixed64(250, &defaultSfixed64)
        try field.float(251, &defaultFloat)
        try field.double(252, &defaultDouble)
        try field.bool(253, &defaultBool)
        try field.string(254, &defaultString)
        try field.bytes(255, &defaultBytes)
        try field.int32(401, &fieldName1)
        try field.int32(402, &fieldName2)
        try field.int32(403, &fieldName3)
        try field.int32(404, &fieldName4)
        try field.int32(405, &fieldName5)
        try field.int32(406, &fieldName6)
        try field.int32(407, &fieldName7)
        try field.int32(408, &fieldName8)
        try field.int32(409, &fieldName9)
        try field.int32(410, &fieldName10)
        try field.int32(411, &fieldName11)
        try field.int32(412, &fieldName12)
        try field.int32(413, &fieldName13)
        try field.int32(414, &fieldName14)
        try field.int32(415, &fieldName15)
        try field.int32(416, &fieldName16)
        try field.int32(417, &fieldName17)
        try field.int32(418, &fieldName18)
    }
}
