import Swiftlet
import SwiftletLoopback
import SwiftletWellKnown
import Testing

@Suite("The difference of two messages")
struct DifferenceTests {
    private struct Person: Message {
        indirect enum Contact: Equatable {
            case mail(String)
            case phone(Person)
        }

        var name = ""
        var id: UInt64?
        var friends: [Person] = []
        var numbers: [Int32] = []
        var scores: [String: Double] = [:]
        var contact: Contact?
        @Indirect var boss: Person?
        var home: Google.Protobuf.StringValue?
        var port: Int32 = 80
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.string(1, \.name)
            field.uint64(2, \.id)
            field.message(3, \.friends)
            field.int32(4, \.numbers)
            field.map(5, \.scores, .string, .double)
            field.oneof(6, \.contact, .string, Contact.mail) {
                if case .mail(let mail) = $0 { mail } else { nil }
            }
            field.oneof(7, \.contact, .message(Person.self), Contact.phone) {
                if case .phone(let person) = $0 { person } else { nil }
            }
            field.message(8, \._boss)
            field.message(9, \.home)
            field.singular(.int32, 10, \.port, default: 80)
        }
    }

    private func difference(
        _ old: (inout Person) -> Void, _ new: (inout Person) -> Void
    ) -> String { Person.with(new).difference(from: .with(old)) }

    @Test("is empty for equal messages")
    func equal() {
        let person = Person.with {
            $0.name = "a"
            $0.friends = [.with { $0.id = 1 }]
            $0.scores = ["x": 1]
            $0.contact = .mail("m")
        }
        #expect(person.difference(from: person).isEmpty)
    }

    @Test("names each field that differs, with both values")
    func values() {
        let text = difference {
            $0.name = "a"
            $0.port = 8080
            $0.home = .with { $0.value = "x" }
        } _: {
            $0.name = "b\n"
            $0.id = 0
        }
        #expect(
            text == """
                name: "a" → "b\\n"
                id: absent → 0
                home: { value: "x" } → absent
                port: 8080 → 80
                """)
    }

    @Test("names fields inside of others by their path")
    func paths() {
        let text = difference {
            $0.friends = [Person(), .with { $0.name = "a" }]
            $0.numbers = [1, 2]
            $0.boss = .with { $0.boss = .with { $0.id = 1 } }
        } _: {
            $0.friends = [Person(), .with { $0.name = "b" }, .with { $0.id = 7 }]
            $0.numbers = [1, 3, 4]
            $0.boss = .with { $0.boss = .with { $0.id = 2 } }
        }
        #expect(
            text == """
                friends[1].name: "a" → "b"
                friends[2]: absent → { id: 7 }
                numbers[1]: 2 → 3
                numbers[2]: absent → 4
                boss.boss.id: 1 → 2
                """)
    }

    @Test("names the entries of maps by their keys")
    func maps() {
        let text = difference {
            $0.scores = ["a": 1, "b": 2, "c": 3]
        } _: {
            $0.scores = ["b": 2.5, "c": 3, "d": -.infinity]
        }
        #expect(
            text == """
                scores["a"]: 1 → absent
                scores["b"]: 2 → 2.5
                scores["d"]: absent → -inf
                """)
    }

    @Test("names the fields of a oneof")
    func oneofs() {
        #expect(
            difference {
                $0.contact = .mail("a")
            } _: {
                $0.contact = .mail("b")
            } == #"mail: "a" → "b""#)
        #expect(
            difference {
                $0.contact = .mail("a")
            } _: {
                $0.contact = .phone(.with { $0.id = 1 })
            } == """
                mail: "a" → absent
                phone: absent → { id: 1 }
                """)
        #expect(
            difference {
                $0.contact = .phone(.with { $0.id = 2 })
            } _: {
                $0.contact = .phone(Person())
            }
                == "phone.id: 2 → absent")
    }

    @Test("has a line for what is only unequal")
    func unequal() {
        #expect(
            difference {
                $0.scores = ["a": .nan]
            } _: {
                $0.scores = ["a": .nan]
            }.contains("NaN"))
        let old = try? Person(decoding: [0xa0, 0x06, 1])
        #expect(Person().difference(from: old ?? Person()) == "unknown fields: [160, 6, 1] → []")
    }
}
