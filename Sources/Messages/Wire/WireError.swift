/// Why and where bytes cannot be decoded as a message.
public struct WireError: Error, Hashable, Sendable {
    @nonexhaustive
    public enum Reason: Hashable, Sendable {
        /// The bytes end inside a field.
        case truncated
        /// A varint of more than ten bytes, or a tag of more than five bytes or 32 bits.
        case overlongVarint
        /// Field number 0, or wire type 6 or 7.
        case invalidTag
        /// A string that is not UTF-8.
        case invalidUTF8
        /// A group's end without its start.
        case unmatchedGroup
        /// Messages are nested more deeply than ``DecodingOptions/maxDepth``.
        case tooDeep
        /// More bytes than ``DecodingOptions/maxByteCount``.
        case tooLarge
        /// A field has a value that its type does not allow: a key of a map with more than 30 combining marks in a
        /// row.
        case invalidValue
        /// A required field is absent. Only messages with a schema at run time are checked.
        case missingRequiredField
    }

    public var reason: Reason

    /// The offset of the error in bytes, from the start of the outermost message.
    public var offset: Int

    /// The numbers of the fields that contain the error, outermost first.
    public var path: [UInt32]

    public init(_ reason: Reason, offset: Int = 0, path: [UInt32] = []) {
        self.reason = reason
        self.offset = offset
        self.path = path
    }

    /// The same error in the enclosing message, whose field `number` contains the broken message.
    package func inside(_ number: UInt32) -> WireError {
        WireError(reason, offset: offset, path: [number] + path)
    }
}

extension WireError: CustomStringConvertible {
    public var description: String {
        let what =
            switch reason {
            case .truncated: "the bytes end inside a field"
            case .overlongVarint: "a varint is too long"
            case .invalidTag: "a tag has field number 0 or an unknown wire type"
            case .invalidUTF8: "a string is not UTF-8"
            case .unmatchedGroup: "a group ends that was not begun"
            case .tooDeep: "messages are nested too deeply"
            case .tooLarge: "the message is larger than allowed"
            case .invalidValue: "the value is not legal for its type"
            case .missingRequiredField: "a required field is missing"
            }
        let place = path.isEmpty ? "" : " in field \(pathText)"
        return "\(what), at byte \(offset)\(place)"
    }

    /// The path as a text of limited length, because a peer can make a path of a hundred numbers.
    private var pathText: String {
        let endCount = 4
        func text(_ numbers: ArraySlice<UInt32>) -> String {
            numbers.map(String.init).joined(separator: ".")
        }
        guard path.count > 3 * endCount else { return text(path[...]) }
        return "\(text(path.prefix(endCount)))…\(text(path.suffix(endCount))) (\(path.count) deep)"
    }
}
