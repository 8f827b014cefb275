import SwiftletMessages

/// Field numbers and indexes that lead from a file to a declaration or a part of one, as in
/// `SourceCodeInfo.Location.path`.
typealias ProtoPath = [Int32]

/// The field numbers of descriptor.proto that occur in paths.
enum PathNumber {
    enum File {
        static let package: Int32 = 2
        static let dependency: Int32 = 3
        static let message: Int32 = 4
        static let enumeration: Int32 = 5
        static let service: Int32 = 6
        static let `extension`: Int32 = 7
        static let options: Int32 = 8
        static let publicDependency: Int32 = 10
        static let weakDependency: Int32 = 11
        static let syntax: Int32 = 12
        static let optionDependency: Int32 = 15
    }

    enum Message {
        static let field: Int32 = 2
        static let nestedType: Int32 = 3
        static let enumeration: Int32 = 4
        static let extensionRange: Int32 = 5
        static let `extension`: Int32 = 6
        static let options: Int32 = 7
        static let oneof: Int32 = 8
        static let reservedRange: Int32 = 9
        static let reservedName: Int32 = 10
    }

    enum Field {
        static let extendee: Int32 = 2
        static let number: Int32 = 3
        static let label: Int32 = 4
        static let type: Int32 = 5
        static let typeName: Int32 = 6
        static let defaultValue: Int32 = 7
        static let options: Int32 = 8
        static let jsonName: Int32 = 10
    }

    enum Oneof {
        static let options: Int32 = 2
    }

    enum Enum {
        static let value: Int32 = 2
        static let options: Int32 = 3
        static let reservedRange: Int32 = 4
        static let reservedName: Int32 = 5
    }

    enum EnumValue {
        static let number: Int32 = 2
        static let options: Int32 = 3
    }

    enum Service {
        static let method: Int32 = 2
        static let options: Int32 = 3
    }

    enum Method {
        static let inputType: Int32 = 2
        static let outputType: Int32 = 3
        static let options: Int32 = 4
        static let clientStreaming: Int32 = 5
        static let serverStreaming: Int32 = 6
    }

    enum Range {
        static let start: Int32 = 1
        static let end: Int32 = 2
        static let options: Int32 = 3
    }

    enum Option {
        static let name: Int32 = 2
        static let identifier: Int32 = 3
        static let positiveInt: Int32 = 4
        static let negativeInt: Int32 = 5
        static let double: Int32 = 6
        static let string: Int32 = 7
        static let aggregate: Int32 = 8
        /// `uninterpreted_option` in each message of options.
        static let uninterpreted: Int32 = 999
    }

    /// `name` of every declaration, and `name_part` of a part of an option's name.
    static let name: Int32 = 1
}
