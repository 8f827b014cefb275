import SwiftletTransport

/// A listing of channelz as lines for readers: channels with the entities inside them, then
/// servers.
struct ChannelzText {
    private let listing: ChannelzListing
    /// Whether to show events, and the times, windows and options of sockets.
    private let isVerbose: Bool
    private var lines: [String] = []
    /// The entities that were already added. Needed because channels may refer to one another in a
    /// circle.
    private var shown: Set<String> = []

    /// - Parameters:
    ///   - listing: The entities to print.
    ///   - isVerbose: Whether to show events, and the times, windows and options of sockets.
    static func text(of listing: ChannelzListing, isVerbose: Bool) throws -> String {
        var text = ChannelzText(listing: listing, isVerbose: isVerbose)
        for id in listing.topChannels { try text.addAll(from: (.channel, id), depth: 0) }
        for server in listing.servers { try text.add(server) }
        if text.lines.isEmpty { text.lines.append("no channels and no servers") }
        return text.lines.joined(separator: "\n")
    }

    private init(listing: ChannelzListing, isVerbose: Bool) {
        self.listing = listing
        self.isVerbose = isVerbose
    }

    private mutating func line(_ depth: Int, _ text: String) {
        lines.append(String(repeating: "  ", count: min(depth, 16)) + text)
    }
}

// MARK: - Channels and servers

extension ChannelzText {
    /// Adds an entity and all entities that it leads to. Not recursion, because a server can nest channels
    /// deeply.
    private mutating func addAll(from item: (kind: ChannelzKind, id: Int64), depth: Int) throws {
        var open = [(item, depth)]
        while let (item, depth) = open.popLast() {
            open += try add(item, depth: depth).reversed().map { ($0, depth + 1) }
        }
    }

    /// Adds an entity, and returns those that it refers to.
    private mutating func add(
        _ item: (kind: ChannelzKind, id: Int64), depth: Int
    ) throws -> [(kind: ChannelzKind, id: Int64)] {
        let found =
            switch item.kind {
            case .channel: listing.channels[item.id]
            case .subchannel: listing.subchannels[item.id]
            case .socket: listing.sockets[item.id]
            case .server: nil as ChannelzMessage?
            }
        guard let found, shown.insert("\(item.kind) \(item.id)").inserted else { return [] }
        guard item.kind != .socket else {
            try addSocket(found, item.id, depth)
            return []
        }
        let data = try found.child("data")
        let state = try data?.child("state")?.enumeration("state") ?? "UNKNOWN"
        let name = try data?.text("target") ?? found.child("ref")?.text("name") ?? ""
        line(depth, "\(item.kind) \(item.id) \(name): \(state)" + (try Self.calls(data)))
        try addEvents(data, depth + 1)
        return try found.references()
    }

    private mutating func add(_ server: ChannelzMessage) throws {
        let id = try server.id(.server)
        let name = try server.child("ref")?.text("name") ?? ""
        let data = try server.child("data")
        line(0, "server \(id)" + (name.isEmpty ? "" : " \(name)") + (try Self.calls(data)))
        try addEvents(data, 1)
        for listener in try server.children("listen_socket") {
            let id = try listener.integer("socket_id")
            let address = try listing.sockets[id]?.child("local").map(Self.address) ?? ""
            let place = address.isEmpty ? try listener.text("name") : address
            line(1, "listens on socket \(id) \(place)")
        }
        for socket in listing.serverSockets[id] ?? [] {
            try addAll(from: (.socket, try socket.integer("socket_id")), depth: 1)
        }
    }

    private static func calls(_ data: ChannelzMessage?) throws -> String {
        guard let data else { return "" }
        let last = try data.time("last_call_started_timestamp").map { ", the last at \($0)" }
        return "; \(try data.integer("calls_started")) calls: "
            + "\(try data.integer("calls_succeeded")) succeeded, "
            + "\(try data.integer("calls_failed")) failed\(last ?? "")"
    }

    private mutating func addEvents(_ data: ChannelzMessage?, _ depth: Int) throws {
        guard isVerbose, let trace = try data?.child("trace") else { return }
        for event in try trace.children("events") {
            let time = try event.time("timestamp") ?? ""
            line(depth, "\(time) \(try event.text("description"))")
        }
    }
}

// MARK: - Sockets

extension ChannelzText {
    private mutating func addSocket(
        _ socket: ChannelzMessage, _ id: Int64, _ depth: Int
    ) throws {
        let ends = try ["local", "remote"].compactMap { try socket.child($0).map(Self.address) }
        var text = "socket \(id) " + ends.filter { !$0.isEmpty }.joined(separator: " → ")
        if ends.allSatisfy(\.isEmpty) { text += try socket.text("remote_name") }
        text += try Self.security(socket)
        guard let data = try socket.child("data") else { return line(depth, text) }
        text += "; \(try data.integer("streams_started")) streams: "
        text += "\(try data.integer("streams_succeeded")) succeeded, "
        text += "\(try data.integer("streams_failed")) failed"
        let (sent, received) = (
            try data.integer("messages_sent"), try data.integer("messages_received")
        )
        if sent != 0 || received != 0 { text += "; \(sent) messages sent, \(received) received" }
        let pings = try data.integer("keep_alives_sent")
        if pings != 0 { text += "; \(pings) pings" }
        line(depth, text)
        guard isVerbose else { return }
        try addDetails(data, depth + 1)
    }

    private mutating func addDetails(_ data: ChannelzMessage, _ depth: Int) throws {
        for (field, name) in [
            ("last_local_stream_created_timestamp", "last stream of this side"),
            ("last_remote_stream_created_timestamp", "last stream of the other side"),
            ("last_message_sent_timestamp", "last message sent"),
            ("last_message_received_timestamp", "last message received"),
        ] {
            if let time = try data.time(field) { line(depth, "\(name) at \(time)") }
        }
        for (field, name) in [
            ("local_flow_control_window", "receive window"),
            ("remote_flow_control_window", "send window"),
        ] {
            guard let window = try data.child(field) else { continue }
            line(depth, "\(name): \(try window.integer("value")) bytes")
        }
        for option in try data.children("option") {
            let (name, value) = (try option.text("name"), try option.text("value"))
            if !value.isEmpty { line(depth, "\(name): \(value)") }
        }
    }

    private static func security(_ socket: ChannelzMessage) throws -> String {
        guard let security = try socket.child("security") else { return "" }
        guard let tls = try security.child("tls") else {
            return ", " + (try security.child("other")?.text("name") ?? "secure")
        }
        let names = try [tls.text("standard_name"), tls.text("other_name")]
        let name = names.first { !$0.isEmpty }
        return ", TLS" + (name.map { " (\($0))" } ?? "")
    }

    /// The address as text. Empty for an address of an unknown form.
    private static func address(_ address: ChannelzMessage) throws -> String {
        if let tcp = try address.child("tcpip_address") {
            let port = UInt16(truncatingIfNeeded: try tcp.integer("port"))
            let bytes = try tcp.bytes("ip_address")
            switch bytes.count {
            case 4:
                let number = bytes.reduce(0) { $0 << 8 | UInt32($1) }
                return "\(SocketAddress.ipv4(number, port: port))"
            case 16:
                var number = SocketAddress.IPv6Bytes()
                for (index, byte) in bytes.enumerated() { number[index] = byte }
                return "\(SocketAddress.ipv6(number, port: port))"
            default: return ""
            }
        }
        if let local = try address.child("uds_address") { return try local.text("filename") }
        return try address.child("other_address")?.text("name") ?? ""
    }
}
