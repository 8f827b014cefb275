extension XDS {
    /// What a call would get from the configuration of its channel, and why.
    ///
    /// Texts of the control plane are in one line of limited length.
    package struct Explanation: Sendable {
        /// A route, by its place in the virtual host and its conditions.
        package struct Route: Sendable {
            package let index: Int
            package let conditions: [String]
        }

        /// A route that was tried, and did not match.
        package struct Skipped: Sendable {
            package let route: Route
            package let reason: String
        }

        package enum Outcome: Sendable {
            case noRoute
            /// The route does something that clients do not: calls fail.
            case otherAction(Route)
            case forward(Route, Forward)
        }

        /// The domains of the virtual host.
        package let domains: [String]
        /// The authority of the channel, by which the virtual host was found.
        package let authority: String
        /// In the order in which they were tried.
        package let skipped: [Skipped]
        package let outcome: Outcome
    }
}

extension XDS.Explanation {
    /// Where the call is sent, and how.
    package struct Forward: Sendable {
        /// A cluster among which one is drawn for each call.
        package struct Choice: Sendable {
            package let cluster: String
            package let weight: UInt32
        }

        package let cluster: String
        /// Empty if the route has one cluster.
        package let choices: [Choice]
        /// The limit of the route; nil for none. The call's own deadline counts if it is earlier.
        package let timeout: Duration?
        package let retry: Retry?
        package let hash: Hash
        /// Whether the name of the endpoint becomes the authority of the call (A81).
        package let rewritesAuthority: Bool
        package let filters: [Filter]
        package let destination: Destination
    }

    package struct Retry: Sendable {
        /// With the first one.
        package let maxAttempts: Int
        package let codes: [String]
        package let initialBackoff: Duration
        package let maxBackoff: Duration
    }

    package struct Hash: Sendable {
        /// What it is made of, in order.
        package let parts: [String]
        /// Nil if no part has a value: the call gets a random one.
        package let value: UInt64?
    }

    package struct Filter: Sendable {
        package let name: String
        /// Whether it is off for the call.
        package let isDisabled: Bool
        /// Whether the route has a configuration of its own for it.
        package let isOverridden: Bool
    }

    package enum Destination: Sendable {
        /// The clusters that have endpoints, the preferred one first.
        case clusters([Leaf])
        /// The message of the calls.
        case failed(String)
    }

    /// A cluster that has endpoints.
    package struct Leaf: Sendable {
        package let name: String
        package let policy: String
        /// The most calls at the same time.
        package let maxRequests: UInt32
        package let drops: [Drop]
        /// The localities of each priority, the preferred one first.
        package let priorities: [[Locality]]
        /// Why there are no endpoints, or why they are not the newest ones; nil if they are.
        package let note: String?
    }

    /// Calls that are dropped before they are sent.
    package struct Drop: Sendable {
        package let category: String
        package let millionths: UInt32
    }

    package struct Locality: Sendable {
        package let name: String
        package let weight: UInt32
        package let endpoints: [Endpoint]
    }

    package struct Endpoint: Sendable {
        package let addresses: [String]
        package let hostName: String
        package let weight: UInt32
        /// Whether it gets only calls of sessions that it has already.
        package let isDraining: Bool
    }
}
