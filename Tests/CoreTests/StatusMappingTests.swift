import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("The status of a call that failed below gRPC")
struct StatusMappingTests {
    @Test(
        "follows from the HTTP status of an answer without grpc-status",
        arguments: [
            (400, .internal), (401, .unauthenticated), (403, .permissionDenied),
            (404, .unimplemented), (429, .unavailable), (502, .unavailable),
            (503, .unavailable), (504, .unavailable), (200, .unknown), (302, .unknown),
            (405, .unknown), (500, .unknown), (501, .unknown), (505, .unknown),
        ] as [(Int, StatusCode)])
    func httpStatus(status: Int, code: StatusCode) {
        #expect(StatusMapping.code(forHTTPStatus: status) == code)
    }

    @Test(
        "follows from the error code of a reset",
        arguments: [
            (.noError, .internal), (.protocolError, .internal), (.internalError, .internal),
            (.flowControlError, .internal), (.settingsTimeout, .internal),
            (.streamClosed, .internal), (.frameSizeError, .internal),
            (.refusedStream, .unavailable), (.cancel, .cancelled),
            (.compressionError, .internal), (.connectError, .internal),
            (.enhanceYourCalm, .resourceExhausted), (.inadequateSecurity, .permissionDenied),
            (.http11Required, .internal),
        ] as [(ErrorCode, StatusCode)])
    func reset(reset: ErrorCode, code: StatusCode) {
        let error = StatusMapping.error(forReset: reset, peer: "there")
        #expect(error.code == code)
        #expect(error.origin == .server)
        #expect(error.peer == "there")
        // Only a refused stream was certainly not processed (RFC 9113 §8.7).
        #expect(error.mayHaveBeenExecuted == (reset != .refusedStream))
    }

    @Test(
        "is DEADLINE_EXCEEDED for CANCELLED after the deadline, without the trailers",
        arguments: [
            (.cancelled, Duration.milliseconds(20), .deadlineExceeded),
            (.cancelled, .seconds(3_600), .cancelled),
            (.unavailable, .milliseconds(20), .unavailable),
        ] as [(StatusCode, Duration, StatusCode)])
    func late(code: StatusCode, left: Duration, expected: StatusCode) async throws {
        let trial = try CallTrial(nil, timeout: .seconds(3_600))
        let observer = CallTrial.Observer()
        let method = MethodSignature(path: "/a.B/C", shape: .bidirectional, contentSubtype: nil)
        let call = CallCore(
            CallHead(method, CallOptions(), MessageLimits()), deadline: .after(left),
            backend: trial.backend, observer: observer)
        call.write(EncodedMessage(prefixing: []), andFinish: true)
        call.start()
        let request = try call.takenRequest()
        _ = call.attach(
            to: ResendTests.Carrier(), StreamHandle(slot: 0, generation: 0),
            ConnectionRecord(peer: "there", ConnectionTimes(begun: .now)),
            attempt: request.attempt)
        // The test does not turn the queue. Therefore no timer fires.
        if left < .seconds(1) { try await Task.sleep(for: left) }
        let trailers: Metadata = ["x": "1"]
        call.receive(
            CallArrival(end: ResponseEnd(error: RPCError(code, "gone"), trailers: trailers)),
            at: .now)
        let end = try #require(observer.ends.withLock { $0.first })
        #expect(end.error?.code == expected)
        #expect(end.trailers == (code == expected ? trailers : [:]))
    }

    @Test("is RESOURCE_EXHAUSTED for a server that floods, and INTERNAL for any other broken rule")
    func brokenRule() {
        func error(_ code: ErrorCode) -> RPCError {
            StatusMapping.error(for: HTTP2Error.connection(code, "too much"), peer: "there")
        }
        #expect(error(.enhanceYourCalm).code == .resourceExhausted)
        #expect(error(.protocolError).code == .internal)
        #expect(error(.protocolError).peer == "there")
    }

    @Test("is RESOURCE_EXHAUSTED for headers above the server's limit, which are not sent")
    func headerListTooLarge() {
        let error = RPCError.headerListTooLarge(16_384, peer: "there")
        #expect(error.code == .resourceExhausted)
        #expect(error.message.contains("16384 bytes"))
        #expect(error.peer == "there")
        #expect(!error.mayHaveBeenExecuted)
    }

    @Test(
        "is UNAVAILABLE for a connection that was lost, with its cause unless the network is lost")
    func lostConnection() {
        func error(isNetworkLoss: Bool) -> RPCError {
            var lost = LinkError(phase: .http2, cause: "reset by peer")
            lost.isNetworkLoss = isNetworkLoss
            lost.goAway = "GOAWAY"
            return StatusMapping.error(forLost: lost, peer: "there")
        }
        #expect(error(isNetworkLoss: false).code == .unavailable)
        #expect(error(isNetworkLoss: false).message.contains("reset by peer"))
        #expect(error(isNetworkLoss: false).phase == .http2)
        #expect(error(isNetworkLoss: false).peer == "there")
        #expect(error(isNetworkLoss: false).causes == ["GOAWAY"])
        #expect(error(isNetworkLoss: true).code == .unavailable)
        #expect(error(isNetworkLoss: true).message == StatusMapping.networkLoss.message)
    }
}
