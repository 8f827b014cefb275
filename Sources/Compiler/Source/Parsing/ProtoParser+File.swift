import SwiftletMessages

// The statements of a file.
extension ProtoParser {
    mutating func parseFile() {
        let root = open([])
        defer { close(root) }
        do throws(BrokenStatement) { try syntax() } catch { return }
        while !isAtEnd {
            do throws(BrokenStatement) { try statement() } catch {
                skipStatement()
                if isNext("}") {
                    lexer.fail("'}' without '{'")
                    skipToFirstToken()
                }
            }
        }
    }

    private mutating func statement() throws(BrokenStatement) {
        if take(endOf: nil, if: ";") { return }
        let visibility = try visibility()
        switch lexer.current.text {
        case "message":
            let path = [PathNumber.File.message, Int32(file.messageType.count)]
            file.messageType.append(try message(at: path, visibility))
        case "enum":
            let path = [PathNumber.File.enumeration, Int32(file.enumType.count)]
            file.enumType.append(try enumeration(at: path, visibility))
        case "service":
            let path = [PathNumber.File.service, Int32(file.service.count)]
            file.service.append(try service(at: path))
        case "extend":
            var scope = ExtendScope(
                path: [], extensionNumber: PathNumber.File.extension,
                messageNumber: PathNumber.File.message)
            swap(&scope.extensions, &file.extension)
            swap(&scope.messages, &file.messageType)
            defer {
                swap(&scope.extensions, &file.extension)
                swap(&scope.messages, &file.messageType)
            }
            try extend(&scope)
        case "import": try importStatement()
        case "package": try package()
        case "option":
            var options = file.options.take()
            defer { file.options = options }
            try optionStatement(&options, at: [PathNumber.File.options])
        default: throw unexpected("a statement such as 'message', 'enum' or 'import'")
        }
    }

    // MARK: - Syntax and edition

    private mutating func syntax() throws(BrokenStatement) {
        guard isNext("syntax") || isNext("edition") else { return }
        let location = open([PathNumber.File.syntax])
        defer { close(location) }
        let isEdition = isNext("edition")
        lexer.advance()
        try expect("=")
        let place = lexer.current.position
        let name = try nameText(
            isEdition ? "an edition in quotation marks" : "\"proto2\" or \"proto3\"")
        try expect(endOf: location, ";")
        if isEdition {
            guard let edition = Self.editions[name] else {
                throw failure("unknown edition '\(name)' (2023 or 2024 expected)", at: place)
            }
            file.syntax = "editions"
            file.edition = edition
        } else {
            guard name == "proto2" || name == "proto3" else {
                throw failure(
                    "unknown syntax '\(name)' (\"proto2\" or \"proto3\" expected)", at: place)
            }
            file.syntax = name
        }
    }

    private static let editions: [String: Edition] = [
        "2023": .edition2023, "2024": .edition2024,
    ]

    /// Reads `export` or `local`, which exist from edition 2024 on.
    mutating func visibility() throws(BrokenStatement) -> Google.Protobuf.SymbolVisibility? {
        guard isEdition2024, isNext("export") || isNext("local") else { return nil }
        let isExport = isNext("export")
        lexer.advance()
        guard isNext("message") || isNext("enum") else {
            throw unexpected("'message' or 'enum' after 'export' or 'local'")
        }
        return isExport ? .export : .local
    }

    // MARK: - Package and imports

    private mutating func package() throws(BrokenStatement) {
        if file.package != nil { lexer.fail("a file has at most one package") }
        let location = open([PathNumber.File.package])
        defer { close(location) }
        lexer.advance()
        var name = try identifier("the name of the package")
        while take(if: ".") {
            name += "." + (try identifier("a name after '.'"))
        }
        if let problem = ProtoName.problem(inPackage: name) {
            throw failure(problem, at: locations[location].start)
        }
        file.package = name
        try expect(endOf: location, ";")
    }

    private mutating func importStatement() throws(BrokenStatement) {
        let start = lexer.current.position
        lexer.advance()
        if isNext("option") { return try optionImport(from: start) }
        let index = Int32(file.dependency.count)
        let location = open([PathNumber.File.dependency, index], at: start)
        defer { close(location) }
        if !file.optionDependency.isEmpty {
            lexer.fail("imports must precede option imports", at: start)
        }
        if isNext("public") {
            let count = Int32(file.publicDependency.count)
            mark([PathNumber.File.publicDependency, count], lexer.current)
            file.publicDependency.append(index)
            lexer.advance()
        } else if isNext("weak") {
            if isEdition2024 {
                lexer.fail("weak imports are not allowed from edition 2024 on; use 'import option'")
            }
            let count = Int32(file.weakDependency.count)
            mark([PathNumber.File.weakDependency, count], lexer.current)
            file.weakDependency.append(index)
            lexer.advance()
        }
        file.dependency.append(try nameText("the name of a file in quotation marks"))
        try expect(endOf: location, ";")
    }

    private mutating func optionImport(from start: ProtoPosition) throws(BrokenStatement) {
        if !isEdition2024 {
            lexer.fail("option imports are not allowed before edition 2024")
        }
        let index = Int32(file.optionDependency.count)
        let location = open([PathNumber.File.optionDependency, index], at: start)
        defer { close(location) }
        lexer.advance()
        file.optionDependency.append(try nameText("the name of a file in quotation marks"))
        try expect(endOf: location, ";")
    }
}
