import Testing

@testable import SwiftletTransport

@Suite("Settings")
struct SettingsTests {
    private static let changes:
        [(identifier: UInt16, value: UInt32, change: @Sendable (inout Settings) -> Void)] = [
            (1, 77, { $0.headerTableByteCount = 77 }),
            (2, 0, { $0.enablePush = false }),
            (3, 5, { $0.maxConcurrentStreams = 5 }),
            (4, 70_000, { $0.initialWindowByteCount = 70_000 }),
            (5, 20_000, { $0.maxFrameByteCount = 20_000 }),
            (6, 9_000, { $0.maxHeaderListByteCount = 9_000 }),
        ]

    @Test("are sent where they differ from the defaults, each alone", arguments: 0..<6)
    func alone(index: Int) {
        let (identifier, value, change) = Self.changes[index]
        var settings = Settings()
        change(&settings)
        #expect(settings.entries() == [.init(identifier: identifier, value: value)])
        #expect(settings.entries(changedFrom: settings).isEmpty)
        // A setting that returns to "no limit" is sent as the largest number.
        let back = Settings().entries(changedFrom: settings)
        #expect(back.map(\.identifier) == [identifier])
    }

    @Test("are sent all in one frame, in the order of their identifiers")
    func together() {
        var settings = Settings()
        for (_, _, change) in Self.changes { change(&settings) }
        #expect(settings.entries().map(\.identifier) == [1, 2, 3, 4, 5, 6])
        #expect(settings.entries().map(\.value) == Self.changes.map(\.value))
    }

    @Test("of the peer are those that it has sent")
    func received() throws {
        var settings = Settings()
        for (_, _, change) in Self.changes { change(&settings) }
        var received = Settings()
        try received.apply(settings.entries())
        #expect(received == settings)
    }
}
