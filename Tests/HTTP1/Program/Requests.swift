import Foundation
import Swiftlet
import SwiftletJSONRPC

/// Makes the requests of a JSON file one after the other, and prints the outcome of each as JSON.
enum Requests {
    private struct Request: Decodable {
        var url: String
        var method: String
        var headers: [String: String]
        var body: Data
        /// `http1`, `http2` or `negotiated`.
        var version: String
    }

    private struct Outcome: Encodable {
        var status = 0
        var headers: [[String]] = []
        var body = Data()
        var error = ""
    }

    static func run(_ file: String, authorities: String) async throws {
        let requests = try JSONDecoder().decode(
            [Request].self, from: Data(contentsOf: URL(filePath: file)))
        var channels: [String: Channel] = [:]
        var outcomes: [Outcome] = []
        for request in requests {
            let address = try WebAddress(request.url)
            let key = "\(request.version) \(address.origin)"
            let channel =
                try channels[key]
                ?? Channel(
                    url: address.origin, version: version(request.version),
                    credentials: credentials(address, authorities))
            channels[key] = channel
            outcomes.append(await outcome(of: request, path: address.path, channel))
        }
        print(String(decoding: try JSONEncoder().encode(outcomes), as: UTF8.self))
    }

    private static func outcome(
        of request: Request, path: String, _ channel: Channel
    ) async -> Outcome {
        var outcome = Outcome()
        do throws(RPCError) {
            var options = CallOptions()
            options.timeout = .seconds(30)
            options.maxReceiveByteCount = 64 << 20
            for (name, value) in request.headers { try options.metadata.add(value, for: name) }
            let answer = try await channel.request(
                HTTPMethod(rawValue: request.method), path, body: Array(request.body),
                options: options)
            outcome.status = answer.status
            outcome.headers = answer.headers.map { [$0.name, text(of: $0.value)] }
            outcome.body = Data(answer.body)
        } catch {
            outcome.error = "\(error)"
        }
        return outcome
    }

    private static func text(of value: Metadata.Content) -> String {
        switch value {
        case .text(let text): text
        case .bytes(let bytes): Data(bytes).base64EncodedString()
        }
    }

    private static func version(_ name: String) throws(RPCError) -> HTTPVersion {
        switch name {
        case "http1": .http1
        case "http2": .http2
        case "negotiated": .negotiated
        default: throw RPCError(.invalidArgument, "unknown version '\(name)'")
        }
    }

    private static func credentials(
        _ address: WebAddress, _ authorities: String
    ) throws(RPCError) -> ChannelCredentials? {
        guard address.isSecure else { return nil }
        var options = TLSOptions()
        options.rootCertificates = .file(authorities)
        return try .tls(options)
    }
}
