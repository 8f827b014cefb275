import SwiftletMessages

/// A message of options in descriptor.proto.
protocol ProtoOptions: Message {
    /// The kind of the declarations that have these options.
    static var target: OptionTarget { get }
    var uninterpretedOption: [Google.Protobuf.UninterpretedOption] { get set }
    var features: Google.Protobuf.FeatureSet? { get set }
}

extension Google.Protobuf.FileOptions: ProtoOptions {
    static var target: OptionTarget { .file }
}

extension Google.Protobuf.MessageOptions: ProtoOptions {
    static var target: OptionTarget { .message }
}

extension Google.Protobuf.FieldOptions: ProtoOptions {
    static var target: OptionTarget { .field }
}

extension Google.Protobuf.OneofOptions: ProtoOptions {
    static var target: OptionTarget { .oneof }
}

extension Google.Protobuf.ExtensionRangeOptions: ProtoOptions {
    static var target: OptionTarget { .extensionRange }
}

extension Google.Protobuf.EnumOptions: ProtoOptions {
    static var target: OptionTarget { .enumeration }
}

extension Google.Protobuf.EnumValueOptions: ProtoOptions {
    static var target: OptionTarget { .enumEntry }
}

extension Google.Protobuf.ServiceOptions: ProtoOptions {
    static var target: OptionTarget { .service }
}

extension Google.Protobuf.MethodOptions: ProtoOptions {
    static var target: OptionTarget { .method }
}

extension Optional where Wrapped: ProtoOptions {
    /// Adds an option that is not interpreted yet.
    mutating func append(_ option: Google.Protobuf.UninterpretedOption) {
        // Moved out, so that the list has one owner and grows in place. With two, each option would copy it.
        var options = take() ?? Wrapped()
        options.uninterpretedOption.append(option)
        self = options
    }
}
