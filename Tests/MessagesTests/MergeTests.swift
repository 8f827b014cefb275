import SwiftletMessages
import SwiftletWellKnown
import Testing

@Suite("Merging a message into another one")
struct MergeTests {
    @Test("replaces, merges and appends as if one encoding followed the other")
    func merge() throws {
        var struct1: Google.Protobuf.Struct = .with {
            $0.fields = ["a": .with { $0.kind = .numberValue(1) }]
        }
        try struct1.merge(
            .with {
                $0.fields = [
                    "a": .with { $0.kind = .boolValue(true) },
                    "b": .with { $0.kind = .stringValue("") },
                ]
            })
        #expect(struct1.fields.count == 2)
        #expect(struct1.fields["a"]?.kind == .boolValue(true))
        var mask: Google.Protobuf.FieldMask = .with { $0.paths = ["x"] }
        try mask.merge(.with { $0.paths = ["y"] })
        #expect(mask.paths == ["x", "y"])
    }

    @Test("leaves the message as it was when the other one could not be received")
    func refused() {
        var one: Google.Protobuf.Struct = .with {
            $0.fields = ["a": .with { $0.kind = .numberValue(1) }]
        }
        let before = one
        let key = "e" + String(repeating: "\u{301}", count: 2_000)
        #expect(throws: WireError.self) {
            try one.merge(.with { $0.fields = [key: .with { $0.kind = .boolValue(true) }] })
        }
        #expect(one == before)
    }
}
