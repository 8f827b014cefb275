import SwiftletMessages
import Testing

/// The codec reads and writes the memory of a message, so each listed property must be stored there.
@Suite("A message that is encoded")
struct SharedMessageTests {
    /// Lists the wrapped value instead of the storage.
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
        #expect(text.contains("is not a stored property without observers"), "\(text)")
    }

    @Test("lists only properties that it stores: the program stops at the first use of the type")
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
