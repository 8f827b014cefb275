// The most used options of `google.api`, and its HTTP body.
extension BundledProtos {
    static let annotations = #"""
        syntax = "proto3";
        package google.api;
        import "google/api/http.proto";
        import "google/protobuf/descriptor.proto";
        option go_package = "google.golang.org/genproto/googleapis/api/annotations;annotations";
        option java_multiple_files = true;
        option java_outer_classname = "AnnotationsProto";
        option java_package = "com.google.api";
        option objc_class_prefix = "GAPI";
        extend google.protobuf.MethodOptions {
          HttpRule http = 72295728;
        }
        """#

    static let http = #"""
        syntax = "proto3";
        package google.api;
        option go_package = "google.golang.org/genproto/googleapis/api/annotations;annotations";
        option java_multiple_files = true;
        option java_outer_classname = "HttpProto";
        option java_package = "com.google.api";
        option objc_class_prefix = "GAPI";
        message Http {
          repeated HttpRule rules = 1;
          bool fully_decode_reserved_expansion = 2;
        }
        message HttpRule {
          string selector = 1;
          oneof pattern {
            string get = 2;
            string put = 3;
            string post = 4;
            string delete = 5;
            string patch = 6;
            CustomHttpPattern custom = 8;
          }
          string body = 7;
          string response_body = 12;
          repeated HttpRule additional_bindings = 11;
        }
        message CustomHttpPattern {
          string kind = 1;
          string path = 2;
        }
        """#

    static let fieldBehavior = #"""
        syntax = "proto3";
        package google.api;
        import "google/protobuf/descriptor.proto";
        option go_package = "google.golang.org/genproto/googleapis/api/annotations;annotations";
        option java_multiple_files = true;
        option java_outer_classname = "FieldBehaviorProto";
        option java_package = "com.google.api";
        option objc_class_prefix = "GAPI";
        extend google.protobuf.FieldOptions {
          repeated google.api.FieldBehavior field_behavior = 1052;
        }
        enum FieldBehavior {
          FIELD_BEHAVIOR_UNSPECIFIED = 0;
          OPTIONAL = 1;
          REQUIRED = 2;
          OUTPUT_ONLY = 3;
          INPUT_ONLY = 4;
          IMMUTABLE = 5;
          UNORDERED_LIST = 6;
          NON_EMPTY_DEFAULT = 7;
          IDENTIFIER = 8;
        }
        """#

    static let client = #"""
        syntax = "proto3";
        package google.api;
        import "google/api/launch_stage.proto";
        import "google/protobuf/descriptor.proto";
        import "google/protobuf/duration.proto";
        option go_package = "google.golang.org/genproto/googleapis/api/annotations;annotations";
        option java_multiple_files = true;
        option java_outer_classname = "ClientProto";
        option java_package = "com.google.api";
        option objc_class_prefix = "GAPI";
        extend google.protobuf.MethodOptions {
          repeated string method_signature = 1051;
        }
        extend google.protobuf.ServiceOptions {
          string default_host = 1049;
          string oauth_scopes = 1050;
          string api_version = 525000001;
        }
        message CommonLanguageSettings {
          string reference_docs_uri = 1 [deprecated = true];
          repeated ClientLibraryDestination destinations = 2;
          SelectiveGapicGeneration selective_gapic_generation = 3;
        }
        message ClientLibrarySettings {
          string version = 1;
          LaunchStage launch_stage = 2;
          bool rest_numeric_enums = 3;
          JavaSettings java_settings = 21;
          CppSettings cpp_settings = 22;
          PhpSettings php_settings = 23;
          PythonSettings python_settings = 24;
          NodeSettings node_settings = 25;
          DotnetSettings dotnet_settings = 26;
          RubySettings ruby_settings = 27;
          GoSettings go_settings = 28;
        }
        message Publishing {
          repeated MethodSettings method_settings = 2;
          string new_issue_uri = 101;
          string documentation_uri = 102;
          string api_short_name = 103;
          string github_label = 104;
          repeated string codeowner_github_teams = 105;
          string doc_tag_prefix = 106;
          ClientLibraryOrganization organization = 107;
          repeated ClientLibrarySettings library_settings = 109;
          string proto_reference_documentation_uri = 110;
          string rest_reference_documentation_uri = 111;
        }
        message JavaSettings {
          string library_package = 1;
          map<string, string> service_class_names = 2;
          CommonLanguageSettings common = 3;
        }
        message CppSettings {
          CommonLanguageSettings common = 1;
        }
        message PhpSettings {
          CommonLanguageSettings common = 1;
          string library_package = 2;
        }
        message PythonSettings {
          message ExperimentalFeatures {
            bool rest_async_io_enabled = 1;
            bool protobuf_pythonic_types_enabled = 2;
            bool unversioned_package_disabled = 3;
          }
          CommonLanguageSettings common = 1;
          ExperimentalFeatures experimental_features = 2;
        }
        message NodeSettings {
          CommonLanguageSettings common = 1;
        }
        message DotnetSettings {
          CommonLanguageSettings common = 1;
          map<string, string> renamed_services = 2;
          map<string, string> renamed_resources = 3;
          repeated string ignored_resources = 4;
          repeated string forced_namespace_aliases = 5;
          repeated string handwritten_signatures = 6;
        }
        message RubySettings {
          CommonLanguageSettings common = 1;
        }
        message GoSettings {
          CommonLanguageSettings common = 1;
          map<string, string> renamed_services = 2;
        }
        message MethodSettings {
          message LongRunning {
            google.protobuf.Duration initial_poll_delay = 1;
            float poll_delay_multiplier = 2;
            google.protobuf.Duration max_poll_delay = 3;
            google.protobuf.Duration total_poll_timeout = 4;
          }
          string selector = 1;
          LongRunning long_running = 2;
          repeated string auto_populated_fields = 3;
          BatchingConfigProto batching = 4;
        }
        enum ClientLibraryOrganization {
          CLIENT_LIBRARY_ORGANIZATION_UNSPECIFIED = 0;
          CLOUD = 1;
          ADS = 2;
          PHOTOS = 3;
          STREET_VIEW = 4;
          SHOPPING = 5;
          GEO = 6;
          GENERATIVE_AI = 7;
        }
        enum ClientLibraryDestination {
          CLIENT_LIBRARY_DESTINATION_UNSPECIFIED = 0;
          GITHUB = 10;
          PACKAGE_MANAGER = 20;
        }
        message SelectiveGapicGeneration {
          repeated string methods = 1;
          bool generate_omitted_as_internal = 2;
        }
        message BatchingConfigProto {
          BatchingSettingsProto thresholds = 1;
          BatchingDescriptorProto batch_descriptor = 2;
        }
        message BatchingSettingsProto {
          int32 element_count_threshold = 1;
          int64 request_byte_threshold = 2;
          google.protobuf.Duration delay_threshold = 3;
          int32 element_count_limit = 4;
          int32 request_byte_limit = 5;
          int32 flow_control_element_limit = 6;
          int32 flow_control_byte_limit = 7;
          FlowControlLimitExceededBehaviorProto flow_control_limit_exceeded_behavior =
              8;
        }
        enum FlowControlLimitExceededBehaviorProto {
          UNSET_BEHAVIOR = 0;
          THROW_EXCEPTION = 1;
          BLOCK = 2;
          IGNORE = 3;
        }
        message BatchingDescriptorProto {
          string batched_field = 1;
          repeated string discriminator_fields = 2;
          string subresponse_field = 3;
        }
        """#

    static let httpBody = #"""
        syntax = "proto3";
        package google.api;
        import "google/protobuf/any.proto";
        option go_package = "google.golang.org/genproto/googleapis/api/httpbody;httpbody";
        option java_multiple_files = true;
        option java_outer_classname = "HttpBodyProto";
        option java_package = "com.google.api";
        option objc_class_prefix = "GAPI";
        message HttpBody {
          string content_type = 1;
          bytes data = 2;
          repeated google.protobuf.Any extensions = 3;
        }
        """#

    static let launchStage = #"""
        syntax = "proto3";
        package google.api;
        option go_package = "google.golang.org/genproto/googleapis/api;api";
        option java_multiple_files = true;
        option java_outer_classname = "LaunchStageProto";
        option java_package = "com.google.api";
        option objc_class_prefix = "GAPI";
        enum LaunchStage {
          LAUNCH_STAGE_UNSPECIFIED = 0;
          UNIMPLEMENTED = 6;
          PRELAUNCH = 7;
          EARLY_ACCESS = 1;
          ALPHA = 2;
          BETA = 3;
          GA = 4;
          DEPRECATED = 5;
        }
        """#

    static let resource = #"""
        syntax = "proto3";
        package google.api;
        import "google/protobuf/descriptor.proto";
        option go_package = "google.golang.org/genproto/googleapis/api/annotations;annotations";
        option java_multiple_files = true;
        option java_outer_classname = "ResourceProto";
        option java_package = "com.google.api";
        option objc_class_prefix = "GAPI";
        extend google.protobuf.FieldOptions {
          google.api.ResourceReference resource_reference = 1055;
        }
        extend google.protobuf.FileOptions {
          repeated google.api.ResourceDescriptor resource_definition = 1053;
        }
        extend google.protobuf.MessageOptions {
          google.api.ResourceDescriptor resource = 1053;
        }
        message ResourceDescriptor {
          enum History {
            HISTORY_UNSPECIFIED = 0;
            ORIGINALLY_SINGLE_PATTERN = 1;
            FUTURE_MULTI_PATTERN = 2;
          }
          enum Style {
            STYLE_UNSPECIFIED = 0;
            DECLARATIVE_FRIENDLY = 1;
          }
          string type = 1;
          repeated string pattern = 2;
          string name_field = 3;
          History history = 4;
          string plural = 5;
          string singular = 6;
          repeated Style style = 10;
        }
        message ResourceReference {
          string type = 1;
          string child_type = 2;
        }
        """#
}
