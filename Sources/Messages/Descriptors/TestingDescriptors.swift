extension Google.Protobuf.FileDescriptorProto {
    /// `grpc/testing/empty.proto`
    public static let testingEmpty = Self(
        literal: """
            syntax = "proto3";
            package grpc.testing;
            message Empty {}
            """,
        name: "grpc/testing/empty.proto")

    /// `grpc/testing/messages.proto`
    public static let testingMessages = Self(
        literal: """
            syntax = "proto3";
            package grpc.testing;
            message BoolValue {
              bool value = 1;
            }
            enum PayloadType {
              COMPRESSABLE = 0;
            }
            message Payload {
              PayloadType type = 1;
              bytes body = 2;
            }
            message EchoStatus {
              int32 code = 1;
              string message = 2;
            }
            enum GrpclbRouteType {
              GRPCLB_ROUTE_TYPE_UNKNOWN = 0;
              GRPCLB_ROUTE_TYPE_FALLBACK = 1;
              GRPCLB_ROUTE_TYPE_BACKEND = 2;
            }
            message SimpleRequest {
              PayloadType response_type = 1;
              int32 response_size = 2;
              Payload payload = 3;
              bool fill_username = 4;
              bool fill_oauth_scope = 5;
              BoolValue response_compressed = 6;
              EchoStatus response_status = 7;
              BoolValue expect_compressed = 8;
              bool fill_server_id = 9;
              bool fill_grpclb_route_type = 10;
              TestOrcaReport orca_per_query_report = 11;
            }
            message SimpleResponse {
              Payload payload = 1;
              string username = 2;
              string oauth_scope = 3;
              string server_id = 4;
              GrpclbRouteType grpclb_route_type = 5;
              string hostname = 6;
            }
            message StreamingInputCallRequest {
              Payload payload = 1;
              BoolValue expect_compressed = 2;
            }
            message StreamingInputCallResponse {
              int32 aggregated_payload_size = 1;
            }
            message ResponseParameters {
              int32 size = 1;
              int32 interval_us = 2;
              BoolValue compressed = 3;
            }
            message StreamingOutputCallRequest {
              PayloadType response_type = 1;
              repeated ResponseParameters response_parameters = 2;
              Payload payload = 3;
              EchoStatus response_status = 7;
              TestOrcaReport orca_oob_report = 8;
            }
            message StreamingOutputCallResponse {
              Payload payload = 1;
            }
            message ReconnectParams {
              int32 max_reconnect_backoff_ms = 1;
            }
            message ReconnectInfo {
              bool passed = 1;
              repeated int32 backoff_ms = 2;
            }
            message TestOrcaReport {
              double cpu_utilization = 1;
              double memory_utilization = 2;
              map<string, double> request_cost = 3;
              map<string, double> utilization = 4;
            }
            """,
        name: "grpc/testing/messages.proto")

    /// `grpc/testing/test.proto`
    public static let testing = Self(
        literal: """
            syntax = "proto3";
            package grpc.testing;
            import "grpc/testing/empty.proto";
            import "grpc/testing/messages.proto";
            service TestService {
              rpc EmptyCall(Empty) returns (Empty);
              rpc UnaryCall(SimpleRequest) returns (SimpleResponse);
              rpc CacheableUnaryCall(SimpleRequest) returns (SimpleResponse);
              rpc StreamingOutputCall(StreamingOutputCallRequest) returns (stream StreamingOutputCallResponse);
              rpc StreamingInputCall(stream StreamingInputCallRequest) returns (StreamingInputCallResponse);
              rpc FullDuplexCall(stream StreamingOutputCallRequest) returns (stream StreamingOutputCallResponse);
              rpc HalfDuplexCall(stream StreamingOutputCallRequest) returns (stream StreamingOutputCallResponse);
              rpc UnimplementedCall(Empty) returns (Empty);
            }
            service UnimplementedService {
              rpc UnimplementedCall(Empty) returns (Empty);
            }
            service ReconnectService {
              rpc Start(ReconnectParams) returns (Empty);
              rpc Stop(Empty) returns (ReconnectInfo);
            }
            """,
        name: "grpc/testing/test.proto", imports: [testingEmpty, testingMessages])

    /// `grpc/testing/benchmark_service.proto`
    public static let testingBenchmark = Self(
        literal: """
            syntax = "proto3";
            package grpc.testing;
            import "grpc/testing/messages.proto";
            service BenchmarkService {
              rpc UnaryCall(SimpleRequest) returns (SimpleResponse);
              rpc StreamingCall(stream SimpleRequest) returns (stream SimpleResponse);
              rpc StreamingFromClient(stream SimpleRequest) returns (SimpleResponse);
              rpc StreamingFromServer(SimpleRequest) returns (stream SimpleResponse);
              rpc StreamingBothWays(stream SimpleRequest) returns (stream SimpleResponse);
            }
            """,
        name: "grpc/testing/benchmark_service.proto", imports: [testingMessages])
}
