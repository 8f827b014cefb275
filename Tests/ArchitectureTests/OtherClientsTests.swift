import Foundation
import Testing

@Suite("The page for users of other clients")
struct OtherClientsTests {
    /// Every name of another client that has a counterpart here.
    private static let names = [
        // gRPC for Objective-C
        "GRPCHost", "hostWithAddress:", "flushChannelCache", "resetAllHostSettings", "disconnect",
        "userAgentPrefix", "hostNameOverride", "responseSizeLimitOverride", "channelCreds",
        "setTLSPEMRootCerts:withPrivateKey:withCertChain:error:", "GRPCChannel",
        "GRPCCompletionQueue", "ProtoService", "GRPCProtoService", "RPCToMethod:requestsWriter:",
        "GRXWriter", "startWithWriteable:", "finishWithError:", "GRXWriterStatePaused",
        "GRXWriteable", "writeValue:", "writesFinishedWithError:", "writeableWithSingleHandler:",
        "writeableWithEventHandler:", "GRXConcurrentWriteable", "enqueueValue:completionHandler:",
        "enqueueSuccessfulCompletion", "cancelWithError:", "cancelSilently", "GRPCCall",
        "requestHeaders", "responseHeaders", "responseTrailers", "kGRPCHeadersKey",
        "kGRPCTrailersKey", "GRPCConnectivityMonitor", "GRPCWrappedCall",
        "startBatchWithOperations:errorHandler:", "GRPCOperation", "GRPCOpSendMetadata",
        "GRPCOpSendMessage", "GRPCOpSendClose", "GRPCOpRecvMetadata", "GRPCOpRecvMessage",
        "GRPCOpRecvStatus", "GRPC_ARG_", "GRPCInterceptorFactory", "GRPCInterceptor",
        "GRPCInterceptorManager", "writeData:", "receiveNextMessages:",
        "didReceiveInitialMetadata:", "didReceiveData:", "didWriteData",
        "didCloseWithTrailingMetadata:error:", "interceptorFactories",
        "kGRPCErrorDomain", "io.grpc", "unmanagedCallWithPath:completionQueue:",
        "secureChannelWithHost:", "insecureChannelWithHost:channelArgs:", "+completionQueue",
        "GRPCInterceptorInterface", "GRPCCall.h",
        // gRPC Swift 1
        "ClientConnection.insecure(group:)", ".usingTLS", "connect(host:port:)",
        "makeEventLoopGroup(loopCount:)", "syncShutdownGracefully()",
        "CallOptions(customMetadata:timeLimit:)", "defaultCallOptions", "UnaryCall",
        "ServerStreamingCall", "ClientStreamingCall", "BidirectionalStreamingCall",
        "EventLoopFuture", "GRPCStatus", "ClientErrorDelegate", "decompressionLimit",
        "TestClient", "FakeChannel", "Visibility", "FileNaming", "KeepMethodCasing",
        "sendMessage(_:initialMetadata:trailingMetadata:status:)", "sendError",
        "import GRPC", "import SwiftGRPC", "Pb_HelloServiceTestClient", "enqueueHelloResponse",
        "Pb_HelloServiceClientProtocol", "makeHelloInterceptors()", "whenSuccess", "flatMapError",
        "whenAllSucceed", "FakeRequestPart", "customMetadata", "callResult?.statusCode",
        // gRPC Swift 2
        "withGRPCClient(transport:)", "runConnections()", "ClientTransport", "ClientRequest",
        "StreamingClientRequest", "ClientResponse", "RPCWriter", "RPCAsyncSequence",
        "ClientInterceptor",
        // gRPC C++
        "grpc::CreateChannel", "CreateCustomChannel", "ChannelArguments::SetInt",
        "ClientContext::set_deadline", "AddMetadata", "CompletionQueue::Next", "AsyncNext",
        "ClientReader", "ClientWriter", "ClientReaderWriter", "grpc_op",
        "grpc_call_start_batch", "experimental::Interceptor", "SslCredentials",
        "GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH", "GRPC_ARG_KEEPALIVE_TIME_MS",
        "GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES", "grpcpp/grpcpp.h",
        // DRDNetworking
        "DRDGeneralAPI", "baseUrl", "customRequestUrl", "rpcDelegate", "DRDRPCProtocol",
        "DRDJsonRpcVersionTwo", "rpcRequestUrlWithAPI:", "rpcRequestParamsWithAPI:",
        "rpcResponseObjReformer:withAPI:", "rpcResultWithFormattedResponse:withAPI:",
        "rpcErrorWithFormattedResponse:withAPI:", "apiAddtionalRPCParams",
        "apiRequestMethodType", "setApiCompletionHandler:", "sessionManagerCache",
        "newSessionManagerWithBaseUrlStr:", "HTTPMaximumConnectionsPerHost", "requestMethod",
        "requestParameters", "sharedJsonRpcVersionTwo", "DRDNetworking.h",
        "maxHttpConnectionPerHost", "frequentRequestErrorStr", "DRDAPIBatchAPIRequests",
    ]

    @Test("has a row for every listed name of another client")
    func rows() throws {
        let page = try String(
            contentsOf: ImportTests.sources.appending(
                path: "Swiftlet/Swiftlet.docc/ComingFromAnotherClient.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") }
            .map { $0.split(separator: "|")[0] }
        for name in Self.names {
            #expect(rows.contains { $0.contains(name) }, "no row for '\(name)'")
        }
    }
}
