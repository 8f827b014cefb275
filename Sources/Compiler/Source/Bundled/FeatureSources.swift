// The features of certain languages.
extension BundledProtos {
    static let cppFeatures = #"""
        syntax = "proto2";
        package pb;
        import "google/protobuf/descriptor.proto";
        extend google.protobuf.FeatureSet {
          optional CppFeatures cpp = 1000;
        }
        message CppFeatures {
          optional bool legacy_closed_enum = 1 [
            retention = RETENTION_RUNTIME,
            targets = TARGET_TYPE_FIELD,
            targets = TARGET_TYPE_FILE,
            feature_support = {
              edition_introduced: EDITION_2023,
              edition_deprecated: EDITION_2023,
              deprecation_warning: "The legacy closed enum behavior in C++ is "
                                   "deprecated and is scheduled to be removed in "
                                   "edition 2025.  See http://protobuf.dev/programming-guides/enum/#cpp for "
                                   "more information",
            },
            edition_defaults = { edition: EDITION_LEGACY, value: "true" },
            edition_defaults = { edition: EDITION_PROTO3, value: "false" }
          ];
          enum StringType {
            STRING_TYPE_UNKNOWN = 0;
            VIEW = 1;
            CORD = 2;
            STRING = 3;
          }
          optional StringType string_type = 2 [
            retention = RETENTION_RUNTIME,
            targets = TARGET_TYPE_FIELD,
            targets = TARGET_TYPE_FILE,
            feature_support = {
              edition_introduced: EDITION_2023,
            },
            edition_defaults = { edition: EDITION_LEGACY, value: "STRING" },
            edition_defaults = { edition: EDITION_2024, value: "VIEW" }
          ];
          optional bool enum_name_uses_string_view = 3 [
            retention = RETENTION_RUNTIME,
            targets = TARGET_TYPE_ENUM,
            targets = TARGET_TYPE_FILE,
            feature_support = {
              edition_introduced: EDITION_2024,
            },
            edition_defaults = { edition: EDITION_LEGACY, value: "false" },
            edition_defaults = { edition: EDITION_2024, value: "true" }
          ];
          enum RepeatedType {
            REPEATED_TYPE_UNKNOWN = 0;
            LEGACY = 1;
            PROXY = 2;
          }
          optional RepeatedType repeated_type = 4 [
            retention = RETENTION_RUNTIME,
            targets = TARGET_TYPE_FIELD,
            targets = TARGET_TYPE_FILE,
            feature_support = {
              edition_introduced: EDITION_UNSTABLE,
            },
            edition_defaults = { edition: EDITION_LEGACY, value: "LEGACY" }
          ];
        }
        """#

    static let goFeatures = #"""
        syntax = "proto2";
        package pb;
        import "google/protobuf/descriptor.proto";
        option go_package = "google.golang.org/protobuf/types/gofeaturespb";
        extend google.protobuf.FeatureSet {
          optional GoFeatures go = 1002;
        }
        message GoFeatures {
          optional bool legacy_unmarshal_json_enum = 1 [
            retention = RETENTION_RUNTIME,
            targets = TARGET_TYPE_ENUM,
            targets = TARGET_TYPE_FILE,
            feature_support = {
              edition_introduced: EDITION_2023,
              edition_deprecated: EDITION_2023,
              deprecation_warning: "The legacy UnmarshalJSON API is deprecated and "
                                   "will be removed in a future edition.",
            },
            edition_defaults = { edition: EDITION_LEGACY, value: "true" },
            edition_defaults = { edition: EDITION_PROTO3, value: "false" }
          ];
          enum APILevel {
            API_LEVEL_UNSPECIFIED = 0;
            API_OPEN = 1;
            API_HYBRID = 2;
            API_OPAQUE = 3;
          }
          optional APILevel api_level = 2 [
            retention = RETENTION_RUNTIME,
            targets = TARGET_TYPE_MESSAGE,
            targets = TARGET_TYPE_FILE,
            feature_support = {
              edition_introduced: EDITION_2023,
            },
            edition_defaults = {
              edition: EDITION_LEGACY,
              value: "API_LEVEL_UNSPECIFIED"
            },
            edition_defaults = { edition: EDITION_2024, value: "API_OPAQUE" }
          ];
          enum StripEnumPrefix {
            STRIP_ENUM_PREFIX_UNSPECIFIED = 0;
            STRIP_ENUM_PREFIX_KEEP = 1;
            STRIP_ENUM_PREFIX_GENERATE_BOTH = 2;
            STRIP_ENUM_PREFIX_STRIP = 3;
          }
          optional StripEnumPrefix strip_enum_prefix = 3 [
            retention = RETENTION_RUNTIME,
            targets = TARGET_TYPE_ENUM,
            targets = TARGET_TYPE_ENUM_ENTRY,
            targets = TARGET_TYPE_FILE,
            feature_support = {
              edition_introduced: EDITION_2024,
            },
            edition_defaults = {
              edition: EDITION_LEGACY,
              value: "STRIP_ENUM_PREFIX_KEEP"
            }
          ];
          message OptimizeModeFeature {
            enum OptimizeMode {
              OPTIMIZE_MODE_UNSPECIFIED = 0;
              SPEED = 1;
              CODE_SIZE = 2;
            }
          }
          optional OptimizeModeFeature.OptimizeMode optimize_mode = 4 [
            retention = RETENTION_RUNTIME,
            targets = TARGET_TYPE_MESSAGE,
            targets = TARGET_TYPE_FILE,
            feature_support = {
              edition_introduced: EDITION_2024,
            },
            edition_defaults = {
              edition: EDITION_LEGACY,
              value: "OPTIMIZE_MODE_UNSPECIFIED"
            }
          ];
        }
        """#

    static let javaFeatures = #"""
        syntax = "proto2";
        package pb;
        import "google/protobuf/descriptor.proto";
        option java_package = "com.google.protobuf";
        option java_outer_classname = "JavaFeaturesProto";
        extend google.protobuf.FeatureSet {
          optional JavaFeatures java = 1001;
        }
        message JavaFeatures {
          optional bool legacy_closed_enum = 1 [
            retention = RETENTION_RUNTIME,
            targets = TARGET_TYPE_FIELD,
            targets = TARGET_TYPE_FILE,
            feature_support = {
              edition_introduced: EDITION_2023,
              edition_deprecated: EDITION_2023,
              deprecation_warning: "The legacy closed enum behavior in Java is "
                                   "deprecated and is scheduled to be removed in "
                                   "edition 2025.  See http://protobuf.dev/programming-guides/enum/#java for "
                                   "more information.",
            },
            edition_defaults = { edition: EDITION_LEGACY, value: "true" },
            edition_defaults = { edition: EDITION_PROTO3, value: "false" }
          ];
          enum Utf8Validation {
            UTF8_VALIDATION_UNKNOWN = 0;
            DEFAULT = 1;
            VERIFY = 2;
          }
          optional Utf8Validation utf8_validation = 2 [
            retention = RETENTION_RUNTIME,
            targets = TARGET_TYPE_FIELD,
            targets = TARGET_TYPE_FILE,
            feature_support = {
              edition_introduced: EDITION_2023,
              edition_deprecated: EDITION_2024,
              deprecation_warning: "The Java-specific utf8 validation feature is "
                                   "deprecated and is scheduled to be removed in "
                                   "edition 2025.  Utf8 validation behavior should "
                                   "use the global cross-language utf8_validation "
                                   "feature.",
            },
            edition_defaults = { edition: EDITION_LEGACY, value: "DEFAULT" }
          ];
          optional bool large_enum = 3 [
            retention = RETENTION_RUNTIME,
            targets = TARGET_TYPE_ENUM,
            targets = TARGET_TYPE_FILE,
            feature_support = {
              edition_introduced: EDITION_2024,
            },
            edition_defaults = { edition: EDITION_LEGACY, value: "false" }
          ];
          optional bool use_old_outer_classname_default = 4 [
            retention = RETENTION_RUNTIME,
            targets = TARGET_TYPE_FILE,
            feature_support = {
              edition_introduced: EDITION_2024,
              edition_removed: EDITION_2024,
            },
            edition_defaults = { edition: EDITION_LEGACY, value: "true" },
            edition_defaults = { edition: EDITION_2024, value: "false" }
          ];
          message NestInFileClassFeature {
            enum NestInFileClass {
              NEST_IN_FILE_CLASS_UNKNOWN = 0;
              NO = 1;
              YES = 2;
              LEGACY = 3 [feature_support = {
                edition_introduced: EDITION_2024
                edition_removed: EDITION_2024
              }];
            }
            reserved 1 to max;
          }
          optional NestInFileClassFeature.NestInFileClass nest_in_file_class = 5 [
            retention = RETENTION_RUNTIME,
            targets = TARGET_TYPE_MESSAGE,
            targets = TARGET_TYPE_ENUM,
            targets = TARGET_TYPE_SERVICE,
            feature_support = {
              edition_introduced: EDITION_2024,
            },
            edition_defaults = { edition: EDITION_LEGACY, value: "LEGACY" },
            edition_defaults = { edition: EDITION_2024, value: "NO" }
          ];
          reserved 6;
        }
        """#
}
