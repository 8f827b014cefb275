import SwiftletMessages

extension TestAllTypesProto2 {
    struct NestedMessage: Message {
        var a: Int32?
        @Indirect var corecursive: TestAllTypesProto2?
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.int32(1, \.a)
            field.message(2, \._corecursive)
        }
    }

    /// The group of the field of the same name.
    struct Data: Message {
        var groupInt32: Int32?
        var groupUint32: UInt32?
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.int32(202, \.groupInt32)
            field.uint32(203, \.groupUint32)
        }
    }

    struct NestedEnum: OpenEnum {
        var rawValue: Int32
        init(rawValue: Int32) { self.rawValue = rawValue }
    }
}

struct ForeignMessageProto2: Message {
    var c: Int32?
    var unknownFields = UnknownFields()

    static let layout = Layout<Self> { field in
        field.int32(1, \.c)
    }
}

struct ForeignEnumProto2: OpenEnum {
    var rawValue: Int32
    init(rawValue: Int32) { self.rawValue = rawValue }
}
