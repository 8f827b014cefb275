import SwiftletMessages
import Testing

@Suite("A proto2 message")
struct Proto2Tests {
    struct Server: Message {
        var host = "localhost"
        var port: Int32 = 50051
        var id: Int32 = 0
        var weights: [Int32] = []
        var unknownFields = UnknownFields()

        mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.singular(.string, 1, &host, default: "localhost")
            try field.singular(.int32, 2, &port, default: 50051)
            try field.required(.int32, 3, &id)
            try field.int32(4, &weights, packed: false)
        }
    }

    @Test(
        "leaves out its own defaults, and nothing that is required",
        arguments: [
            (Server(), [0x18, 0]),
            (Server(host: "", port: 0, id: 1), [0x0a, 0, 0x10, 0, 0x18, 1]),
            (Server(port: 443, weights: [1, 2]), [0x10, 0xbb, 3, 0x18, 0, 0x20, 1, 0x20, 2]),
        ] as [(Server, [UInt8])])
    func defaults(server: Server, octets: [UInt8]) throws {
        #expect(server.encoded() == octets)
        #expect(try Server(decoding: octets) == server)
    }

    @Test("has its defaults when nothing arrives")
    func nothing() throws {
        #expect(try Server(decoding: []) == Server(host: "localhost", port: 50051))
    }
}
