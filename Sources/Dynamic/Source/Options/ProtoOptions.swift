import SwiftletMessages

/// A message of options in descriptor.proto.
protocol ProtoOptions: Message {
    var uninterpretedOption: [Google.Protobuf.UninterpretedOption] { get set }
    var features: Google.Protobuf.FeatureSet? { get set }
}

extension Google.Protobuf.FileOptions: ProtoOptions {}
extension Google.Protobuf.MessageOptions: ProtoOptions {}
extension Google.Protobuf.FieldOptions: ProtoOptions {}
extension Google.Protobuf.OneofOptions: ProtoOptions {}
extension Google.Protobuf.ExtensionRangeOptions: ProtoOptions {}
extension Google.Protobuf.EnumOptions: ProtoOptions {}
extension Google.Protobuf.EnumValueOptions: ProtoOptions {}
extension Google.Protobuf.ServiceOptions: ProtoOptions {}
extension Google.Protobuf.MethodOptions: ProtoOptions {}

extension Optional where Wrapped: ProtoOptions {
    /// Adds an option that is not interpreted yet.
    mutating func append(_ option: Google.Protobuf.UninterpretedOption) {
        // Moved out, so that the list has one owner and grows in place. With two, each option would copy it.
        var options = take() ?? Wrapped()
        options.uninterpretedOption.append(option)
        self = options
    }
}
