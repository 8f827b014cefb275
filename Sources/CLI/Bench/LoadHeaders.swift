import Swiftlet

/// The values of `-H` of a benchmark. Those with placeholders are different in each call.
struct LoadHeaders: Sendable {
    /// The headers without placeholders. The channel adds them to every call, also to calls of the
    /// reflection service.
    let constant: [String]
    private let templates: [DataTemplate]

    /// Throws a usage error that names a placeholder that does not exist.
    init(_ headers: [String]) throws {
        var constant: [String] = []
        var templates: [DataTemplate] = []
        for header in headers {
            let template = try DataTemplate(header)
            if template.isConstant { constant.append(header) } else { templates.append(template) }
        }
        self.constant = constant
        self.templates = templates
    }

    /// Whether no header has a placeholder.
    var isConstant: Bool { templates.isEmpty }

    /// The headers with placeholders, for one call. Throws a usage error if one is not valid.
    func metadata(_ values: TemplateValues) throws -> Metadata {
        var random = SystemRandomNumberGenerator()
        return try HeaderOption.metadata(templates.map { $0.text(values, using: &random) })
    }
}
