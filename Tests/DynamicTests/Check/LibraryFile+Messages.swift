import SwiftletMessages
import SwiftletServices
import SwiftletWellKnown

// The files whose messages are completely in the library.
extension LibraryFile {
    static let examples = [
        LibraryFile(
            name: "helloworld.proto", package: "helloworld",
            types: ["HelloRequest": HelloRequest.self, "HelloReply": HelloReply.self]),
        LibraryFile(
            name: "routeguide.proto", package: "routeguide",
            types: [
                "Point": RouteGuide.Point.self,
                "Rectangle": RouteGuide.Rectangle.self,
                "Feature": RouteGuide.Feature.self,
                "RouteNote": RouteGuide.RouteNote.self,
                "RouteSummary": RouteGuide.RouteSummary.self,
            ]),
        LibraryFile(
            name: "grpc/testing/empty.proto", package: "grpc.testing",
            types: ["Empty": GRPC.Testing.Empty.self]),
        LibraryFile(
            name: "grpc/testing/messages.proto", package: "grpc.testing",
            types: [
                "BoolValue": GRPC.Testing.BoolValue.self,
                "Payload": GRPC.Testing.Payload.self,
                "EchoStatus": GRPC.Testing.EchoStatus.self,
                "SimpleRequest": GRPC.Testing.SimpleRequest.self,
                "SimpleResponse": GRPC.Testing.SimpleResponse.self,
                "StreamingInputCallRequest": GRPC.Testing.StreamingInputCallRequest.self,
                "StreamingInputCallResponse": GRPC.Testing.StreamingInputCallResponse.self,
                "ResponseParameters": GRPC.Testing.ResponseParameters.self,
                "StreamingOutputCallRequest": GRPC.Testing.StreamingOutputCallRequest.self,
                "StreamingOutputCallResponse": GRPC.Testing.StreamingOutputCallResponse.self,
                "ReconnectParams": GRPC.Testing.ReconnectParams.self,
                "ReconnectInfo": GRPC.Testing.ReconnectInfo.self,
                "TestOrcaReport": GRPC.Testing.TestOrcaReport.self,
            ]),
        LibraryFile(name: "grpc/testing/test.proto", package: "grpc.testing", types: [:]),
        LibraryFile(
            name: "grpc/testing/benchmark_service.proto", package: "grpc.testing", types: [:]),
    ]

    static let standardServices = [
        LibraryFile(
            name: "grpc/health/v1/health.proto", package: "grpc.health.v1",
            types: [
                "HealthCheckRequest": GRPC.Health.HealthCheckRequest.self,
                "HealthCheckResponse": GRPC.Health.HealthCheckResponse.self,
                "HealthListRequest": GRPC.Health.HealthListRequest.self,
                "HealthListResponse": GRPC.Health.HealthListResponse.self,
            ]),
        LibraryFile(
            name: "grpc/reflection/v1/reflection.proto", package: "grpc.reflection.v1",
            types: [
                "ServerReflectionRequest": GRPC.Reflection.ServerReflectionRequest.self,
                "ServerReflectionResponse": GRPC.Reflection.ServerReflectionResponse.self,
                "ExtensionRequest": GRPC.Reflection.ExtensionRequest.self,
                "FileDescriptorResponse": GRPC.Reflection.FileDescriptorResponse.self,
                "ExtensionNumberResponse": GRPC.Reflection.ExtensionNumberResponse.self,
                "ListServiceResponse": GRPC.Reflection.ListServiceResponse.self,
                "ServiceResponse": GRPC.Reflection.ServiceResponse.self,
                "ErrorResponse": GRPC.Reflection.ErrorResponse.self,
            ]),
    ]

    static let wellKnown = [
        LibraryFile(
            name: "google/protobuf/any.proto", package: "google.protobuf",
            types: ["Any": Google.Protobuf.AnyMessage.self]),
        LibraryFile(
            name: "google/protobuf/duration.proto", package: "google.protobuf",
            types: ["Duration": Google.Protobuf.Duration.self]),
        LibraryFile(
            name: "google/protobuf/empty.proto", package: "google.protobuf",
            types: ["Empty": Google.Protobuf.Empty.self]),
        LibraryFile(
            name: "google/protobuf/field_mask.proto", package: "google.protobuf",
            types: ["FieldMask": Google.Protobuf.FieldMask.self]),
        LibraryFile(
            name: "google/protobuf/struct.proto", package: "google.protobuf",
            types: [
                "Struct": Google.Protobuf.Struct.self,
                "Value": Google.Protobuf.Value.self,
                "ListValue": Google.Protobuf.ListValue.self,
            ]),
        LibraryFile(
            name: "google/protobuf/timestamp.proto", package: "google.protobuf",
            types: ["Timestamp": Google.Protobuf.Timestamp.self]),
        LibraryFile(
            name: "google/protobuf/wrappers.proto", package: "google.protobuf",
            types: [
                "DoubleValue": Google.Protobuf.DoubleValue.self,
                "FloatValue": Google.Protobuf.FloatValue.self,
                "Int64Value": Google.Protobuf.Int64Value.self,
                "UInt64Value": Google.Protobuf.UInt64Value.self,
                "Int32Value": Google.Protobuf.Int32Value.self,
                "UInt32Value": Google.Protobuf.UInt32Value.self,
                "BoolValue": Google.Protobuf.BoolValue.self,
                "StringValue": Google.Protobuf.StringValue.self,
                "BytesValue": Google.Protobuf.BytesValue.self,
            ]),
        // Descriptions of services and types. No call uses them.
        LibraryFile(
            name: "google/protobuf/api.proto", package: "google.protobuf", types: [:],
            absent: ["Api", "Method", "Mixin"]),
        LibraryFile(
            name: "google/protobuf/source_context.proto", package: "google.protobuf", types: [:],
            absent: ["SourceContext"]),
        LibraryFile(
            name: "google/protobuf/type.proto", package: "google.protobuf", types: [:],
            absent: ["Type", "Field", "Enum", "EnumValue", "Option"]),
    ]

    static let statuses = [
        LibraryFile(
            name: "google/rpc/status.proto", package: "google.rpc",
            types: ["Status": Google.RPC.Status.self]),
        LibraryFile(
            name: "google/rpc/error_details.proto", package: "google.rpc",
            types: [
                "ErrorInfo": Google.RPC.ErrorInfo.self,
                "RetryInfo": Google.RPC.RetryInfo.self,
                "DebugInfo": Google.RPC.DebugInfo.self,
                "QuotaFailure": Google.RPC.QuotaFailure.self,
                "QuotaFailure.Violation": Google.RPC.QuotaFailure.Violation.self,
                "PreconditionFailure": Google.RPC.PreconditionFailure.self,
                "PreconditionFailure.Violation": Google.RPC.PreconditionFailure.Violation.self,
                "BadRequest": Google.RPC.BadRequest.self,
                "BadRequest.FieldViolation": Google.RPC.BadRequest.FieldViolation.self,
                "RequestInfo": Google.RPC.RequestInfo.self,
                "ResourceInfo": Google.RPC.ResourceInfo.self,
                "Help": Google.RPC.Help.self,
                "Help.Link": Google.RPC.Help.Link.self,
                "LocalizedMessage": Google.RPC.LocalizedMessage.self,
            ]),
    ]
}
