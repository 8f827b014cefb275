import SwiftletDynamic
import SwiftletMessages

extension LibraryFile {
    static let descriptors = [
        LibraryFile(
            name: "google/protobuf/descriptor.proto", package: "google.protobuf",
            types: [
                "DescriptorProto": Google.Protobuf.DescriptorProto.self,
                "DescriptorProto.ExtensionRange":
                    Google.Protobuf.DescriptorProto.ExtensionRange.self,
                "DescriptorProto.ReservedRange": Google.Protobuf.DescriptorProto.ReservedRange.self,
                "EnumDescriptorProto": Google.Protobuf.EnumDescriptorProto.self,
                "EnumDescriptorProto.EnumReservedRange":
                    Google.Protobuf.EnumDescriptorProto.EnumReservedRange.self,
                "EnumOptions": Google.Protobuf.EnumOptions.self,
                "EnumValueDescriptorProto": Google.Protobuf.EnumValueDescriptorProto.self,
                "EnumValueOptions": Google.Protobuf.EnumValueOptions.self,
                "ExtensionRangeOptions": Google.Protobuf.ExtensionRangeOptions.self,
                "ExtensionRangeOptions.Declaration":
                    Google.Protobuf.ExtensionRangeOptions.Declaration.self,
                "FeatureSet": Google.Protobuf.FeatureSet.self,
                "FeatureSet.VisibilityFeature": Google.Protobuf.FeatureSet.VisibilityFeature.self,
                "FeatureSetDefaults": Google.Protobuf.FeatureSetDefaults.self,
                "FeatureSetDefaults.FeatureSetEditionDefault":
                    Google.Protobuf.FeatureSetDefaults.FeatureSetEditionDefault.self,
                "FieldDescriptorProto": Google.Protobuf.FieldDescriptorProto.self,
                "FieldOptions": Google.Protobuf.FieldOptions.self,
                "FieldOptions.EditionDefault": Google.Protobuf.FieldOptions.EditionDefault.self,
                "FieldOptions.FeatureSupport": Google.Protobuf.FieldOptions.FeatureSupport.self,
                "FileDescriptorProto": Google.Protobuf.FileDescriptorProto.self,
                "FileDescriptorSet": Google.Protobuf.FileDescriptorSet.self,
                "FileOptions": Google.Protobuf.FileOptions.self,
                "GeneratedCodeInfo": Google.Protobuf.GeneratedCodeInfo.self,
                "GeneratedCodeInfo.Annotation": Google.Protobuf.GeneratedCodeInfo.Annotation.self,
                "MessageOptions": Google.Protobuf.MessageOptions.self,
                "MethodDescriptorProto": Google.Protobuf.MethodDescriptorProto.self,
                "MethodOptions": Google.Protobuf.MethodOptions.self,
                "OneofDescriptorProto": Google.Protobuf.OneofDescriptorProto.self,
                "OneofOptions": Google.Protobuf.OneofOptions.self,
                "ServiceDescriptorProto": Google.Protobuf.ServiceDescriptorProto.self,
                "ServiceOptions": Google.Protobuf.ServiceOptions.self,
                "SourceCodeInfo": Google.Protobuf.SourceCodeInfo.self,
                "SourceCodeInfo.Location": Google.Protobuf.SourceCodeInfo.Location.self,
                "UninterpretedOption": Google.Protobuf.UninterpretedOption.self,
                "UninterpretedOption.NamePart": Google.Protobuf.UninterpretedOption.NamePart.self,
            ])
    ]
}
