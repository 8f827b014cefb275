import Foundation
import Testing

@Suite("The rooms of Core")
struct CoreFolderTests {
    /// Each folder may use the types of the folders before it. The documentation shows the same list.
    static let order: [(folder: String, idea: String)] = [
        ("Queue", "event loop, completion queue, timers, executor"),
        ("Values", "target, status, errors, metadata, endpoints"),
        ("Wire", "bytes of gRPC: methods, prefixes, compression, heads of responses"),
        ("Security", "what protects a connection"),
        ("Link", "one HTTP/2 connection and its calls"),
        ("Measuring", "what a channel tells those who measure it"),
        ("Balancing", "pickers and balancers, pick_first, round_robin"),
        ("ServiceConfig", "settings of calls that the owner of a service prescribes"),
        ("Arguments", "channel arguments, options of calls, credentials of calls"),
        ("Resolution", "from a target to endpoints"),
        ("Connecting", "from addresses to a link"),
        ("Retry", "whether another attempt follows a failed one, and when"),
        ("Calls", "one call: requests, responses, deadline, being sent again"),
        ("Deferred", "settings of calls, and calls that wait for them or for credentials"),
        ("Diagnostics", "events and snapshots"),
        ("Subchannel", "the links to one endpoint"),
        ("Channel", "resolver, balancer and subchannels; gives calls their links"),
        ("Styles", "async; the types behind all styles"),
    ]

    /// What a folder uses of a later one. Each is a place where two ideas are not yet apart.
    static let backward: [String: Set<String>] = [
        // An error is a value, and a queue can fail.
        "Queue": ["Deadline", "RPCError"],
        "Values": ["LoadReport", "Resolvers"],
        "Wire": ["StatusMapping"],
        // A link reaches into its calls, which carry its streams.
        "Link": [
            "CallArrival", "CallCore", "ConnectionSnapshot", "RequestHead", "StreamCarrier",
            "StreamObstacle",
        ],
        // The streams in which servers report are calls.
        "Balancing": ["CallCore", "CallObserver", "CallRequests", "MessageLimits"],
        // A policy for attempts makes its calls on the channel.
        "ServiceConfig": ["CallRequests", "Channel", "ChannelArguments", "NewCall"],
        // A meter puts its observer before that of the call.
        "Measuring": ["CallObserver", "ChannelArguments"],
        // Interceptors stand between a call and its caller, and a channel makes their calls.
        "Arguments": ["CallRequests", "Channel", "ChannelBackend", "NewCall"],
        "Connecting": ["SocketSupply"],
        "Deferred": ["ChannelBackend"],
    ]

    @Test("use only types of earlier rooms, but for those in the list")
    func direction() throws {
        let sources = try TransportFolderTests.sources(of: "Core")
        let places = Dictionary(
            uniqueKeysWithValues: Self.order.enumerated().map { ($1.folder, $0) })
        #expect(Set(sources.keys) == Set(places.keys))
        var homes: [String: String] = [:]
        for (folder, files) in sources {
            for name in files.values.flatMap(\.declared) { homes[name] = folder }
        }
        #expect(homes["Link"] == "Link" && homes["CallCore"] == "Calls")
        // Each module declares it.
        homes["Mutex"] = nil
        var unused = Self.backward
        for (folder, files) in sources {
            let place = try #require(places[folder], "\(folder) has no place in the order")
            let own = files.values.reduce(into: Set<String>()) { $0.formUnion($1.ownNames) }
            for (path, file) in files {
                let later = file.used.subtracting(own).filter { name in
                    homes[name].flatMap { places[$0] }.map { $0 > place } ?? false
                }
                unused[folder]?.subtract(later)
                let foreign = later.subtracting(Self.backward[folder] ?? [])
                let list = foreign.sorted().map { "\($0) of \(homes[$0] ?? "")" }
                #expect(foreign.isEmpty, "\(path) uses \(list.joined(separator: ", "))")
            }
        }
        unused = unused.filter { !$0.value.isEmpty }
        #expect(unused.isEmpty, "no longer used: \(unused)")
    }

    @Test("are drawn in the documentation in the order of the list")
    func picture() throws {
        let width = Self.order.map(\.folder.count).max() ?? 0
        let lines = Self.order.reversed().map { folder, idea in
            "    \(folder.padding(toLength: width + 2, withPad: " ", startingAt: 0))\(idea)\n"
        }
        let page = try String(
            contentsOf: ImportTests.sources.appending(path: "Swiftlet/Swiftlet.docc/TheEngine.md"),
            encoding: .utf8)
        #expect(page.contains(lines.joined()), "TheEngine.md must contain:\n\(lines.joined())")
    }
}
