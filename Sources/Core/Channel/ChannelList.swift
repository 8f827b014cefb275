import SwiftletTransport
import Synchronization

/// The channels of the process, for ``Channel/snapshots``.
enum ChannelList {
    private struct Entry {
        weak var channel: ChannelCore?
    }

    private static let entries = Mutex<[UInt64: Entry]>([:])

    static func add(_ channel: ChannelCore) {
        entries.withLock { $0[channel.diagnosticID] = Entry(channel: channel) }
    }

    /// The channel was shut down.
    static func remove(_ channel: ChannelCore) {
        entries.withLock { _ = $0.removeValue(forKey: channel.diagnosticID) }
    }

    /// The channels that were not shut down, in the order in which they were made.
    static var all: [ChannelCore] {
        // The references are released outside of the lock: they may be the last ones.
        let channels = entries.withLock { entries in entries.values.compactMap(\.channel) }
        return channels.inOrder { $0.diagnosticID < $1.diagnosticID }
    }
}
