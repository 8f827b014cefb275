import SwiftletTransport
import Testing

@testable import SwiftletCore

@Suite("The headers of a response")
struct ResponseHeadTests {
    private static func list(_ fields: [(String, String)]) -> HeaderList {
        var list = HeaderList()
        for (name, value) in fields { list.append(name, value) }
        return list
    }

    private static let ordinary = [(":status", "200"), ("content-type", "application/grpc")]

    private static func refusal(_ fields: [(String, String)]) -> RPCError? {
        do throws(RPCError) {
            _ = try ResponseHead.initial(list(fields))
            return nil
        } catch {
            return error
        }
    }

    @Test("contain the application's metadata, and no fields of the protocol")
    func metadata() throws {
        let fields = [
            ("grpc-accept-encoding", "gzip"), ("x-text", " a b\t"), ("x-data-bin", "AQI,, AwQ="),
            ("x-text", "c"),
        ]
        let head = try ResponseHead.initial(Self.list(Self.ordinary + fields))
        #expect(head.httpStatus == 200 && head.encoding == .identity)
        let metadata = head.metadata
        #expect(
            metadata.map(\.name) == [
                "x-text", "x-data-bin", "x-data-bin", "x-data-bin", "x-text",
            ])
        #expect(metadata[all: "x-text"] == [.text("a b"), .text("c")])
        #expect(metadata[all: "x-data-bin"] == [.bytes([1, 2]), .bytes([]), .bytes([3, 4])])
    }

    @Test(
        "are gRPC or not, by their content type",
        arguments: [
            ("application/grpc", true), ("application/grpc+proto", true),
            ("application/grpc;charset=utf-8", true), ("application/grpc x", true),
            ("application/grpc-web", false), ("application/grp", false), ("text/html", false),
            ("", false),
        ])
    func contentType(type: String, isGRPC: Bool) {
        #expect(ResponseHead.isGRPC(contentType: type) == isGRPC)
        let error = Self.refusal([(":status", "200"), ("content-type", type), ("retry", "9")])
        #expect((error == nil) == isGRPC)
        guard let error else { return }
        #expect(error.code == .unknown)
        #expect(error.phase == .server && error.origin == .client)
        #expect(error.initialMetadata["retry"] == "9")
    }

    @Test("are refused for their HTTP status, whatever their content type")
    func httpStatus() {
        let error = Self.refusal([(":status", "503"), ("content-type", "application/grpc")])
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("HTTP 503") == true)
        #expect(error?.origin == .server)
    }

    @Test("are refused when they announce a compression that cannot be read here")
    func compression() throws {
        try #require(CompressionAlgorithm.supported.contains(.gzip), "zlib is not on this machine")
        for (name, algorithm) in [("identity", CompressionAlgorithm.identity), ("gzip", .gzip)] {
            let list = Self.list(Self.ordinary + [("grpc-encoding", name)])
            #expect(try ResponseHead.initial(list).encoding == algorithm)
        }
        let error = Self.refusal(Self.ordinary + [("grpc-encoding", "sparkle"), ("x", "y")])
        #expect(error?.code == .internal)
        #expect(error?.initialMetadata["x"] == "y")
    }

    private static func end(_ fields: [(String, String)]) -> ResponseEnd {
        ResponseHead.trailers(list(fields), httpStatus: 200)
    }

    @Test(
        "give the status at the end",
        arguments: [
            ("0", nil), ("00", nil), ("1", .cancelled), ("14", .unavailable),
            ("16", .unauthenticated),
            ("17", .unknown), ("-1", .unknown), ("+5", .unknown), ("", .unknown), ("x", .unknown),
        ] as [(String, StatusCode?)])
    func status(text: String, code: StatusCode?) {
        let end = Self.end([("grpc-status", text), ("x", "y")])
        #expect(end.error?.code == code)
        #expect(end.trailers["x"] == "y")
        #expect(code == nil || end.error?.metadata["x"] == "y")
    }

    @Test("give the message and the details of the status")
    func message() {
        let fields = [
            ("grpc-status", "5"), ("grpc-message", "not%20there"),
            ("grpc-status-details-bin", "AQID"),
        ]
        let error = Self.end(fields).error
        #expect(error?.message == "not there")
        #expect(error?.details == [1, 2, 3])
        #expect(Self.end([("grpc-status", "17")]).error?.message.contains("17") == true)
        #expect(Self.end([("grpc-status", "16")]).error?.message.contains("16") == false)
    }

    @Test("may repeat a status, but not contradict it")
    func repeated() {
        #expect(Self.end([("grpc-status", "5"), ("grpc-status", "5")]).error?.code == .notFound)
        #expect(Self.end([("grpc-status", "0"), ("grpc-status", "5")]).error?.code == .unknown)
    }

    @Test("without a status end the call with UNKNOWN and their metadata")
    func missing() {
        let error = Self.end([("x", "y")]).error
        #expect(error?.code == .unknown)
        #expect(error?.metadata["x"] == "y")
        #expect(error?.phase == .server)
    }
}
