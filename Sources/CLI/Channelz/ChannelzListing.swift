import SwiftletDynamic

/// The kinds of entities in channelz. The raw value is the name of the entity's field in messages.
enum ChannelzKind: String, CaseIterable {
    case channel, subchannel, socket, server
}

/// The entities that were read from a server's channelz service.
struct ChannelzListing {
    /// The channels without a parent, in the order of the server.
    var topChannels: [Int64] = []
    var channels: [Int64: ChannelzMessage] = [:]
    var subchannels: [Int64: ChannelzMessage] = [:]
    var sockets: [Int64: ChannelzMessage] = [:]
    var servers: [ChannelzMessage] = []
    /// The connections of each server.
    var serverSockets: [Int64: [ChannelzMessage]] = [:]
    /// Whether everything was read. False if reading stopped at a limit of `ChannelzReader`.
    var isComplete = true
    private var serverSocketCount = 0

    /// Whether reading has reached its limit.
    var isFull: Bool {
        channels.count + subchannels.count + sockets.count + servers.count + serverSocketCount
            >= ChannelzReader.maxCount
    }

    func has(_ kind: ChannelzKind, _ id: Int64) -> Bool {
        switch kind {
        case .channel: channels[id] != nil
        case .subchannel: subchannels[id] != nil
        case .socket: sockets[id] != nil
        case .server: false
        }
    }

    mutating func add(_ message: ChannelzMessage, _ kind: ChannelzKind, _ id: Int64) {
        switch kind {
        case .channel: channels[id] = message
        case .subchannel: subchannels[id] = message
        case .socket: sockets[id] = message
        case .server: servers.append(message)
        }
    }

    mutating func add(_ references: [ChannelzMessage], toServer id: Int64) {
        serverSockets[id, default: []] += references
        serverSocketCount += references.count
    }
}

extension ChannelzListing {
    /// The listing without messages that cannot be written as JSON, such as a message with a time beyond the
    /// year 9999, or with an `Any` of an unknown type.
    ///
    /// - Parameter report: Receives the name of each omitted message, and the reason.
    func withoutUnprintable(
        _ report: (_ name: String, any Error) -> Void
    ) -> ChannelzListing {
        func isPrintable(_ name: String, _ message: ChannelzMessage) -> Bool {
            do {
                _ = try message.message.json()
                return true
            } catch {
                report(name, error)
                return false
            }
        }
        var listing = self
        listing.channels = channels.filter { isPrintable("channel \($0.key)", $0.value) }
        listing.subchannels = subchannels.filter { isPrintable("subchannel \($0.key)", $0.value) }
        listing.sockets = sockets.filter { isPrintable("socket \($0.key)", $0.value) }
        listing.servers = servers.filter { isPrintable("a server", $0) }
        return listing
    }
}

extension ChannelzMessage {
    /// The number in the message's `ref`, which is of this kind; 0 if it is absent.
    func id(_ kind: ChannelzKind) throws -> Int64 {
        try child("ref")?.integer("\(kind.rawValue)_id") ?? 0
    }

    /// The number in the message's `ref`, of any kind.
    var ownID: Int64 {
        get throws {
            guard let reference = try child("ref") else { return 0 }
            for kind in ChannelzKind.allCases
            where reference.message.schema.field("\(kind.rawValue)_id") != nil {
                return try reference.integer("\(kind.rawValue)_id")
            }
            return 0
        }
    }

    /// The entities that a channel or subchannel refers to. Empty for other messages.
    func references() throws -> [(kind: ChannelzKind, id: Int64)] {
        try [ChannelzKind.channel, .subchannel, .socket].flatMap { kind in
            guard message.schema.field("\(kind.rawValue)_ref") != nil else {
                return [] as [(kind: ChannelzKind, id: Int64)]
            }
            return try children("\(kind.rawValue)_ref").map {
                (kind, try $0.integer("\(kind.rawValue)_id"))
            }
        }
    }
}
