#if DEBUG || SWIFTLET_WATCHED_LOCKS
    /// Which locks may be taken while another lock is held. Builds with watched locks check it.
    ///
    /// A lock is named by the type of the value that it guards, as ``name(of:)`` writes it. The
    /// table lists no lock that is held alone, and most locks are.
    struct LockOrder: Sendable {
        /// Each lock with those that may be taken while it is held.
        let table: [String: Set<String>]

        static let ofPackage = LockOrder(table: [
            // A channel decides with its subchannels, and reports in the order of its changes.
            "ChannelCore.State": [
                "CallCore.State", "ChannelLog.State", "Followers.State", "SubchannelCore.State",
            ],
            "ChannelLog.State": ["Followers.State"],
            "ConnectivityMonitor.State": ["Followers.State"],
            // A subchannel decides with its connections.
            "SubchannelCore.State": [
                "CallCore.State", "ChannelLog.State", "HTTP1Link.State", "Link.State",
                "Optional<MonotonicInstant>", "RaceState", "SubchannelStream.State",
            ],
            "RaceState": ["ConnectionCandidate.State"],
            "Link.State": [
                "CallRetries.State", "LinkFrameLog.State", "Optional<CallRetries>",
            ],
            // The records of TLS are written in the order in which the session makes them. The session
            // may be one of the program, which must not use the channel, or one of the tests.
            "Optional<SecureLayer>": [
                "Dictionary<ServerIdentity, Array<OpenSSLTicket>>", "GnuTLS.State",
                "GnuTLSContext.State", "ProgramSession.State",
            ],
            "HedgedCall.State": ["HedgedCall.Attempt.State"],
            // A call decides with its retry policy. A connection writes the headers of its attempt.
            "CallCore.State": ["CallRetries.State", "Optional<CallRetries>"],
            "OperationBatches.State": ["CompletionQueue.State"],
            // A loop that is closed has no timers.
            "EventLoop.Inbox": ["LoopTimers.State"],
            // The loopback server, and a test's fake channel.
            "ServerSession.State": ["ServerCall.State"],
            "HealthService.State": ["SerialMailbox.State"],
            "FakeResponse.Progress": ["FakeStream.State"],
        ])

        /// One lock.
        struct Lock {
            let name: String
            /// Distinguishes the locks of one name.
            let address: UInt
        }
    }

    extension LockOrder {
        /// Why a thread must not take `lock`; nil if it may.
        ///
        /// - Parameter held: The locks that the thread holds, the last one at the end.
        func violation(taking lock: Lock, holding held: [Lock]) -> String? {
            guard let last = held.last else { return nil }
            if held.contains(where: { $0.address == lock.address }) {
                return "the lock of \(lock.name) is taken by a thread that holds it"
            }
            // The last lock is enough: the table has no circle, and allowed the last one after the others.
            if table[last.name, default: []].contains(lock.name) { return nil }
            return
                "the lock of \(lock.name) is taken while that of \(last.name) is held, which LockOrder does not list"
        }

        /// Why a thread must not call code of the program; nil if it may.
        func violation(calling callee: String, holding held: [Lock]) -> String? {
            held.last.map { "the lock of \($0.name) is held during a call: \(callee)" }
        }

        /// A circle of locks in the table; nil if there is none. Two threads that take the locks of a circle
        /// can stop each other: each waits for a lock that the other holds.
        var circle: [String]? {
            var visited: Set<String> = []
            for name in table.keys.sorted() {
                if let circle = circle(after: [name], &visited) { return circle }
            }
            return nil
        }

        private func circle(after path: [String], _ visited: inout Set<String>) -> [String]? {
            guard let last = path.last else { return nil }
            if let start = path.dropLast().firstIndex(of: last) { return Array(path[start...]) }
            guard visited.insert(last).inserted else { return nil }
            for next in table[last, default: []].sorted() {
                if let circle = circle(after: path + [next], &visited) { return circle }
            }
            return nil
        }
    }
#endif
