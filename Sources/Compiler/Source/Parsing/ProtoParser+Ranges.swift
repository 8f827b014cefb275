import SwiftletMessages

// `reserved` and `extensions`.
extension ProtoParser {
    typealias Enum = Google.Protobuf.EnumDescriptorProto

    /// The numbers of the descriptor's fields for the names and the ranges of a `reserved`
    /// statement.
    private struct ReservedNumbers {
        var names: Int32
        var ranges: Int32
    }

    mutating func reserved(
        of message: inout Message, at path: ProtoPath
    ) throws(BrokenStatement) {
        let numbers = ReservedNumbers(
            names: PathNumber.Message.reservedName, ranges: PathNumber.Message.reservedRange)
        try reserved(
            numbers, names: &message.reservedName, ranges: &message.reservedRange, at: path
        ) { parser, path throws(BrokenStatement) in
            let range = try parser.range(at: path)
            return .init(start: range.start, end: range.end)
        }
    }

    mutating func reserved(of type: inout Enum, at path: ProtoPath) throws(BrokenStatement) {
        let numbers = ReservedNumbers(
            names: PathNumber.Enum.reservedName, ranges: PathNumber.Enum.reservedRange)
        try reserved(
            numbers, names: &type.reservedName, ranges: &type.reservedRange, at: path
        ) { parser, path throws(BrokenStatement) in
            let range = try parser.enumRange(at: path)
            return .init(start: range.start, end: range.end)
        }
    }

    private mutating func reserved<Range>(
        _ numbers: ReservedNumbers, names: inout [String], ranges: inout [Range],
        at path: ProtoPath,
        range: (inout ProtoParser, ProtoPath) throws(BrokenStatement) -> Range
    ) throws(BrokenStatement) {
        let start = lexer.current.position
        lexer.advance()
        let isNames = isNext(.string) || isNext(.identifier)
        if isNext(.string), isEditions {
            throw failure("reserved names are written without quotation marks in editions")
        }
        if isNext(.identifier), !isEditions {
            throw failure("reserved names are written in quotation marks before editions")
        }
        let listPath = path + [isNames ? numbers.names : numbers.ranges]
        let location = open(listPath, at: start)
        defer { close(location) }
        if isNames {
            repeat {
                let name = open(listPath + [Int32(names.count)])
                defer { close(name) }
                names.append(
                    isEditions
                        ? try identifier("a reserved name")
                        : try nameText("a reserved name in quotation marks"))
            } while take(if: ",")
        } else {
            repeat {
                ranges.append(try range(&self, listPath + [Int32(ranges.count)]))
            } while take(if: ",")
        }
        try expect(endOf: location, ";")
    }

    // MARK: - Ranges

    /// Represents `max` until it is known whether the message is a message set.
    static let maxSentinel: Int32 = -1

    /// Reads a range of field numbers. `end` is the first number after the range.
    private mutating func range(
        at path: ProtoPath
    ) throws(BrokenStatement) -> (start: Int32, end: Int32) {
        let location = open(path)
        defer { close(location) }
        let startToken = lexer.current
        let start = try fieldNumber()
        mark(path + [PathNumber.Range.start], startToken)
        guard take(if: "to") else {
            mark(path + [PathNumber.Range.end], startToken)
            return (start, start + 1)
        }
        let endToken = lexer.current
        let end = take(if: "max") ? Self.maxSentinel : try fieldNumber() + 1
        mark(path + [PathNumber.Range.end], endToken)
        return (start, end)
    }

    private mutating func fieldNumber() throws(BrokenStatement) -> Int32 {
        let number = try int32("the number of a field, or a range such as '5 to 9'")
        guard number < .max else { throw failure("the number is too large") }
        return number
    }

    private mutating func enumRange(
        at path: ProtoPath
    ) throws(BrokenStatement) -> (start: Int32, end: Int32) {
        let location = open(path)
        defer { close(location) }
        let startToken = lexer.current
        let startLocation = open(path + [PathNumber.Range.start])
        let start = try signedInt32("a number, or a range such as '5 to 9'")
        close(startLocation)
        guard take(if: "to") else {
            // As in protoc, the end has the location of the number's first token. If the number is
            // negative, that token is only its sign.
            mark(path + [PathNumber.Range.end], startToken)
            return (start, start)
        }
        let endLocation = open(path + [PathNumber.Range.end])
        defer { close(endLocation) }
        return (start, take(if: "max") ? .max : try signedInt32("a number"))
    }

    // MARK: - Extension ranges

    mutating func extensions(
        of message: inout Message, at path: ProtoPath
    ) throws(BrokenStatement) {
        let listPath = path + [PathNumber.Message.extensionRange]
        let location = open(listPath)
        defer { close(location) }
        lexer.advance()
        let first = message.extensionRange.count
        repeat {
            let range = try range(at: listPath + [Int32(message.extensionRange.count)])
            message.extensionRange.append(.init(start: range.start, end: range.end))
        } while take(if: ",")
        let optionsStart = locations.count
        let token = lexer.current
        try bracketedOptions(
            &message.extensionRange[first].options,
            at: listPath + [Int32(first), PathNumber.Range.options])
        try countRepeatedOptions(from: token, rangeCount: message.extensionRange.count - first)
        repeatOptions(of: &message, from: first, locations: optionsStart, at: listPath.count)
        try expect(endOf: location, ";")
    }

    /// Limits the copies of options in the file. Without a limit, a file of 70 KB with as many ranges as
    /// options would need gigabytes.
    private mutating func countRepeatedOptions(
        from start: ProtoToken, rangeCount: Int
    ) throws(BrokenStatement) {
        let byteCount = lexer.current.range.lowerBound - start.range.lowerBound
        repeatedOptionByteCount += byteCount * (rangeCount - 1)
        guard repeatedOptionByteCount <= Self.maxRepeatedOptionByteCount else {
            throw failure(
                """
                the options after 'extensions' are repeated for each of its \(rangeCount) ranges, and \
                the copies are too large (at most \(Self.maxRepeatedOptionByteCount) bytes in a \
                file); use fewer ranges or fewer options
                """, at: start.position)
        }
    }

    /// Adds the options at the end of a statement to all ranges of the statement.
    private mutating func repeatOptions(
        of message: inout Message, from first: Int, locations start: Int, at depth: Int
    ) {
        // A slice would share the storage of all locations, which appending to them would copy.
        let added = Array(locations[start...])
        for index in message.extensionRange.indices.dropFirst(first + 1) {
            message.extensionRange[index].options = message.extensionRange[first].options
            locations += added.map { location in
                var copy = location
                copy.path[depth] = Int32(index)
                return copy
            }
        }
    }
}

extension Google.Protobuf.DescriptorProto {
    /// Replaces `max`. Its number depends on the options of the message.
    mutating func replaceMaxRanges() {
        let isMessageSet =
            options?.uninterpretedOption.contains {
                $0.isNamed("message_set_wire_format") && $0.identifierValue == "true"
            } == true
        let end: Int32 = isMessageSet ? .max : 1 << 29
        for index in extensionRange.indices
        where extensionRange[index].end == ProtoParser.maxSentinel {
            extensionRange[index].end = end
        }
        for index in reservedRange.indices
        where reservedRange[index].end == ProtoParser.maxSentinel {
            reservedRange[index].end = end
        }
    }
}
