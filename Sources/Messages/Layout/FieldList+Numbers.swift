// Fields of numbers and `bool`: without presence, with presence, and repeated.
extension FieldList {
    /// `int32`, omitted when it is 0.
    public func int32(_ number: UInt32, _ property: WritableKeyPath<M, Int32>) {
        add(number, .int32, .singular, property)
    }

    /// `optional int32`: nil when it is absent; encoded when it is 0.
    public func int32(_ number: UInt32, _ property: WritableKeyPath<M, Int32?>) {
        add(number, .int32, .optional, property)
    }

    /// `repeated int32`, packed; with `packed: false`, proto2's default, a tag for each value.
    public func int32(
        _ number: UInt32, _ property: WritableKeyPath<M, [Int32]>, packed: Bool = true
    ) { add(number, .int32, packed ? .packedList : .list, property) }

    /// `int64`, omitted when it is 0.
    public func int64(_ number: UInt32, _ property: WritableKeyPath<M, Int64>) {
        add(number, .int64, .singular, property)
    }

    /// `optional int64`: nil when it is absent; encoded when it is 0.
    public func int64(_ number: UInt32, _ property: WritableKeyPath<M, Int64?>) {
        add(number, .int64, .optional, property)
    }

    /// `repeated int64`, packed; with `packed: false`, proto2's default, a tag for each value.
    public func int64(
        _ number: UInt32, _ property: WritableKeyPath<M, [Int64]>, packed: Bool = true
    ) { add(number, .int64, packed ? .packedList : .list, property) }

    /// `uint32`, omitted when it is 0.
    public func uint32(_ number: UInt32, _ property: WritableKeyPath<M, UInt32>) {
        add(number, .uint32, .singular, property)
    }

    /// `optional uint32`: nil when it is absent; encoded when it is 0.
    public func uint32(_ number: UInt32, _ property: WritableKeyPath<M, UInt32?>) {
        add(number, .uint32, .optional, property)
    }

    /// `repeated uint32`, packed; with `packed: false`, proto2's default, a tag for each value.
    public func uint32(
        _ number: UInt32, _ property: WritableKeyPath<M, [UInt32]>, packed: Bool = true
    ) { add(number, .uint32, packed ? .packedList : .list, property) }

    /// `uint64`, omitted when it is 0.
    public func uint64(_ number: UInt32, _ property: WritableKeyPath<M, UInt64>) {
        add(number, .uint64, .singular, property)
    }

    /// `optional uint64`: nil when it is absent; encoded when it is 0.
    public func uint64(_ number: UInt32, _ property: WritableKeyPath<M, UInt64?>) {
        add(number, .uint64, .optional, property)
    }

    /// `repeated uint64`, packed; with `packed: false`, proto2's default, a tag for each value.
    public func uint64(
        _ number: UInt32, _ property: WritableKeyPath<M, [UInt64]>, packed: Bool = true
    ) { add(number, .uint64, packed ? .packedList : .list, property) }

    /// `sint32`, omitted when it is 0.
    public func sint32(_ number: UInt32, _ property: WritableKeyPath<M, Int32>) {
        add(number, .sint32, .singular, property)
    }

    /// `optional sint32`: nil when it is absent; encoded when it is 0.
    public func sint32(_ number: UInt32, _ property: WritableKeyPath<M, Int32?>) {
        add(number, .sint32, .optional, property)
    }

    /// `repeated sint32`, packed; with `packed: false`, proto2's default, a tag for each value.
    public func sint32(
        _ number: UInt32, _ property: WritableKeyPath<M, [Int32]>, packed: Bool = true
    ) { add(number, .sint32, packed ? .packedList : .list, property) }

    /// `sint64`, omitted when it is 0.
    public func sint64(_ number: UInt32, _ property: WritableKeyPath<M, Int64>) {
        add(number, .sint64, .singular, property)
    }

    /// `optional sint64`: nil when it is absent; encoded when it is 0.
    public func sint64(_ number: UInt32, _ property: WritableKeyPath<M, Int64?>) {
        add(number, .sint64, .optional, property)
    }

    /// `repeated sint64`, packed; with `packed: false`, proto2's default, a tag for each value.
    public func sint64(
        _ number: UInt32, _ property: WritableKeyPath<M, [Int64]>, packed: Bool = true
    ) { add(number, .sint64, packed ? .packedList : .list, property) }

    /// `bool`, omitted when it is false.
    public func bool(_ number: UInt32, _ property: WritableKeyPath<M, Bool>) {
        add(number, .bool, .singular, property)
    }

    /// `optional bool`: nil when it is absent; encoded when it is false.
    public func bool(_ number: UInt32, _ property: WritableKeyPath<M, Bool?>) {
        add(number, .bool, .optional, property)
    }

    /// `repeated bool`, packed; with `packed: false`, proto2's default, a tag for each value.
    public func bool(
        _ number: UInt32, _ property: WritableKeyPath<M, [Bool]>, packed: Bool = true
    ) { add(number, .bool, packed ? .packedList : .list, property) }

    /// `fixed32`, omitted when it is 0.
    public func fixed32(_ number: UInt32, _ property: WritableKeyPath<M, UInt32>) {
        add(number, .fixed32, .singular, property)
    }

    /// `optional fixed32`: nil when it is absent; encoded when it is 0.
    public func fixed32(_ number: UInt32, _ property: WritableKeyPath<M, UInt32?>) {
        add(number, .fixed32, .optional, property)
    }

    /// `repeated fixed32`, packed; with `packed: false`, proto2's default, a tag for each value.
    public func fixed32(
        _ number: UInt32, _ property: WritableKeyPath<M, [UInt32]>, packed: Bool = true
    ) { add(number, .fixed32, packed ? .packedList : .list, property) }

    /// `fixed64`, omitted when it is 0.
    public func fixed64(_ number: UInt32, _ property: WritableKeyPath<M, UInt64>) {
        add(number, .fixed64, .singular, property)
    }

    /// `optional fixed64`: nil when it is absent; encoded when it is 0.
    public func fixed64(_ number: UInt32, _ property: WritableKeyPath<M, UInt64?>) {
        add(number, .fixed64, .optional, property)
    }

    /// `repeated fixed64`, packed; with `packed: false`, proto2's default, a tag for each value.
    public func fixed64(
        _ number: UInt32, _ property: WritableKeyPath<M, [UInt64]>, packed: Bool = true
    ) { add(number, .fixed64, packed ? .packedList : .list, property) }

    /// `sfixed32`, omitted when it is 0.
    public func sfixed32(_ number: UInt32, _ property: WritableKeyPath<M, Int32>) {
        add(number, .sfixed32, .singular, property)
    }

    /// `optional sfixed32`: nil when it is absent; encoded when it is 0.
    public func sfixed32(_ number: UInt32, _ property: WritableKeyPath<M, Int32?>) {
        add(number, .sfixed32, .optional, property)
    }

    /// `repeated sfixed32`, packed; with `packed: false`, proto2's default, a tag for each value.
    public func sfixed32(
        _ number: UInt32, _ property: WritableKeyPath<M, [Int32]>, packed: Bool = true
    ) { add(number, .sfixed32, packed ? .packedList : .list, property) }

    /// `sfixed64`, omitted when it is 0.
    public func sfixed64(_ number: UInt32, _ property: WritableKeyPath<M, Int64>) {
        add(number, .sfixed64, .singular, property)
    }

    /// `optional sfixed64`: nil when it is absent; encoded when it is 0.
    public func sfixed64(_ number: UInt32, _ property: WritableKeyPath<M, Int64?>) {
        add(number, .sfixed64, .optional, property)
    }

    /// `repeated sfixed64`, packed; with `packed: false`, proto2's default, a tag for each value.
    public func sfixed64(
        _ number: UInt32, _ property: WritableKeyPath<M, [Int64]>, packed: Bool = true
    ) { add(number, .sfixed64, packed ? .packedList : .list, property) }

    /// `float`, omitted when it is 0, which -0 is not.
    public func float(_ number: UInt32, _ property: WritableKeyPath<M, Float>) {
        add(number, .float, .singular, property)
    }

    /// `optional float`: nil when it is absent; encoded when it is 0.
    public func float(_ number: UInt32, _ property: WritableKeyPath<M, Float?>) {
        add(number, .float, .optional, property)
    }

    /// `repeated float`, packed; with `packed: false`, proto2's default, a tag for each value.
    public func float(
        _ number: UInt32, _ property: WritableKeyPath<M, [Float]>, packed: Bool = true
    ) { add(number, .float, packed ? .packedList : .list, property) }

    /// `double`, omitted when it is 0, which -0 is not.
    public func double(_ number: UInt32, _ property: WritableKeyPath<M, Double>) {
        add(number, .double, .singular, property)
    }

    /// `optional double`: nil when it is absent; encoded when it is 0.
    public func double(_ number: UInt32, _ property: WritableKeyPath<M, Double?>) {
        add(number, .double, .optional, property)
    }

    /// `repeated double`, packed; with `packed: false`, proto2's default, a tag for each value.
    public func double(
        _ number: UInt32, _ property: WritableKeyPath<M, [Double]>, packed: Bool = true
    ) { add(number, .double, packed ? .packedList : .list, property) }
}
