import SwiftletMessages
import Testing

/// Encoding visits the memory of a message that other threads may read at the same time, so it must
/// not write into this memory.
@Suite("A message that is encoded")
struct SharedMessageTests {
    /// Lists the wrapped value instead of the storage. Swift copies the value and writes it back.
    struct Wrapped: Message {
        @Indirect var next: Wrapped?
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.message(2, \.next)
        }
    }

    struct Computed: Message {
        private var stored: Int32 = 0
        var value: Int32 {
            get { stored }
            set { stored = newValue }
        }
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.int32(1, \.value)
        }
    }

    struct Observed: Message {
        private var changeCount = 0
        var tags: [String] = [] {
            didSet { if oldValue != tags { changeCount += 1 } }
        }
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.string(1, \.tags)
        }
    }

    struct Lazy: Message {
        lazy var counts: [String: Int64] = [:]
        var unknownFields = UnknownFields()

        static func == (left: Lazy, right: Lazy) -> Bool { true }

        static let layout = Layout<Self> { field in
            field.map(1, \.counts, .string, .int64)
        }
    }

    struct LocalCopy: Message {
        var choice: Int32?
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            var copy = choice
            field.oneof(1, \.copy, .int32, { $0 }, { $0 })
            choice = copy
        }
    }

    struct Required: Message {
        private var stored = ""
        var name: String {
            get { stored }
            set { stored = newValue }
        }
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.required(.string, 1, \.name)
        }
    }

    struct Parent: Message {
        var children: [Computed] = []
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.message(1, \.children)
        }
    }

    private func expectRefusal(_ result: ExitTest.Result?) throws {
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("is not a stored property of the message"), "\(text)")
    }

    @Test("is not changed by a property that is not stored in it: the program stops before")
    func notStored() async throws {
        try expectRefusal(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = Wrapped.with { $0.next = .with { $0.next = Wrapped() } }.encoded()
            })
        try expectRefusal(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = Computed().encoded()
            })
        try expectRefusal(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = Observed.with { $0.tags = ["a"] }.encoded()
            })
        try expectRefusal(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = Lazy().encoded()
            })
        try expectRefusal(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = LocalCopy().encoded()
            })
        try expectRefusal(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = Required().encoded()
            })
        try expectRefusal(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = Parent.with { $0.children = [Computed()] }.encoded()
            })
    }

    @Test("gives every thread the same bytes")
    func threads() async throws {
        var random = SplitMix64(seed: 11)
        let message = Everything.random(using: &random)
        let expected = message.encoded(options: .deterministic)
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    (0..<200).count { _ in message.encoded(options: .deterministic) == expected }
                }
            }
            for await equalCount in group { #expect(equalCount == 200) }
        }
    }
}
