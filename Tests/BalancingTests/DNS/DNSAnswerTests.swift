import Testing

@testable import SwiftletBalancing
@testable import SwiftletTransport

@Suite("An answer of a name server")
struct DNSAnswerTests {
    private static let name = "_grpc_config.Shop.test"

    private static func query() throws -> DNSQuery {
        try #require(DNSQuery(id: 0x1234, textsOf: name))
    }

    /// A header with one question, the question, and `records`.
    private static func message(
        flags: UInt16 = 0x8180, recordCount: UInt16, _ records: [UInt8], id: UInt16 = 0x1234
    ) throws -> [UInt8] {
        var bytes = try query().bytes
        bytes[0] = UInt8(id >> 8)
        bytes[1] = UInt8(id & 0xff)
        bytes[2] = UInt8(flags >> 8)
        bytes[3] = UInt8(flags & 0xff)
        bytes[6] = UInt8(recordCount >> 8)
        bytes[7] = UInt8(recordCount & 0xff)
        return bytes + records
    }

    private static func record(
        _ content: [UInt8], of owner: [UInt8] = [0xc0, 12], type: UInt8 = 16
    ) -> [UInt8] {
        owner + [0, type, 0, 1, 0, 0, 0, 60]
            + [UInt8(content.count >> 8), UInt8(content.count & 0xff)] + content
    }

    private static func strings(_ texts: String...) -> [UInt8] {
        texts.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    }

    private static func answer(_ bytes: [UInt8]) throws -> DNSAnswer? {
        DNSAnswer(bytes, to: try query())
    }

    @Test("has the texts of the name, with the strings of each joined")
    func texts() throws {
        let bytes = try Self.message(
            recordCount: 3,
            Self.record(Self.strings("grpc_", "config=[]"))
                + Self.record([127, 0, 0, 1], type: 1) + Self.record(Self.strings("")))
        #expect(try Self.answer(bytes) == .texts([Array("grpc_config=[]".utf8), []]))
        // Names are compared without regard to case.
        var upper = bytes
        for index in 12..<30 where (0x61...0x7a).contains(upper[index]) { upper[index] ^= 0x20 }
        #expect(try Self.answer(upper) == .texts([Array("grpc_config=[]".utf8), []]))
    }

    @Test("follows aliases, and ends at a loop of them")
    func aliases() throws {
        let other: [UInt8] = [1, 0x61, 0]
        let bytes = try Self.message(
            recordCount: 2, Self.record(other, type: 5) + Self.record(Self.strings("x"), of: other))
        #expect(try Self.answer(bytes) == .texts([[0x78]]))
        let loop = try Self.message(
            recordCount: 2,
            Self.record(other, type: 5) + Self.record([0xc0, 12], of: other, type: 5))
        #expect(try Self.answer(loop) == .malformed)
        let leaf = try Self.message(recordCount: 1, Self.record(other, type: 5))
        #expect(try Self.answer(leaf) == .texts([]))
    }

    @Test("has a result code")
    func codes() throws {
        #expect(try Self.answer(Self.message(flags: 0x8183, recordCount: 0, [])) == .noSuchName)
        #expect(try Self.answer(Self.message(flags: 0x8182, recordCount: 0, [])) == .failed(2))
        #expect(try Self.answer(Self.message(flags: 0x8380, recordCount: 0, [])) == .truncated)
        #expect(try Self.answer(Self.message(recordCount: 0, [])) == .texts([]))
    }

    @Test("is ignored if it answers another query")
    func unrelated() throws {
        #expect(try Self.answer(Self.message(recordCount: 0, [], id: 0x1235)) == nil)
        // A query instead of an answer, and an answer with another opcode.
        #expect(try Self.answer(Self.message(flags: 0x0180, recordCount: 0, [])) == nil)
        #expect(try Self.answer(Self.message(flags: 0x9180, recordCount: 0, [])) == nil)
        var otherName = try Self.message(recordCount: 0, [])
        otherName[14] ^= 1
        #expect(try Self.answer(otherName) == nil)
        var otherType = try Self.message(recordCount: 0, [])
        otherType[otherType.count - 3] = 1
        #expect(try Self.answer(otherType) == nil)
        var otherClass = try Self.message(recordCount: 0, [])
        otherClass[otherClass.count - 1] = 3
        #expect(try Self.answer(otherClass) == nil)
        var noQuestion = try Self.message(recordCount: 0, [])
        noQuestion[5] = 0
        #expect(try Self.answer(noQuestion) == nil)
        #expect(try Self.answer([]) == nil)
    }

    @Test(
        "that breaks a rule after its question is malformed",
        arguments: [
            // A pointer to itself, a pointer to later bytes, and a pointer that is cut.
            ("pointer to itself", [0xc0, 40]), ("pointer forwards", [0xc0, 45]),
            ("cut pointer", [0xc0]), ("reserved label", [0x40, 1]), ("cut label", [5, 0x61]),
            ("no type", [0xc0, 12]),
            ("length above the rest", [0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 0, 0, 9, 1]),
            ("string above the record", [0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 0, 0, 2, 5, 0x61]),
            ("alias shorter than its record", [0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 0, 0, 3, 0, 0, 0]),
        ] as [(String, [UInt8])])
    func malformed(what: String, record: [UInt8]) throws {
        #expect(try Self.query().bytes.count == 40)
        let bytes = try Self.message(recordCount: 1, record)
        #expect(try Self.answer(bytes) == .malformed, "\(what)")
    }

    @Test("with two names that point to one another is read without an endless loop")
    func pointerLoop() throws {
        // Every label adds to the length of the name, which is at most 255 bytes.
        var records: [UInt8] = []
        for _ in 0..<200 { records += [1, 0x61] }
        #expect(try Self.answer(Self.message(recordCount: 1, records)) == .malformed)
        // A name that ends with a pointer to its own first label.
        let loop: [UInt8] = [1, 0x61, 0xc0, 40]
        #expect(try Self.answer(Self.message(recordCount: 1, loop)) == .malformed)
    }

    @Test("whose names have more pointers than labels are possible is malformed")
    func pointerChain() throws {
        // A record of an unknown type, whose content is a chain of pointers to the name in the question.
        func answer(chain count: Int) throws -> DNSAnswer? {
            func pointer(_ target: Int) -> [UInt8] {
                [0xc0 | UInt8(target >> 8), UInt8(target & 0xff)]
            }
            let start = 52
            var chain = pointer(12)
            for place in 0..<count - 1 { chain += pointer(start + 2 * place) }
            return try Self.answer(
                Self.message(
                    recordCount: 2,
                    Self.record(chain, type: 10)
                        + Self.record(Self.strings("x"), of: pointer(start + 2 * (count - 1)))))
        }
        #expect(try answer(chain: 127) == .texts([[0x78]]))
        #expect(try answer(chain: 128) == .malformed)
    }

    @Test("that is cut at any byte, or has any byte changed, does not trap")
    func anyBytes() throws {
        let bytes = try Self.message(
            recordCount: 3,
            Self.record([1, 0x61, 0xc0, 25], type: 5)
                + Self.record(Self.strings("grpc_config=[]", "x"), of: [1, 0x61, 0xc0, 25])
                + Self.record(Self.strings("y")))
        for count in bytes.indices {
            switch try Self.answer(Array(bytes[..<count])) {
            case nil, .malformed?: break
            case let answer?: Issue.record("\(count) bytes are \(answer)")
            }
        }
        for index in bytes.indices {
            for value in [UInt8(0), 0x3f, 0x7f, 0xc0, 0xff] {
                var changed = bytes
                changed[index] = value
                _ = try Self.answer(changed)
            }
        }
    }

    @Test("belongs to a query for a name that DNS can have")
    func names() {
        let long = String(repeating: "a", count: 63)
        #expect(DNSQuery(id: 0, textsOf: long) != nil)
        #expect(DNSQuery(id: 0, textsOf: "a.")?.name == [1, 0x61, 0])
        for name in [
            "", ".", "a..b", ".a", long + "a", [long, long, long, long].joined(separator: "."),
        ] {
            #expect(DNSQuery(id: 0, textsOf: name) == nil, "\(name)")
        }
    }
}

@Suite("The name servers of the system")
struct NameServersTests {
    @Test("are those that resolv.conf(5) names, with its options")
    func configuration() {
        let servers = NameServers(
            configuration: """
                # a comment
                nameserver 10.0.0.1
                nameserver fe80::zz
                nameserver ::1
                nameserver\t10.0.0.3
                nameserver 10.0.0.4
                domain old.test
                search a.test b.test
                options ndots:5 timeout:99 attempts:0 rotate ndots:x timeout
                """)
        #expect(
            servers.addresses.map { "\($0)" } == ["10.0.0.1:53", "[::1]:53", "10.0.0.3:53"])
        #expect(servers.searchDomains == ["a.test", "b.test"])
        #expect(servers.dotCount == 5)
        #expect(servers.timeout == .seconds(30))
        #expect(servers.attemptCount == 1)
        #expect(servers.candidates(for: "x.y") == ["x.y.a.test", "x.y.b.test", "x.y"])
        #expect(servers.candidates(for: "x.y.") == ["x.y."])
    }

    @Test("are this machine if the file names none")
    func empty() {
        let servers = NameServers(configuration: "")
        #expect(servers.addresses.map { "\($0)" } == ["127.0.0.1:53"])
        #expect(servers.candidates(for: "x.y") == ["x.y"])
    }

    @Test("have no search domain for the root, in which each name is looked up anyway")
    func root() {
        #expect(NameServers(configuration: "search .\n").candidates(for: "x.y") == ["x.y"])
        let servers = NameServers(configuration: "search . a.test.\n")
        #expect(servers.candidates(for: "x.y") == ["x.y", "x.y.a.test"])
    }
}
