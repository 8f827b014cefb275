import Swiftlet
import SwiftletDynamic

/// Reads the entities that the service `grpc.channelz.v1.Channelz` of a server describes.
struct ChannelzReader {
    /// The most channels, subchannels, sockets and servers, counted together. Also the most calls.
    static let maxCount = 10_000
    /// The most bytes of all answers: a server can make each entity as large as a message.
    static let maxByteCount = 64 << 20

    private static let package = "grpc.channelz.v1"

    private let channel: Channel
    /// The server, for error texts.
    private let target: String
    private let schema: Schema
    private let service: ServiceSchema
    private var listing = ChannelzListing()
    private var callCount = 0
    private var byteCount = 0

    /// - Parameters:
    ///   - channel: The channel to the server.
    ///   - target: The server, for error texts.
    init(channel: Channel, target: String) throws {
        self.channel = channel
        self.target = target
        schema = try Schema(ProtoCompiler().compile(source: ChannelzSource.text))
        guard let service = schema.service("\(Self.package).Channelz") else {
            throw LookupError(description: "the schema of channelz has no service")
        }
        self.service = service
    }

    /// Reads all channels and servers, and all entities that they refer to.
    ///
    /// Entities that end in the meantime are omitted. Fails with UNIMPLEMENTED if the server does not offer
    /// channelz.
    mutating func read() async throws -> ChannelzListing {
        do {
            listing = ChannelzListing()
            try await readPages("GetTopChannels", "channel", start: "start_channel_id") {
                $0.topChannels.append(try $1.id(.channel))
                $0.channels[try $1.id(.channel)] = $1
            }
            try await readPages("GetServers", "server", start: "start_server_id") {
                $0.servers.append($1)
            }
            for server in listing.servers { try await readSockets(of: server) }
            try await readReferences()
            listing.isComplete = !isFull
            return listing
        } catch var error as RPCError where error.code == .unimplemented {
            error.message = "the server at \(target) does not offer channelz"
            throw error
        }
    }

    /// A message with all entities that were read, to be written as JSON.
    func message(of listing: ChannelzListing) throws -> DynamicMessage {
        var message = DynamicMessage(try schema.requiredMessage("\(Self.package).Listing"))
        try message.set("channel", .list(listing.channels.inOrder))
        try message.set("subchannel", .list(listing.subchannels.inOrder))
        try message.set("socket", .list(listing.sockets.inOrder))
        try message.set("server", .list(listing.servers.map { .message($0.message) }))
        let sockets = try schema.requiredMessage("\(Self.package).Listing.ServerSockets")
        for (server, references) in listing.serverSockets.inOrder(by: { $0.key < $1.key }) {
            var entry = DynamicMessage(sockets)
            try entry.set("server_id", .int64(server))
            try entry.set("socket_ref", .list(references.map { .message($0.message) }))
            try message.append("server_sockets", .message(entry))
        }
        return message
    }
}

// MARK: - Calls

extension ChannelzReader {
    private var isFull: Bool {
        listing.isFull || callCount >= Self.maxCount || byteCount >= Self.maxByteCount
    }

    private mutating func call(
        _ name: String, _ fields: [String: Int64]
    ) async throws -> ChannelzMessage {
        guard let method = service.method(name) else {
            throw LookupError(description: "the schema of channelz has no method '\(name)'")
        }
        callCount += 1
        var request = DynamicMessage(method.input)
        for (field, value) in fields { try request.set(field, .int64(value)) }
        let answer = try await channel.unary(method.dynamic(), request)
        byteCount += try answer.encoded().count
        return ChannelzMessage(message: answer)
    }

    /// Reads all pages of a list whose elements have a `ref`.
    private mutating func readPages(
        _ method: String, _ field: String, start: String,
        add: (inout ChannelzListing, ChannelzMessage) throws -> Void
    ) async throws {
        var next: Int64 = 0
        while !isFull {
            let page = try await call(method, [start: next])
            let elements = try page.children(field)
            for element in elements where !listing.isFull { try add(&listing, element) }
            if case .bool(true) = try page.message.get("end") { return }
            guard let last = try elements.last?.ownID, last >= next, last < .max else {
                throw RPCError(
                    .internal, "\(method) of the server sent a page that leads to no other page")
            }
            next = last + 1
        }
    }

    private mutating func readSockets(of server: ChannelzMessage) async throws {
        let id = try server.id(.server)
        var next: Int64 = 0
        listing.serverSockets[id] = []
        while !isFull {
            let page: ChannelzMessage
            do {
                page = try await call(
                    "GetServerSockets", ["server_id": id, "start_socket_id": next])
            } catch let error as RPCError where error.code == .notFound {
                return
            }
            let references = try page.children("socket_ref")
            listing.add(references, toServer: id)
            if case .bool(true) = try page.message.get("end") { return }
            guard let last = try references.last?.integer("socket_id"), last >= next, last < .max
            else {
                throw RPCError(
                    .internal,
                    "GetServerSockets of the server sent a page that leads to no other "
                        + "page")
            }
            next = last + 1
        }
    }

    /// Reads every entity that the channels and servers refer to, directly or through other entities.
    private mutating func readReferences() async throws {
        var open = try listing.channels.values.flatMap { try $0.references() }
        for server in listing.servers {
            open += try server.children("listen_socket").map {
                (.socket, try $0.integer("socket_id"))
            }
        }
        for references in listing.serverSockets.values {
            open += try references.map { (.socket, try $0.integer("socket_id")) }
        }
        while let (kind, id) = open.popLast() {
            guard !listing.has(kind, id) else { continue }
            guard !isFull else { break }
            do {
                let answer = try await call(kind.method, ["\(kind.rawValue)_id": id])
                guard let found = try answer.child(kind.rawValue) else { continue }
                listing.add(found, kind, id)
                open += try found.references()
            } catch let error as RPCError where error.code == .notFound {
                // The entity has ended since it was listed.
            }
        }
    }
}

extension ChannelzKind {
    /// The channelz method that returns an entity of this kind, such as `GetSubchannel`.
    fileprivate var method: String {
        "Get" + rawValue.prefix(1).uppercased() + rawValue.dropFirst()
    }
}

extension [Int64: ChannelzMessage] {
    fileprivate var inOrder: [DynamicValue] {
        inOrder(by: { $0.key < $1.key }).map { .message($0.value.message) }
    }
}
