import SwiftletMessages

extension TestAllTypes {
    struct NestedMessage: Message {
        var a: Int32 = 0
        @Indirect var corecursive: TestAllTypes?
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.int32(1, \.a)
            field.message(2, \._corecursive)
        }
    }

    struct NestedEnum: OpenEnum {
        var rawValue: Int32
        init(rawValue: Int32) { self.rawValue = rawValue }
    }

    struct AliasedEnum: OpenEnum {
        var rawValue: Int32
        init(rawValue: Int32) { self.rawValue = rawValue }
    }
}

struct ForeignMessage: Message {
    var c: Int32 = 0
    var unknownFields = UnknownFields()

    static let layout = Layout<Self> { field in
        field.int32(1, \.c)
    }
}

struct ForeignEnum: OpenEnum {
    var rawValue: Int32
    init(rawValue: Int32) { self.rawValue = rawValue }
}
