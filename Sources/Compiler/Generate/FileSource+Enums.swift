extension FileSource {
    /// Writes an enum of a `.proto` file as an open enum.
    func write(_ enumeration: EnumSchema, _ writer: inout SourceWriter) {
        let name = names.name(enumeration)
        let cases = EnumCases(enumeration, named: name)
        let access = options.access
        writer.separate()
        writer.documentation(enumeration.comments.documentationLines)
        writer.block("\(access)struct \(name): OpenEnum") { writer in
            writer.line("\(access)var rawValue: Int32")
            writer.separate()
            writer.line("\(access)init(rawValue: Int32) { self.rawValue = rawValue }")
            writer.separate()
            for (value, identifier) in cases.all {
                writer.documentation(enumeration.comments(of: value).documentationLines)
                writer.line(
                    "\(access)static let \(identifier) = \(name)(rawValue: \(value.number))")
            }
            writer.separate()
            writer.block("\(access)var name: String?") { writer in
                writer.line("switch self {")
                for (value, identifier) in cases.distinct {
                    writer.line("case .\(identifier): \(SwiftLiteral.quoted(value.name))")
                }
                writer.line("default: nil")
                writer.line("}")
            }
        }
    }
}

/// The Swift names of the values of an enum.
struct EnumCases {
    /// The values with their names, aliases included.
    let all: [(value: EnumSchema.Value, identifier: String)]

    /// - Parameter name: The Swift name of the enum. No value has this name, because it would hide the enum.
    init(_ enumeration: EnumSchema, named name: String) {
        let reserved = SwiftWords.caseNames.union([name])
        var scope = NameScope()
        let prefix = Self.commonPrefix(enumeration)
        all = enumeration.values.map { value in
            let name = SwiftSpelling.property(String(value.name.dropFirst(prefix.count)))
            let claimed = scope.claim(name, suffix: "Value", reserved: reserved)
            return (value, SwiftWords.escaped(claimed))
        }
    }

    /// The first value of each number.
    var distinct: [(value: EnumSchema.Value, identifier: String)] {
        var numbers: Set<Int32> = []
        return all.filter { numbers.insert($0.value.number).inserted }
    }

    /// The name of the enum when all values begin with it, as in `ROUTE_TYPE_UNKNOWN`; else empty.
    private static func commonPrefix(_ enumeration: EnumSchema) -> String {
        let prefix = SwiftSpelling.upperSnake(enumeration.name) + "_"
        let isCommon = enumeration.values.allSatisfy { value in
            value.name.hasPrefix(prefix)
                && value.name.dropFirst(prefix.count).first?.isLetter == true
        }
        return isCommon ? prefix : ""
    }
}
