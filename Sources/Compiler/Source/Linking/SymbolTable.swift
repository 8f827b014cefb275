import SwiftletMessages

/// The declaration that a full name refers to.
struct ProtoSymbol {
    enum Kind {
        case package
        case message(LinkedMessage)
        case enumeration(LinkedEnum)
        case field(LinkedField)
        case oneof
        case enumValue
        case service
        case method
    }

    var kind: Kind
    var file: LinkedFile

    var isType: Bool {
        switch kind {
        case .message, .enumeration: true
        default: false
        }
    }

    /// Whether the declaration can contain names.
    var isScope: Bool {
        switch kind {
        case .package, .message, .enumeration, .service: true
        default: false
        }
    }
}

/// The names of all files that were compiled so far.
final class SymbolTable {
    private var symbols: [String: ProtoSymbol] = [:]
    private var extensions: [ExtensionKey: LinkedField] = [:]
    /// All messages, including messages whose names were already declared, because fields refer to them.
    private var messages: [LinkedMessage] = []

    private struct ExtensionKey: Hashable {
        var message: ObjectIdentifier
        var number: Int32
    }

    /// Declares a name. Returns the symbol that already has the name; nil if there is none.
    func declare(_ name: String, _ symbol: ProtoSymbol) -> ProtoSymbol? {
        if case .message(let message) = symbol.kind { messages.append(message) }
        if let existing = symbols[name] { return existing }
        symbols[name] = symbol
        return nil
    }

    /// Declares a package and the packages around it. Returns the first of these names that is already declared as
    /// something other than a package, with its symbol; nil if there is none.
    func declare(package: String, in file: LinkedFile) -> (name: String, symbol: ProtoSymbol)? {
        var end = package.startIndex
        while end < package.endIndex {
            end = package[end...].firstIndex(of: ".") ?? package.endIndex
            let name = String(package[..<end])
            if let existing = symbols[name] {
                guard case .package = existing.kind else { return (name, existing) }
            } else {
                symbols[name] = ProtoSymbol(kind: .package, file: file)
            }
            if end < package.endIndex { end = package.index(after: end) }
        }
        return nil
    }

    /// Declares an extension. Returns the extension that already has its number; nil if there is none.
    func declare(extension field: LinkedField, of message: LinkedMessage) -> LinkedField? {
        let key = ExtensionKey(message: ObjectIdentifier(message), number: field.number)
        if let existing = extensions[key] { return existing }
        extensions[key] = field
        return nil
    }

    /// The extension of the message set that has the message type `type` and is declared inside `type`.
    func messageSetExtension(of set: LinkedMessage, _ type: LinkedMessage) -> LinkedField? {
        type.extensions.first { $0.container === set && $0.message === type && !$0.isRepeated }
    }

    /// A symbol, even if the file that declares it is not imported.
    subscript(name: String) -> ProtoSymbol? { symbols[name] }
}

// MARK: - Looking up

/// The result of looking up a name.
enum NameLookup {
    case found(ProtoSymbol, fullName: String)
    /// The name is declared in a file that is not imported.
    case notImported(LinkedFile)
    /// The first part of the name was found, but its declaration does not contain the rest. Contains the full
    /// name that was looked up.
    case resolvedTo(String)
    case unknown
}

extension SymbolTable {
    /// Finds a name with the rules of C++: the innermost scope that declares the first part of the name is
    /// used. The file that declares the result counts as used by `file`.
    ///
    /// - Parameters:
    ///   - name: The name as the file spells it; a leading `.` starts from the outermost scope.
    ///   - scope: The full name of the declaration that uses the name.
    ///   - file: The file that uses the name.
    ///   - typesOnly: Whether declarations other than messages and enums are skipped.
    ///   - forOptions: Whether files that are imported only for their options are also searched.
    func find(
        _ name: String, in scope: String, from file: LinkedFile, typesOnly: Bool,
        forOptions: Bool = false
    ) -> NameLookup {
        let lookup = lookUp(
            name, in: scope, from: file, typesOnly: typesOnly, forOptions: forOptions)
        if case .found(let symbol, _) = lookup { file.use(symbol.file) }
        return lookup
    }

    private func lookUp(
        _ name: String, in scope: String, from file: LinkedFile, typesOnly: Bool, forOptions: Bool
    ) -> NameLookup {
        let visible = forOptions ? file.visibleOptionFiles : file.visibleFiles
        if name.hasPrefix(".") {
            return absolute(String(name.dropFirst()), from: file, visible)
        }
        let first = String(name.prefix { $0 != "." })
        let isSimple = first.utf8.count == name.utf8.count
        var scope = scope[...]
        var hidden: LinkedFile?
        while true {
            let prefix = scope.isEmpty ? "" : String(scope) + "."
            let candidate = prefix + first
            if let symbol = symbols[candidate] {
                if !isVisible(symbol, candidate, from: file, visible) {
                    hidden = hidden ?? hiddenFile(prefix + name)
                } else if isSimple {
                    if !typesOnly || symbol.isType { return .found(symbol, fullName: candidate) }
                } else if symbol.isScope {
                    return member(prefix + name, from: file, visible)
                }
            }
            guard !scope.isEmpty else { break }
            scope = scope.lastIndex(of: ".").map { scope[..<$0] } ?? ""
        }
        return hidden.map { .notImported($0) } ?? .unknown
    }

    private func absolute(
        _ name: String, from file: LinkedFile, _ visible: Set<Int>
    ) -> NameLookup {
        guard let symbol = symbols[name] else { return .unknown }
        return isVisible(symbol, name, from: file, visible)
            ? .found(symbol, fullName: name) : .notImported(symbol.file)
    }

    private func member(
        _ name: String, from file: LinkedFile, _ visible: Set<Int>
    ) -> NameLookup {
        guard let symbol = symbols[name] else { return .resolvedTo(name) }
        return isVisible(symbol, name, from: file, visible)
            ? .found(symbol, fullName: name) : .notImported(symbol.file)
    }

    private func hiddenFile(_ name: String) -> LinkedFile? {
        guard let symbol = symbols[name], symbol.isType || !symbol.isScope else { return nil }
        return symbol.file
    }

    private func isVisible(
        _ symbol: ProtoSymbol, _ name: String, from file: LinkedFile, _ visible: Set<Int>
    ) -> Bool {
        if case .package = symbol.kind { return file.visiblePackages.contains(name) }
        return visible.contains(symbol.file.index)
    }
}
