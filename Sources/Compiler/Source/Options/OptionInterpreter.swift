import SwiftletMessages

/// Finds the types of options, and encodes their values into the messages of options.
///
/// Interprets the options that descriptor.proto declares first, because features determine how other options
/// are encoded.
struct OptionInterpreter: OptionsVisitor {
    typealias Option = Google.Protobuf.UninterpretedOption

    private let file: LinkedFile
    private let symbols: SymbolTable
    private let standard: StandardOptions?
    private let checksTargets: Bool
    private var interpretsExtensions = false
    /// The new path of each interpreted option, keyed by its old path.
    private var movedPaths: [ProtoPath: ProtoPath] = [:]
    private var repeatedCounts: [ProtoPath: Int32] = [:]
    /// The fields that were set, and the messages that contain them.
    private var touched = OptionTree()

    /// The most parts in the name of an option. Each part is encoded into the previous one, so the cost grows
    /// with the square of the count.
    private static let maxPartCount = 1_000

    init(
        _ file: LinkedFile, _ symbols: SymbolTable, standard: StandardOptions?, checksTargets: Bool
    ) {
        self.file = file
        self.symbols = symbols
        self.standard = standard
        self.checksTargets = checksTargets
    }

    mutating func interpretBuiltIn() { interpretAll() }

    mutating func interpretExtensions() {
        interpretsExtensions = true
        interpretAll()
    }

    private mutating func interpretAll() {
        // Error reports read the file's descriptor, so a copy is changed.
        var descriptor = file.descriptor
        visitAll(of: &descriptor)
        file.descriptor = descriptor
    }

    /// Gives each location of an interpreted option the path of the field that the option set. Removes the
    /// locations inside the former, uninterpreted option.
    func updateLocations() {
        guard !movedPaths.isEmpty, let info = file.descriptor.sourceCodeInfo else { return }
        var locations: [Google.Protobuf.SourceCodeInfo.Location] = []
        var inside: ProtoPath?
        for var location in info.location {
            if let prefix = inside, location.path.starts(with: prefix) { continue }
            inside = nil
            if let path = movedPaths[location.path] {
                inside = location.path
                location.path = path
            }
            locations.append(location)
        }
        file.descriptor.sourceCodeInfo?.location = locations
    }

    // MARK: - One declaration

    mutating func visit<Options: ProtoOptions>(
        _ options: inout Options?, in scope: String, at path: ProtoPath
    ) {
        guard var filled = options, !filled.uninterpretedOption.isEmpty else { return }
        let spelt = filled.uninterpretedOption
        guard let type = optionsType(Options.messageName) else { return }
        for (index, bytes) in encoded(spelt, of: type, for: Options.target, in: scope, at: path) {
            do throws(OptionProblem) {
                try merge(bytes, into: &filled)
            } catch {
                report(error, spelt[index], at: Self.path(of: index, path))
            }
        }
        if interpretsExtensions { filled.uninterpretedOption = [] }
        options = filled
    }

    /// The values of the options that this pass interprets, with their places in the list.
    private mutating func encoded(
        _ spelt: [Option], of type: LinkedMessage, for target: OptionTarget, in scope: String,
        at path: ProtoPath
    ) -> [(index: Int, bytes: [UInt8])] {
        var values: [(index: Int, bytes: [UInt8])] = []
        for (index, option) in spelt.enumerated()
        where option.name.first?.isExtension == interpretsExtensions {
            let optionPath = Self.path(of: index, path)
            do throws(OptionProblem) {
                let bytes = try encode(
                    option, of: type, in: scope, optionPath, options: path,
                    for: checksTargets ? target : nil)
                values.append((index, bytes))
            } catch {
                report(error, option, at: optionPath)
            }
        }
        return values
    }

    private static func path(of index: Int, _ path: ProtoPath) -> ProtoPath {
        path + [PathNumber.Option.uninterpreted, Int32(index)]
    }

    private func optionsType(_ name: String) -> LinkedMessage? {
        if case .message(let type)? = symbols[name]?.kind { return type }
        if case .message(let type)? = standard?.symbols[name]?.kind { return type }
        file.fail("'\(name)' is not declared as a message", at: [])
        return nil
    }

    private func merge<Options: ProtoOptions>(
        _ bytes: [UInt8], into options: inout Options
    ) throws(OptionProblem) {
        do throws(WireError) {
            try options.merge(ContiguousArray(bytes).span, options: DecodingOptions())
        } catch {
            throw OptionProblem("the value does not fit the option: \(error)")
        }
    }

    private func report(_ problem: OptionProblem, _ option: Option, at path: ProtoPath) {
        if let position = problem.position {
            file.fail(problem.message, at: position)
        } else {
            file.fail(problem.message, at: path + [option.valueNumber])
        }
    }

    // MARK: - One option

    private mutating func encode(
        _ option: Option, of type: LinkedMessage, in scope: String, _ path: ProtoPath,
        options: ProtoPath, for target: OptionTarget?
    ) throws(OptionProblem) -> [UInt8] {
        let fields = try fields(of: option, in: type, scope, at: path)
        guard let leaf = fields.last else { return [] }
        var target = target
        for field in fields.dropLast() {
            try field.check(for: target, in: file.edition)
            // As in protoc, the targets of fields in a group do not matter.
            if field.isDelimited { target = nil }
        }
        let moved = options + fields.map(\.number)
        if leaf.isRepeated {
            let index = repeatedCounts[moved, default: 0]
            repeatedCounts[moved] = index + 1
            movedPaths[path] = moved + [index]
        } else {
            guard !touched.contains(moved) else {
                throw OptionProblem("the option '\(option.spelling)' is set twice")
            }
            movedPaths[path] = moved
        }
        var value = try self.value(
            of: option, leaf, at: moved, for: leaf.isDelimited ? nil : target)
        try leaf.check(value, for: target, in: file.edition)
        for (field, outer) in zip(fields, fields.dropFirst()).reversed() {
            var bytes: [UInt8] = []
            bytes.append(option: value, number: outer.number)
            value = field.isDelimited ? .group(bytes) : .bytes(bytes)
        }
        touched.insert(moved)
        var bytes: [UInt8] = []
        bytes.append(option: value, number: fields[0].number)
        return bytes
    }

    private mutating func value(
        of option: Option, _ field: LinkedField, at path: ProtoPath, for target: OptionTarget?
    ) throws(OptionProblem) -> EncodedOption {
        if let key = option.aggregateValue, let place = file.aggregates[key] {
            guard let message = field.message else {
                throw OptionProblem("'\(field.fullName)' is not a message")
            }
            var parser = AggregateParser(place, in: file, symbols, for: target)
            let bytes = try parser.parse(as: message)
            if !field.isRepeated { touched.insert(parser.assigned, at: path) }
            return field.isDelimited ? .group(bytes) : .bytes(bytes)
        }
        guard let scalar = OptionScalar(option) else {
            throw OptionProblem("the option '\(option.spelling)' has no value")
        }
        return try scalar.encoded(for: field, isText: false)
    }

    /// The fields that the parts of the name refer to.
    private func fields(
        of option: Option, in type: LinkedMessage, _ scope: String, at path: ProtoPath
    ) throws(OptionProblem) -> [LinkedField] {
        guard option.name.count <= Self.maxPartCount else {
            throw OptionProblem(
                "the name of the option has \(option.name.count) parts "
                    + "(at most \(Self.maxPartCount) are allowed)")
        }
        var fields: [LinkedField] = []
        var message = type
        for (index, part) in option.name.enumerated() {
            let field =
                part.isExtension
                ? try extensionField(part.namePart, of: message, scope)
                : message.field(named: part.namePart)
            guard let field, part.namePart != "uninterpreted_option" else {
                throw OptionProblem(
                    "'\(message.fullName)' has no field '\(part.namePart)'")
            }
            if field.file === file, option.name[0].namePart == "features",
                !option.name[0].isExtension
            {
                throw OptionProblem(
                    "the feature '\(option.spelling)' cannot be used in the file that declares it")
            }
            fields.append(field)
            guard index + 1 < option.name.count else { break }
            guard let next = field.message else {
                throw OptionProblem("'\(field.fullName)' is not a message")
            }
            if field.isRepeated {
                throw OptionProblem(
                    "'\(field.fullName)' is repeated; set it as '\(field.name) = { … }'")
            }
            message = next
        }
        return fields
    }

    private func extensionField(
        _ name: String, of message: LinkedMessage, _ scope: String
    ) throws(OptionProblem) -> LinkedField {
        switch symbols.find(name, in: scope, from: file, typesOnly: false, forOptions: true) {
        case .found(let symbol, _):
            guard case .field(let field) = symbol.kind, field.isExtension,
                field.container === message
            else {
                throw OptionProblem("'\(name)' is not an extension of '\(message.fullName)'")
            }
            return field
        case .notImported(let other):
            throw OptionProblem(
                "the option '(\(name))' is declared in '\(other.name)', which is not imported")
        case .resolvedTo(let fullName):
            throw OptionProblem(
                """
                the option '(\(name))' means '\(fullName)' here, which is not declared; a leading \
                '.' starts from the outermost scope
                """)
        case .unknown:
            throw OptionProblem("unknown option '(\(name))'; import the file that declares it")
        }
    }
}

extension Google.Protobuf.UninterpretedOption {
    /// The name as the file spells it.
    var spelling: String {
        name.map { $0.isExtension ? "(\($0.namePart))" : $0.namePart }.joined(separator: ".")
    }

    /// The number of the field that contains the value.
    fileprivate var valueNumber: Int32 {
        if identifierValue != nil { return PathNumber.Option.identifier }
        if positiveIntValue != nil { return PathNumber.Option.positiveInt }
        if negativeIntValue != nil { return PathNumber.Option.negativeInt }
        if doubleValue != nil { return PathNumber.Option.double }
        if stringValue != nil { return PathNumber.Option.string }
        return PathNumber.Option.aggregate
    }
}
