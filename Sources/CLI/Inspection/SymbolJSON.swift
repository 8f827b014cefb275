import SwiftletDynamic
import SwiftletLoopback

/// Writes declarations and names as JSON, for programs.
enum SymbolJSON {
    /// A list with an object for each declaration: its full name, its file, and its descriptor under the kind of
    /// the declaration.
    static func text(of symbols: [SchemaSymbol], in schema: Schema) throws -> String {
        let options = try OptionsText(schema)
        return try IndentedJSON.list(
            symbols.map { symbol in
                let (kind, descriptor) = try part(of: symbol, options)
                let json = try descriptor.json(options: JSONWritingOptions(isIndented: true))
                return IndentedJSON.object([
                    ("name", JSONText.quoted(symbol.fullName)),
                    ("file", JSONText.quoted(symbol.file.name)), (kind, json),
                ])
            })
    }

    private static func part(
        of symbol: SchemaSymbol, _ options: OptionsText
    ) throws -> (kind: String, descriptor: DynamicMessage) {
        switch symbol {
        case .service(let service): ("service", try options.message(service.descriptor))
        case .method(let method): ("method", try options.message(method.descriptor))
        case .message(let message): ("message", try options.message(message.descriptor))
        case .field(let field): ("field", try options.message(field.descriptor))
        case .enumeration(let value): ("enum", try options.message(value.descriptor))
        }
    }

    /// A list with an object for each method.
    static func text(of methods: [MethodSchema]) -> String {
        IndentedJSON.list(
            methods.map { method in
                IndentedJSON.object([
                    ("name", JSONText.quoted("\(method.service.fullName)/\(method.name)")),
                    ("request", JSONText.quoted(method.input.fullName)),
                    ("response", JSONText.quoted(method.output.fullName)),
                    ("streamsRequests", "\(method.streamsRequests)"),
                    ("streamsResponses", "\(method.streamsResponses)"),
                ])
            })
    }

    /// A list of objects with a name.
    static func text(ofNames names: [String]) -> String {
        IndentedJSON.list(names.map { IndentedJSON.object([("name", JSONText.quoted($0))]) })
    }
}
