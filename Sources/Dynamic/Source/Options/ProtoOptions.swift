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
