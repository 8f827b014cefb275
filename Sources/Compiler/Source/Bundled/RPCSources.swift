// The status of calls.
extension BundledProtos {
    static let status = #"""
        syntax = "proto3";
        package google.rpc;
        import "google/protobuf/any.proto";
        option go_package = "google.golang.org/genproto/googleapis/rpc/status;status";
        option java_multiple_files = true;
        option java_outer_classname = "StatusProto";
        option java_package = "com.google.rpc";
        option objc_class_prefix = "RPC";
        message Status {
          int32 code = 1;
          string message = 2;
          repeated google.protobuf.Any details = 3;
        }
        """#

    static let code = #"""
        syntax = "proto3";
        package google.rpc;
        option go_package = "google.golang.org/genproto/googleapis/rpc/code;code";
        option java_multiple_files = true;
        option java_outer_classname = "CodeProto";
        option java_package = "com.google.rpc";
        option objc_class_prefix = "RPC";
        enum Code {
          OK = 0;
          CANCELLED = 1;
          UNKNOWN = 2;
          INVALID_ARGUMENT = 3;
          DEADLINE_EXCEEDED = 4;
          NOT_FOUND = 5;
          ALREADY_EXISTS = 6;
          PERMISSION_DENIED = 7;
          UNAUTHENTICATED = 16;
          RESOURCE_EXHAUSTED = 8;
          FAILED_PRECONDITION = 9;
          ABORTED = 10;
          OUT_OF_RANGE = 11;
          UNIMPLEMENTED = 12;
          INTERNAL = 13;
          UNAVAILABLE = 14;
          DATA_LOSS = 15;
        }
        """#

    static let errorDetails = #"""
        syntax = "proto3";
        package google.rpc;
        import "google/protobuf/duration.proto";
        option go_package = "google.golang.org/genproto/googleapis/rpc/errdetails;errdetails";
        option java_multiple_files = true;
        option java_outer_classname = "ErrorDetailsProto";
        option java_package = "com.google.rpc";
        option objc_class_prefix = "RPC";
        message ErrorInfo {
          string reason = 1;
          string domain = 2;
          map<string, string> metadata = 3;
        }
        message RetryInfo {
          google.protobuf.Duration retry_delay = 1;
        }
        message DebugInfo {
          repeated string stack_entries = 1;
          string detail = 2;
        }
        message QuotaFailure {
          message Violation {
            string subject = 1;
            string description = 2;
            string api_service = 3;
            string quota_metric = 4;
            string quota_id = 5;
            map<string, string> quota_dimensions = 6;
            int64 quota_value = 7;
            optional int64 future_quota_value = 8;
          }
          repeated Violation violations = 1;
        }
        message PreconditionFailure {
          message Violation {
            string type = 1;
            string subject = 2;
            string description = 3;
          }
          repeated Violation violations = 1;
        }
        message BadRequest {
          message FieldViolation {
            string field = 1;
            string description = 2;
            string reason = 3;
            LocalizedMessage localized_message = 4;
          }
          repeated FieldViolation field_violations = 1;
        }
        message RequestInfo {
          string request_id = 1;
          string serving_data = 2;
        }
        message ResourceInfo {
          string resource_type = 1;
          string resource_name = 2;
          string owner = 3;
          string description = 4;
        }
        message Help {
          message Link {
            string description = 1;
            string url = 2;
          }
          repeated Link links = 1;
        }
        message LocalizedMessage {
          string locale = 1;
          string message = 2;
        }
        """#
}
