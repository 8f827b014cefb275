import SwiftletMessages
import SwiftletServices
import Testing

@Suite("The text form")
struct TextTests {
    @Test("names each field as its .proto file does")
    func text() {
        let message = Everything.with {
            $0.int32 = -5
            $0.double = 1.5
            $0.float = 2
            $0.string = "say \"é\"\n"
            $0.bytes = [0, 0x61, 0xff]
            $0.colour = .green
            $0.child = .with { ($0.id, $0.tags) = (1, ["a", "b"]) }
            $0.again = .with { $0.bool = true }
            $0.optionalInt32 = 0
            $0.colours = [.red, .init(rawValue: 9)]
            $0.names = [2: "two", 1: "one"]
            $0.choice = .text("chosen")
        }
        #expect(
            message.debugDescription == #"""
                int32: -5
                float: 2
                double: 1.5
                string: "say \"é\"\n"
                bytes: "\000a\377"
                colour: GREEN
                child {
                  id: 1
                  tags: "a"
                  tags: "b"
                }
                again {
                  bool: true
                }
                optional_int32: 0
                colours: RED
                colours: 9
                names {
                  key: 1
                  value: "one"
                }
                names {
                  key: 2
                  value: "two"
                }
                text: "chosen"
                """#)
    }

    @Test(
        "keeps letters of all scripts, and escapes characters that control a terminal or hide text")
    func hidden() {
        let message = Everything.with {
            $0.string = "\u{1b}[2J\u{9b}2J \u{202e}é 漢字 😀 it's\u{2028}"
        }
        #expect(
            message.debugDescription
                == #"string: "\033[2J\302\2332J \342\200\256é 漢字 😀 it's\342\200\250""#)
    }

    @Test("shows an enum's value by its name, and one without a name by its number")
    func enums() {
        #expect("\(Everything.Colour.green)" == "GREEN")
        #expect("\([Everything.Colour(rawValue: 7)])" == "[7]")
        #expect("\(GRPC.Health.HealthCheckResponse.ServingStatus.notServing)" == "NOT_SERVING")
    }

    @Test("shows unknown fields by their numbers")
    func unknown() throws {
        let bytes: [UInt8] = [
            0xc8, 1, 7, 0xca, 1, 1, 0x61, 0xcb, 1, 0x08, 1, 0xcc, 1, 0xcd, 1, 1, 0, 0, 0,
        ]
        #expect(
            try Everything.Child(decoding: bytes).debugDescription == """
                25: 7
                25: "a"
                25 {
                  1: 1
                }
                25: 0x1
                """)
    }
}
