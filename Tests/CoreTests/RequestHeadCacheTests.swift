import SwiftletTransport
import Testing

@testable import SwiftletCore

@Suite("The headers that a channel keeps for its methods")
struct RequestHeadCacheTests {
    /// Refuses the streams of all calls. These tests use only the heads of the calls.
    private let backend: ResendTests.RefusingBackend

    init() throws { backend = try ResendTests.RefusingBackend() }

    private func call(_ method: MethodSignature, _ options: CallOptions = CallOptions()) -> CallCore
    {
        CallCore(
            CallHead(method, options, MessageLimits()), deadline: .never, backend: backend,
            observer: SingleResponse())
    }

    private func prepared(
        _ cache: inout RequestHeadCache, _ method: MethodSignature,
        _ options: CallOptions = CallOptions()
    ) throws(RPCError) -> PreparedHeaders {
        try cache.prepared(
            for: call(method, options), defaultAuthority: "there", scheme: "http",
            userAgent: "test/1")
    }

    private func lines(
        _ cache: inout RequestHeadCache, _ method: MethodSignature,
        _ options: CallOptions = CallOptions()
    ) throws(RPCError) -> [String] {
        let list = try prepared(&cache, method, options).list
        return list.fields.map { "\(list.name(of: $0)): \(list.value(of: $0))" }
    }

    private func signature(
        _ path: String, _ subtype: String? = nil, _ plain: PlainExchange? = nil
    ) -> MethodSignature {
        MethodSignature(path: path, shape: .unary, contentSubtype: subtype, plain: plain)
    }

    @Test("differ by path, subtype, plain exchange, authority and compression, in any order")
    func distinct() throws {
        let plain = PlainExchange(contentType: "a/b", accept: "c/d")
        let methods = [
            signature("/a.B/C"), signature("/a.B/D"), signature("/a.B/C", "json"),
            signature("/a.B/C", nil, plain),
            signature("/a.B/C", nil, PlainExchange(contentType: "a/b", accept: "e/f")),
        ]
        let authority = CallOptions.with { $0.authority = "elsewhere" }
        let gzip = CallOptions.with { $0.compression = .gzip }
        let kinds =
            CompressionAlgorithm.supported.contains(.gzip)
            ? [CallOptions(), authority, gzip] : [CallOptions(), authority]
        var expected: [[[String]]] = []
        for method in methods {
            expected.append(
                try kinds.map { options in
                    var cache = RequestHeadCache()
                    return try lines(&cache, method, options)
                })
        }
        #expect(Set(expected.map { $0[0] }).count == methods.count)
        #expect(expected[0][1].contains(":authority: elsewhere"))
        var cache = RequestHeadCache()
        // Consecutive heads differ in the method, the options or both.
        for (m, k) in [
            (0, 0), (0, 1), (0, 0), (1, 0), (1, 1), (1, 0), (2, 0), (0, 0), (3, 0), (4, 0), (3, 0),
            (0, 0), (0, kinds.count - 1), (0, 0), (2, 1), (0, 1), (0, 0),
        ] {
            let found = try lines(&cache, methods[m], kinds[k])
            #expect(found == expected[m][k], "\(m) \(k)")
        }
    }

    @Test("are found by the content of a method that is not the same object")
    func equalMethods() throws {
        var cache = RequestHeadCache()
        let plain = PlainExchange(contentType: "a/b", accept: "c/d")
        for make in [
            { signature("/a.B/C", "json") }, { signature("/a.B/C", nil, plain) },
        ] {
            let first = try prepared(&cache, make())
            let second = try prepared(&cache, make())
            #expect(second === first)
        }
    }

    @Test("of a released method are not used for another method at the same address")
    func reusedMemory() throws {
        var cache = RequestHeadCache()
        let kept = signature("/a.B/C")
        _ = try lines(&cache, kept)
        for _ in 0..<100 {
            // Each method is released before the next one is made, so the next one often has the same
            // address.
            for path in ["/a.B/C", "/a.B/D"] {
                let found = try lines(&cache, signature(path))
                #expect(found.contains(":path: \(path)"))
            }
        }
    }

    @Test("are made again for a method that was not used for a long time")
    func capacity() throws {
        var cache = RequestHeadCache()
        let methods = (0..<200).map { signature("/a.B/C\($0)") }
        for _ in 0..<2 {
            for (index, method) in methods.enumerated() {
                let found = try lines(&cache, method)
                #expect(found.contains(":path: /a.B/C\(index)"))
            }
        }
    }

    @Test("are refused if they cannot be sent")
    func refused() {
        var cache = RequestHeadCache()
        func refusal(_ method: MethodSignature, _ options: CallOptions) -> StatusCode? {
            do throws(RPCError) {
                _ = try lines(&cache, method, options)
                return nil
            } catch {
                return error.code
            }
        }
        let method = signature("/a.B/C")
        let unknown = CallOptions.with { $0.compression = CompressionAlgorithm(name: "sparkle") }
        let codes = [
            refusal(method, .with { $0.authority = "" }),
            refusal(method, .with { $0.authority = "a b" }),
            refusal(method, unknown), refusal(signature("/a.B/C", ""), CallOptions()),
        ]
        #expect(codes == [.invalidArgument, .invalidArgument, .internal, .invalidArgument])
    }
}
