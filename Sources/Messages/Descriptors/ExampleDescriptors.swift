extension Google.Protobuf.FileDescriptorProto {
    /// `helloworld.proto`
    public static let helloworld = Self(
        literal: """
            syntax = "proto3";
            package helloworld;
            service Greeter {
              rpc SayHello(HelloRequest) returns (HelloReply);
              rpc SayHelloStreamReply(HelloRequest) returns (stream HelloReply);
              rpc SayHelloBidiStream(stream HelloRequest) returns (stream HelloReply);
            }
            message HelloRequest {
              string name = 1;
            }
            message HelloReply {
              string message = 1;
            }
            """,
        name: "helloworld.proto")

    /// `routeguide.proto`
    public static let routeguide = Self(
        literal: """
            syntax = "proto3";
            package routeguide;
            service RouteGuide {
              rpc GetFeature(Point) returns (Feature);
              rpc ListFeatures(Rectangle) returns (stream Feature);
              rpc RecordRoute(stream Point) returns (RouteSummary);
              rpc RouteChat(stream RouteNote) returns (stream RouteNote);
            }
            message Point {
              int32 latitude = 1;
              int32 longitude = 2;
            }
            message Rectangle {
              Point lo = 1;
              Point hi = 2;
            }
            message Feature {
              string name = 1;
              Point location = 2;
            }
            message RouteNote {
              Point location = 1;
              string message = 2;
            }
            message RouteSummary {
              int32 point_count = 1;
              int32 feature_count = 2;
              int32 distance = 3;
              int32 elapsed_time = 4;
            }
            """,
        name: "routeguide.proto")

    /// `grpc/health/v1/health.proto`
    public static let health = Self(
        literal: """
            syntax = "proto3";
            package grpc.health.v1;
            message HealthCheckRequest {
              string service = 1;
            }
            message HealthCheckResponse {
              enum ServingStatus {
                UNKNOWN = 0;
                SERVING = 1;
                NOT_SERVING = 2;
                SERVICE_UNKNOWN = 3;
              }
              ServingStatus status = 1;
            }
            message HealthListRequest {}
            message HealthListResponse {
              map<string, HealthCheckResponse> statuses = 1;
            }
            service Health {
              rpc Check(HealthCheckRequest) returns (HealthCheckResponse);
              rpc List(HealthListRequest) returns (HealthListResponse);
              rpc Watch(HealthCheckRequest) returns (stream HealthCheckResponse);
            }
            """,
        name: "grpc/health/v1/health.proto")

    /// `grpc/reflection/v1/reflection.proto`
    public static let reflection = Self(
        literal: """
            syntax = "proto3";
            package grpc.reflection.v1;
            service ServerReflection {
              rpc ServerReflectionInfo(stream ServerReflectionRequest) returns (stream ServerReflectionResponse);
            }
            message ServerReflectionRequest {
              string host = 1;
              oneof message_request {
                string file_by_filename = 3;
                string file_containing_symbol = 4;
                ExtensionRequest file_containing_extension = 5;
                string all_extension_numbers_of_type = 6;
                string list_services = 7;
              }
            }
            message ExtensionRequest {
              string containing_type = 1;
              int32 extension_number = 2;
            }
            message ServerReflectionResponse {
              string valid_host = 1;
              ServerReflectionRequest original_request = 2;
              oneof message_response {
                FileDescriptorResponse file_descriptor_response = 4;
                ExtensionNumberResponse all_extension_numbers_response = 5;
                ListServiceResponse list_services_response = 6;
                ErrorResponse error_response = 7;
              }
            }
            message FileDescriptorResponse {
              repeated bytes file_descriptor_proto = 1;
            }
            message ExtensionNumberResponse {
              string base_type_name = 1;
              repeated int32 extension_number = 2;
            }
            message ListServiceResponse {
              repeated ServiceResponse service = 1;
            }
            message ServiceResponse {
              string name = 1;
            }
            message ErrorResponse {
              int32 error_code = 1;
              string error_message = 2;
            }
            """,
        name: "grpc/reflection/v1/reflection.proto")
}
