import SwiftletDescriptors
import SwiftletMessages
import SwiftletWellKnown
import Testing

@Suite("The check of a field list")
struct MessageCheckTests {
    struct Reserved: Message {
        var reserved: [String: Int32] = [:]
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.map(19_000, \.reserved, .string, .int32)
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

    @Test("finds numbers that protobuf does not allow")
    func illegalNumbers() {
        #expect(
            MessageCheck.problems(of: Reserved.self) == [
                "field number 19000 is reserved by protobuf"
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
            ) { _ = Reserved().encoded() }
            let decoding = await #expect(
                processExitsWith: .failure, observing: [\.standardErrorContent]
            ) { _ = try Reserved(decoding: [8, 1]) }
            for result in [encoding, decoding] {
                let text = String(
                    decoding: try #require(result).standardErrorContent, as: UTF8.self)
                #expect(
                    text.contains(
                        "the layout of Reserved is wrong: field number 19000 is reserved"),
                    "\(text)")
            }
        }
    #endif
}
