import SwiftletTransport
import Testing

@testable import SwiftletCore

@Suite("The headers of a request")
struct RequestHeadTests {
    private static func fields(_ list: HeaderList) -> [String] {
        list.fields.map { "\(list.name(of: $0)): \(list.value(of: $0))" }
    }

    @Test("have the order of the specification", arguments: [nil, "proto"])
    func prepared(subtype: String?) {
        func prepared(_ compression: CompressionAlgorithm) -> [String] {
            Self.fields(
                RequestHead.commonFields(
                    path: "/a.B/C", contentSubtype: subtype, compression: compression,
                    authority: "there", scheme: "https", userAgent: "test/1"))
        }
        let type = subtype.map { "application/grpc+\($0)" } ?? "application/grpc"
        let fields = [
            ":method: POST", ":scheme: https", ":path: /a.B/C", ":authority: there",
            "te: trailers", "content-type: \(type)", "user-agent: test/1",
            "grpc-accept-encoding: \(CompressionAlgorithm.accepted)",
        ]
        #expect(prepared(.identity) == fields)
        #expect(prepared(.gzip) == fields + ["grpc-encoding: gzip"])
    }

    @Test("contain metadata as text and as base64, after the remaining time")
    func metadata() {
        var metadata: Metadata = ["x": "y"]
        metadata.append(bytes: [1, 2], for: "z-bin")
        #expect(
            Self.fields(RequestHead.fields(metadata, deadline: .never)) == ["x: y", "z-bin: AQI"])
        let fields = Self.fields(RequestHead.fields(metadata, deadline: .after(.seconds(600))))
        #expect(fields.count == 3)
        #expect(fields.first?.hasPrefix("grpc-timeout: ") == true)
    }
}
