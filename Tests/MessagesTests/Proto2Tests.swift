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

        static let layout = Layout<Self> { field in
            field.singular(.string, 1, \.host, default: "localhost")
            field.singular(.int32, 2, \.port, default: 50051)
            field.required(.int32, 3, \.id)
            field.int32(4, \.weights, packed: false)
        }
    }

    @Test(
        "omits its declared defaults, but no required field",
        arguments: [
            (Server(), [0x18, 0]),
            (Server(host: "", port: 0, id: 1), [0x0a, 0, 0x10, 0, 0x18, 1]),
            (Server(port: 443, weights: [1, 2]), [0x10, 0xbb, 3, 0x18, 0, 0x20, 1, 0x20, 2]),
        ] as [(Server, [UInt8])])
    func defaults(server: Server, bytes: [UInt8]) throws {
        #expect(server.encoded() == bytes)
        #expect(try Server(decoding: bytes) == server)
    }

    struct Exact: Message {
        var ratio = 0.0
        var offset = 0.0
        var name = "\u{e9}"
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.singular(.double, 1, \.ratio, default: 0)
            field.required(.double, 2, \.offset)
            field.singular(.string, 3, \.name, default: "\u{e9}")
        }
    }

    @Test("distinguishes its default from a value with other bytes")
    func exactness() throws {
        var message = Exact()
        (message.ratio, message.offset, message.name) = (-0.0, -0.0, "e\u{301}")
        let bytes = message.encoded()
        let zero: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0x80]
        #expect(bytes == [0x09] + zero + [0x11] + zero + [0x1a, 3, 0x65, 0xcc, 0x81])
        let read = try Exact(decoding: bytes)
        #expect(read.ratio.sign == .minus && read.offset.sign == .minus)
        #expect(Array(read.name.utf8) == [0x65, 0xcc, 0x81])
    }

    struct Holder: Message {
        var exact = Exact()
        var name = ""
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.required(.message(Exact.self), 1, \.exact)
            field.required(.string, 2, \.name)
        }
    }

    @Test("merges the parts of a required message, and has its fields' names in its text")
    func required() throws {
        let zero: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0x80]
        // The second part of `exact` sets −0, which differs from 0. The name of the first part is kept.
        let bytes: [UInt8] = [0x0a, 3, 0x1a, 1, 0x78, 0x12, 1, 0x61, 0x0a, 9, 0x11] + zero
        let holder = try Holder(decoding: bytes)
        #expect(holder.exact.offset.sign == .minus)
        #expect(holder.exact.name == "x")
        #expect(holder.name == "a")
        #expect(holder.debugDescription.contains("name: \"a\""))
    }

    @Test("has its defaults when nothing arrives")
    func nothing() throws {
        #expect(try Server(decoding: []) == Server(host: "localhost", port: 50051))
    }
}
