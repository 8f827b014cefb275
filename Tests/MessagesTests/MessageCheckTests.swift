import SwiftletDescriptors
import SwiftletMessages
import Testing

@Suite("The check of a field list")
struct MessageCheckTests {
    struct Twice: Message {
        var first: Int32 = 0
        var second = ""
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.int32(1, \.first)
            field.string(1, \.second)
        }
    }

    struct Reserved: Message {
        var zero = false
        var reserved: [String: Int32] = [:]
        var tooLarge: [Double] = []
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.bool(0, \.zero)
            field.map(19_000, \.reserved, .string, .int32)
            field.double(1 << 29, \.tooLarge)
        }
    }

    struct OwnDefault: Message {
        var count: Int32 = 3
        var name: String? = "x"
        var tags = [""]
        var port: Int32 = 0
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.int32(1, \.count)
            field.string(2, \.name)
            field.string(3, \.tags)
            field.singular(.int32, 4, \.port, default: 50051)
        }
    }

    struct Throwing: Message {
        var name = ""
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.string(1, \.name)
            throw WireError(.invalidValue)
        }
    }

    struct Disagreeing: Message {
        enum Choice: Equatable {
            case text(String)
            case code(String)
        }

        var choice: Choice?
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.oneof(1, \.choice, .string, Choice.text) {
                if case .text(let it) = $0 { it } else { nil }
            }
            field.oneof(2, \.choice, .string, Choice.code) {
                if case .text(let it) = $0 { it } else { nil }
            }
        }
    }

    /// A message of proto2, in which each field's default is right.
    struct Right: Message {
        var port: Int32 = 50051
        var id: Int32 = 7
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.singular(.int32, 1, \.port, default: 50051)
            field.required(.int32, 2, \.id)
        }
    }

    @Test("finds a number that is listed twice")
    func twice() {
        #expect(MessageCheck.problems(of: Twice.self) == ["field number 1 is listed twice"])
    }

    @Test("finds numbers that protobuf does not allow")
    func illegalNumbers() {
        #expect(
            MessageCheck.problems(of: Reserved.self) == [
                "field number 0 is not in 1...536870911",
                "field number 19000 is reserved by protobuf",
                "field number 536870912 is not in 1...536870911",
            ])
    }

    @Test("finds fields that are set in a new message")
    func defaults() {
        #expect(
            MessageCheck.problems(of: OwnDefault.self)
                == (1...4).map {
                    "field \($0) is set in a new message, so a default that was not sent is lost"
                })
    }

    @Test("finds a visit that throws")
    func throwing() throws {
        let problem = try #require(MessageCheck.problems(of: Throwing.self).first)
        #expect(problem.hasPrefix("visit(_:) throws for a message with its defaults"))
    }

    @Test("finds closures of a oneof that disagree")
    func oneofs() {
        #expect(
            MessageCheck.problems(of: Disagreeing.self) == [
                """
                the closures of oneof field 1 disagree: a value that one puts in is found in field \
                1, 2
                """,
                """
                the closures of oneof field 2 disagree: a value that one puts in is found in no \
                field
                """,
            ])
    }

    @Test("finds nothing in correct messages")
    func correct() {
        #expect(MessageCheck.problems(of: Right.self) == [])
        #expect(MessageCheck.problems(of: Everything.self) == [])
        #expect(MessageCheck.problems(of: Google.Protobuf.Value.self) == [])
        #expect(MessageCheck.problems(of: Google.Protobuf.FieldDescriptorProto.self) == [])
    }

    #if DEBUG
        @Test("runs when a type is first encoded or decoded in a debug build")
        func firstUse() async throws {
            let encoding = await #expect(
                processExitsWith: .failure, observing: [\.standardErrorContent]
            ) { _ = Twice().encoded() }
            let decoding = await #expect(
                processExitsWith: .failure, observing: [\.standardErrorContent]
            ) { _ = try Twice(decoding: [8, 1]) }
            for result in [encoding, decoding] {
                let text = String(
                    decoding: try #require(result).standardErrorContent, as: UTF8.self)
                #expect(
                    text.contains(
                        "the field list of Twice is wrong: field number 1 is listed twice"),
                    "\(text)")
            }
        }
    #endif
}

@Suite("A visit that throws while the message is encoded")
struct ThrowingVisitTests {
    /// Throws only for some values, so a check of a new message cannot find it.
    struct Positive: Message {
        var number: Int32 = 0
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.int32(1, \.number)
            if number < 0 { throw WireError(.invalidValue) }
        }
    }

    struct Parent: Message {
        var children: [Positive] = []
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.message(1, \.children)
        }
    }

    static let wrong = Parent.with { $0.children = [.init(), .with { $0.number = -1 }] }

    @Test("gives that error to the call, and appends nothing")
    func error() {
        var bytes: [UInt8] = [9]
        var separate = SeparateBytes(minByteCount: .max)
        #expect(throws: WireError(.invalidValue)) {
            try Self.wrong.encode(
                appendingTo: &bytes, reservingPrefix: 5, separating: &separate,
                options: EncodingOptions())
        }
        #expect(bytes == [9])
    }

    @Test("stops the program with an error text if no error can be thrown")
    func stop() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Self.wrong.encoded() }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("Parent.visit(_:) throws while it is encoded"), "\(text)")
    }
}
