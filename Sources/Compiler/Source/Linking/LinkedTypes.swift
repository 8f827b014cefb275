import SwiftletMessages

/// A message whose name is known. Its fields are added later.
final class LinkedMessage {
    let fullName: String
    let file: LinkedFile
    let isMapEntry: Bool
    /// The numbers that extensions may have.
    var extensionRanges: ExtensionRanges
    /// Whether only the file that declares the message may use it.
    var isLocal = false
    var isMessageSet = false
    var features = Google.Protobuf.FeatureSet()
    var fields: [LinkedField] = []
    /// The extensions that are declared in the message.
    var extensions: [LinkedField] = []

    private lazy var fieldsByName = Dictionary(
        fields.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    private lazy var declarations = extensionRanges.declarations
    /// The required fields, once they were asked for. Each value of the message in an option needs them.
    private var knownRequiredFields: [LinkedField]?

    init(_ descriptor: Google.Protobuf.DescriptorProto, fullName: String, in file: LinkedFile) {
        self.fullName = fullName
        self.file = file
        isMapEntry = descriptor.options?.mapEntry == true
        extensionRanges = ExtensionRanges(descriptor.extensionRange)
        isMessageSet =
            descriptor.options?.uninterpretedOption.contains {
                $0.isNamed("message_set_wire_format") && $0.identifierValue == "true"
            } == true
    }

    /// The required fields, extensions not included. Only valid after all fields are known.
    var requiredFields: [LinkedField] {
        if let known = knownRequiredFields { return known }
        let required = fields.filter(\.isRequired)
        knownRequiredFields = required
        return required
    }

    /// Must be called when one of the fields becomes required, or optional.
    fileprivate func forgetRequiredFields() { knownRequiredFields = nil }

    /// The field of that name. Only valid after all fields are known.
    func field(named name: String) -> LinkedField? { fieldsByName[name] }

    /// How an extension range declares the number. Only valid after the options of the ranges are interpreted.
    func declaration(of number: Int32) -> ExtensionRanges.Declaration? { declarations[number] }
}

/// An enum whose name and values are known.
final class LinkedEnum {
    let fullName: String
    let file: LinkedFile
    /// Their options are interpreted when the features are resolved.
    var values: [Google.Protobuf.EnumValueDescriptorProto]
    var isLocal = false
    /// Whether unknown numbers are refused. Only valid after the features are resolved.
    var isClosed = false

    private lazy var numbers = Dictionary(
        values.map { ($0.name ?? "", $0.number ?? 0) }, uniquingKeysWith: { first, _ in first })
    private lazy var valuesByNumber = Dictionary(
        values.map { ($0.number ?? 0, $0) }, uniquingKeysWith: { first, _ in first })

    init(_ descriptor: Google.Protobuf.EnumDescriptorProto, fullName: String, in file: LinkedFile) {
        self.fullName = fullName
        self.file = file
        values = descriptor.value
    }

    func number(of name: String) -> Int32? { numbers[name] }

    func hasValue(_ number: Int32) -> Bool { valuesByNumber[number] != nil }

    /// Throws if a file of this edition cannot use the value with that number.
    func check(_ number: Int32, in edition: Google.Protobuf.Edition) throws(OptionProblem) {
        guard let value = valuesByNumber[number], let support = value.options?.featureSupport
        else { return }
        // The values of an enum are siblings of the enum.
        let scope =
            fullName.utf8.lastIndex(of: UInt8(ascii: "."))
            .map { String(fullName[..<$0]) } ?? ""
        try support.check(Declarer.join(scope, value.name), in: edition)
    }
}

/// A field or an extension whose type is known.
final class LinkedField {
    typealias FieldType = Google.Protobuf.FieldDescriptorProto.FieldType

    let name: String
    let fullName: String
    let number: Int32
    let file: LinkedFile
    let isRepeated: Bool
    let isExtension: Bool
    var type: FieldType?
    /// The message type of the field, if it has one. The symbol table keeps messages alive.
    unowned var message: LinkedMessage?
    /// The enum type of the field, if it has one.
    var enumeration: LinkedEnum?
    /// The message that the field is in, or that the extension extends.
    unowned var container: LinkedMessage?
    /// The index of its oneof: a declared one, or the synthetic one of a proto3 `optional`. Nil
    /// when it has none.
    let oneofIndex: Int32?
    /// The kinds of declarations that may have this option. All kinds when the set is empty.
    var targets: Set<OptionTarget> = []
    /// The editions of the files that may set this option. All editions when nil.
    var featureSupport: FeatureSupport?

    // These properties are set when the features are resolved.

    var isPacked = false
    var isDelimited: Bool
    var isRequired: Bool {
        didSet { if !isExtension, isRequired != oldValue { container?.forgetRequiredFields() } }
    }
    /// Whether the field is not encoded when it has the default of its type.
    var isImplicit = false
    /// Whether the field is a string that must be UTF-8.
    var verifiesUTF8 = false

    init(
        _ descriptor: Google.Protobuf.FieldDescriptorProto, fullName: String, in file: LinkedFile
    ) {
        name = descriptor.name ?? ""
        self.fullName = fullName
        self.file = file
        number = descriptor.number ?? 0
        type = descriptor.type
        isRepeated = descriptor.label == .repeated
        isRequired = descriptor.label == .required
        isExtension = descriptor.extendee != nil
        isDelimited = descriptor.type == .group
        oneofIndex = descriptor.oneofIndex
    }
}
