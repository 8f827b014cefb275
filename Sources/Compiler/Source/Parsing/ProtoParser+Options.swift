import SwiftletMessages

// Options. They keep their spelling until all files are known.
extension ProtoParser {
    typealias Option = Google.Protobuf.UninterpretedOption

    mutating func optionStatement<Options: ProtoOptions>(
        _ options: inout Options?, at path: ProtoPath
    ) throws(BrokenStatement) {
        let outer = open(path)
        defer { close(outer) }
        let optionPath = self.path(of: options, path)
        let location = open(optionPath)
        defer { close(location) }
        lexer.advance()
        try assignment(&options, at: optionPath)
        try expect(endOf: location, ";")
    }

    mutating func option<Options: ProtoOptions>(
        _ options: inout Options?, at path: ProtoPath
    ) throws(BrokenStatement) {
        let optionPath = self.path(of: options, path)
        let location = open(optionPath)
        defer { close(location) }
        try assignment(&options, at: optionPath)
    }

    private func path<Options: ProtoOptions>(of options: Options?, _ path: ProtoPath) -> ProtoPath {
        let count = Int32(options?.uninterpretedOption.count ?? 0)
        return path + [PathNumber.Option.uninterpreted, count]
    }

    private mutating func assignment<Options: ProtoOptions>(
        _ options: inout Options?, at path: ProtoPath
    ) throws(BrokenStatement) {
        var option = Option()
        option.name = try optionName(at: path + [PathNumber.Option.name])
        try expect("=")
        try value(of: &option, at: path)
        options.append(option)
    }

    // MARK: - Names

    private mutating func optionName(
        at path: ProtoPath
    ) throws(BrokenStatement) -> [Option.NamePart] {
        let location = open(path)
        defer { close(location) }
        var parts = [try namePart(at: path + [0])]
        while take(if: ".") { parts.append(try namePart(at: path + [Int32(parts.count)])) }
        return parts
    }

    private mutating func namePart(at path: ProtoPath) throws(BrokenStatement) -> Option.NamePart {
        let location = open(path)
        defer { close(location) }
        let isExtension = take(if: "(")
        let name = open(path + [PathNumber.name])
        var part = Option.NamePart(namePart: "", isExtension: isExtension)
        if isExtension {
            part.namePart = take(if: ".") ? "." : ""
            part.namePart += try identifier("the name of an extension")
            while take(if: ".") { part.namePart += "." + (try identifier("a name after '.'")) }
            close(name)
            try expect(")")
        } else {
            part.namePart = try identifier("the name of an option")
            close(name)
        }
        return part
    }

    // MARK: - Values

    private mutating func value(
        of option: inout Option, at path: ProtoPath
    ) throws(BrokenStatement) {
        let location = open(path)
        defer { close(location) }
        let isNegative = take(if: "-")
        switch lexer.current.kind {
        case .identifier:
            locations[location].path.append(PathNumber.Option.identifier)
            try word(of: &option, isNegative: isNegative)
        case .integer, .float:
            locations[location].path.append(try number(of: &option, isNegative: isNegative))
        case .string where !isNegative:
            locations[location].path.append(PathNumber.Option.string)
            option.stringValue = try string("a string")
        case .symbol where isNext("{") && !isNegative:
            locations[location].path.append(PathNumber.Option.aggregate)
            option.aggregateValue = try aggregate()
        default: throw unexpected(isNegative ? "a number after '-'" : "the value of the option")
        }
    }

    private mutating func word(
        of option: inout Option, isNegative: Bool
    ) throws(BrokenStatement) {
        let text = lexer.current.text
        switch text {
        case "inf" where isNegative: option.doubleValue = -.infinity
        case "nan" where isNegative: option.doubleValue = .nan
        case _ where isNegative: throw unexpected("a number, 'inf' or 'nan' after '-'")
        default: option.identifierValue = text
        }
        lexer.advance()
    }

    /// Returns the number of the field that holds the value.
    private mutating func number(
        of option: inout Option, isNegative: Bool
    ) throws(BrokenStatement) -> Int32 {
        let limit = isNegative ? UInt64(1) << 63 : .max
        if isNext(.integer), let value = NumberLiteral.integer(lexer.current.text, max: limit) {
            lexer.advance()
            guard isNegative else {
                option.positiveIntValue = value
                return PathNumber.Option.positiveInt
            }
            option.negativeIntValue = Int64(truncatingIfNeeded: 0 &- value)
            return PathNumber.Option.negativeInt
        }
        let value = try double()
        option.doubleValue = isNegative ? -value : value
        return PathNumber.Option.double
    }

    /// Skips a message in text format. Returns the key of its place in `aggregates`.
    private mutating func aggregate() throws(BrokenStatement) -> String {
        let start = lexer.current
        var braces = 0
        repeat {
            if isAtEnd { throw failure("the file ends inside a value ('}' expected)") }
            if isNext(.symbol) {
                if isNext("{") { braces += 1 }
                if isNext("}") { braces -= 1 }
            }
            if braces > 0 { lexer.advance() }
        } while braces > 0
        let range = start.range.upperBound..<lexer.current.range.lowerBound
        let position = ProtoPosition(line: start.position.line, column: start.endColumn)
        lexer.advance()
        return aggregates.add(range, at: position)
    }
}
