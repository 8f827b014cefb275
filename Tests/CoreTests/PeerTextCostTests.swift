import SwiftletHTTP1
import SwiftletJSON
import SwiftletTransport
import TestSupport
import Testing

@testable import SwiftletBalancing
@testable import SwiftletCore

/// Text of the same size costs the same, whatever a peer puts into it. Compared by the processor time of one thread:
/// quadratic cost would be hundreds of times that of honest text.
@Suite("Text of a peer costs as much as its size", .serialized, .timeLimit(.minutes(5)))
struct PeerTextCostTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let work: @Sendable (String) -> Void

        init(_ name: String, _ work: @escaping @Sendable (String) -> Void) {
            testDescription = name
            self.work = work
        }
    }

    private static func list(_ fields: [(String, String)]) -> HeaderList {
        var list = HeaderList()
        for (name, value) in fields { list.append(name, value) }
        return list
    }

    private static func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        var count = bytes.count
        while count >= 0x80 {
            length.append(UInt8(count & 0x7f) | 0x80)
            count >>= 7
        }
        return [number << 3 | 2] + length + [UInt8(count)] + bytes
    }

    static let rows = [
        Row("grpc-encoding") { text in
            let head = list([
                (":status", "200"), ("content-type", "application/grpc"), ("grpc-encoding", text),
            ])
            if (try? ResponseHead.initial(head)) != nil { fatalError("accepted") }
        },
        Row("content-type") { text in
            _ = try? ResponseHead.initial(list([(":status", "200"), ("content-type", text)]))
        },
        Row("the name of an algorithm") { text in
            precondition(CompressionAlgorithm(name: text) != .gzip)
        },
        Row("grpc-status and grpc-message") { text in
            let end = ResponseHead.trailers(
                list([("grpc-status", "7"), ("grpc-message", text)]), httpStatus: 200)
            precondition(end.error?.message != "abc")
            let other = ResponseHead.trailers(list([("grpc-status", text)]), httpStatus: 200)
            precondition(other.error?.code == .unknown)
        },
        Row("the labels of endpoints") { text in
            let labels = BackendLabels(service: text, locality: text)
            let other = BackendLabels(service: text, locality: text)
            precondition(labels == other && labels.hashValue == other.hashValue)
        },
        Row("metadata, compared with other metadata") { text in
            let head = list([
                (":status", "200"), ("content-type", "application/grpc"), ("x", text), ("x", "b"),
            ])
            guard let metadata = try? ResponseHead.initial(head).metadata else {
                fatalError("refused")
            }
            precondition(metadata != ["x": "b"] && metadata["x"] != "c")
            precondition(Set([metadata, metadata]).count == 1)
        },
        Row("the push-back of a retry") { text in
            var metadata = Metadata()
            metadata.append(received: .text(text), for: RetryPushback.name)
            precondition(RetryPushback(metadata) == .never)
        },
        Row("the names of a load report") { text in
            // Names that differ in their last byte, so that each is hashed and compared.
            let report = (0..<8).flatMap { field(8, field(1, Array("\(text)\($0)".utf8))) }
            precondition(LoadReport(decoding: report) != nil)
        },
        Row("short names of a load report") { text in
            let names = text.unicodeScalars.enumerated().filter { $0.offset % 25 == 0 }.map {
                "x"
                    + String(
                        String.UnicodeScalarView(
                            text.unicodeScalars.dropFirst($0.offset).prefix(25)))
            }
            let report = names.flatMap { field(8, field(1, Array($0.utf8))) }
            precondition(LoadReport(decoding: report) != nil)
        },
        Row("the keys of JSON") { text in
            _ = try? JSONReader.read("{\"\(text)\": 1, \"\(text)\": 2}")
        },
        Row("a text of a service config") { text in
            _ = try? ServiceConfig(json: "{\"loadBalancingPolicy\": \"\(text)\"}")
        },
        Row("a malformed service config") { text in _ = try? JSONReader.read(text) },
        Row("the answer of a proxy") { text in
            guard let proxy = try? ProxyServer("http://proxy:1") else { fatalError("no proxy") }
            let handshake = ProxyHandshake(proxy: proxy, host: "a", port: 1)
            _ = try? handshake.isInformational(Array("\(text) 200\r\n\r\n".utf8))
        },
        Row("the fields of HTTP/1.1") { text in
            for name in ["connection", "expect", "transfer-encoding", "content-length", "x"] {
                var connection = HTTP1.ClientConnection(HTTP1Limits())
                guard
                    (try? connection.begin(
                        list([
                            (":method", "GET"), (":scheme", "http"), (":path", "/"),
                            (":authority", "a"),
                        ]), .none)) != nil
                else { fatalError("not sent") }
                var offset = 0
                _ = try? connection.receive(
                    ContiguousArray("HTTP/1.1 200 OK\r\n\(name): \(text)\r\n\r\n".utf8).span,
                    at: &offset)
            }
        },
    ]

    @Test("in every place that reads it", arguments: rows)
    func cost(_ row: Row) {
        let ratio = CostlyText.ratio(of: row.work)
        #expect(ratio < CostlyText.maxRatio, "\(ratio) times the cost of honest text")
    }
}
