import SwiftletLoopback
import SwiftletXDS

/// What a call would get, for people and for programs.
struct ExplanationText {
    let explanation: XDS.Explanation

    var text: String {
        var lines = [
            "virtual host   \(explanation.domains.joined(separator: ", ")) "
                + "(for the authority '\(explanation.authority)')"
        ]
        for skipped in explanation.skipped {
            lines += Self.lines(skipped.route, "no")
            lines.append("                 but \(skipped.reason)")
        }
        switch explanation.outcome {
        case .noRoute:
            lines.append("result         no route matches: the call fails with UNAVAILABLE")
        case .otherAction(let route):
            lines += Self.lines(route, "yes")
            lines.append(
                "result         the route forwards no calls: the call fails with UNAVAILABLE")
        case .forward(let route, let forward):
            lines += Self.lines(route, "yes") + Self.lines(forward)
        }
        return lines.joined(separator: "\n")
    }

    private static func lines(_ route: XDS.Explanation.Route, _ verdict: String) -> [String] {
        let number = "route \(route.index)"
        return [
            number + String(repeating: " ", count: max(1, 15 - number.count))
                + "\(verdict): if \(route.conditions.joined(separator: ", and "))"
        ]
    }

    private static func lines(_ forward: XDS.Explanation.Forward) -> [String] {
        var lines = ["cluster        \(forward.cluster)"]
        if !forward.choices.isEmpty {
            let choices = forward.choices.map { "\($0.cluster) (weight \($0.weight))" }
            lines.append("                 drawn from \(choices.joined(separator: ", "))")
        }
        lines.append("timeout        \(forward.timeout.map { "\($0)" } ?? "none")")
        if let retry = forward.retry {
            lines.append(
                "retry          up to \(retry.maxAttempts) attempts, after "
                    + "\(retry.codes.joined(separator: ", ")); backoff \(retry.initialBackoff) to "
                    + "\(retry.maxBackoff)")
        } else {
            lines.append("retry          none")
        }
        lines.append("hash           \(text(of: forward.hash))")
        if forward.rewritesAuthority { lines.append("authority      the name of the endpoint") }
        for filter in forward.filters {
            let notes = [
                filter.isDisabled ? "off" : "on", filter.isOverridden ? "set by the routes" : nil,
            ]
            lines.append(
                "filter         \(filter.name) (\(notes.compactMap { $0 }.joined(separator: ", ")))"
            )
        }
        switch forward.destination {
        case .failed(let text): lines.append("endpoints      none: calls fail: \(text)")
        case .clusters(let leaves): for leaf in leaves { lines += Self.lines(leaf) }
        }
        return lines
    }

    private static func text(of hash: XDS.Explanation.Hash) -> String {
        guard !hash.parts.isEmpty else { return "none: a random one for each call" }
        let parts = hash.parts.joined(separator: ", then ")
        guard let value = hash.value else { return "\(parts): the call has none of these" }
        return "\(value) of \(parts)"
    }

    private static func lines(_ leaf: XDS.Explanation.Leaf) -> [String] {
        var lines = [
            "endpoints      of \(leaf.name): \(leaf.policy), at most \(leaf.maxRequests) calls at a time"
        ]
        for drop in leaf.drops {
            lines.append(
                "                 drops \(drop.millionths) of 1000000 calls: \(drop.category)")
        }
        for (priority, localities) in leaf.priorities.enumerated() {
            for locality in localities {
                let name = locality.name.isEmpty ? "a locality without a name" : locality.name
                lines.append("  priority \(priority)   \(name) (weight \(locality.weight))")
                lines += locality.endpoints.map { endpoint in
                    var notes = ["weight \(endpoint.weight)"]
                    if !endpoint.hostName.isEmpty { notes.append(endpoint.hostName) }
                    if endpoint.isDraining { notes.append("draining") }
                    return "                 \(endpoint.addresses.joined(separator: " or ")) "
                        + "(\(notes.joined(separator: ", ")))"
                }
            }
        }
        if leaf.priorities.isEmpty { lines.append("                 none") }
        if let note = leaf.note { lines.append("                 \(note)") }
        return lines
    }
}

// MARK: - JSON

extension ExplanationText {
    var json: String {
        var members = [
            ("authority", JSONText.quoted(explanation.authority)),
            ("domains", IndentedJSON.texts(explanation.domains)),
            (
                "skippedRoutes",
                IndentedJSON.list(
                    explanation.skipped.map { skipped in
                        IndentedJSON.object(
                            Self.members(skipped.route)
                                + [("reason", JSONText.quoted(skipped.reason))])
                    })
            ),
        ]
        switch explanation.outcome {
        case .noRoute: members.append(("route", "null"))
        case .otherAction(let route):
            members += [
                ("route", IndentedJSON.object(Self.members(route))), ("forwards", "false"),
            ]
        case .forward(let route, let forward):
            members += [
                ("route", IndentedJSON.object(Self.members(route))), ("forwards", "true"),
            ]
            members += Self.members(forward)
        }
        return IndentedJSON.object(members)
    }

    private static func members(_ route: XDS.Explanation.Route) -> [(name: String, json: String)] {
        [("index", "\(route.index)"), ("conditions", IndentedJSON.texts(route.conditions))]
    }

    private static func members(
        _ forward: XDS.Explanation.Forward
    ) -> [(name: String, json: String)] {
        let choices = forward.choices.map { choice in
            IndentedJSON.object([
                ("cluster", JSONText.quoted(choice.cluster)), ("weight", "\(choice.weight)"),
            ])
        }
        let filters = forward.filters.map { filter in
            IndentedJSON.object([
                ("name", JSONText.quoted(filter.name)), ("disabled", "\(filter.isDisabled)"),
                ("overridden", "\(filter.isOverridden)"),
            ])
        }
        let retry = forward.retry.map { retry in
            IndentedJSON.object([
                ("maxAttempts", "\(retry.maxAttempts)"), ("codes", IndentedJSON.texts(retry.codes)),
                ("initialBackoffSeconds", seconds(retry.initialBackoff)),
                ("maxBackoffSeconds", seconds(retry.maxBackoff)),
            ])
        }
        let hash = IndentedJSON.object([
            ("parts", IndentedJSON.texts(forward.hash.parts)),
            // Numbers of JSON are often read as doubles, which have no 64 bits.
            ("value", IndentedJSON.text(forward.hash.value.map { "\($0)" })),
        ])
        var members: [(name: String, json: String)] = [
            ("cluster", JSONText.quoted(forward.cluster)),
            ("weightedClusters", IndentedJSON.list(choices)),
            ("timeoutSeconds", forward.timeout.map { seconds($0) } ?? "null"),
            ("retry", retry ?? "null"), ("hash", hash),
            ("rewritesAuthority", "\(forward.rewritesAuthority)"),
            ("filters", IndentedJSON.list(filters)),
        ]
        switch forward.destination {
        case .failed(let text): members.append(("error", JSONText.quoted(text)))
        case .clusters(let leaves):
            members.append(("clusters", IndentedJSON.list(leaves.map(json))))
        }
        return members
    }

    private static func seconds(_ duration: Duration) -> String { "\(duration / .seconds(1))" }

    private static func json(_ leaf: XDS.Explanation.Leaf) -> String {
        let drops = leaf.drops.map { drop in
            IndentedJSON.object([
                ("category", JSONText.quoted(drop.category)), ("millionths", "\(drop.millionths)"),
            ])
        }
        let priorities = leaf.priorities.map { IndentedJSON.list($0.map(json)) }
        return IndentedJSON.object([
            ("name", JSONText.quoted(leaf.name)), ("policy", JSONText.quoted(leaf.policy)),
            ("maxRequests", "\(leaf.maxRequests)"), ("drops", IndentedJSON.list(drops)),
            ("priorities", IndentedJSON.list(priorities)), ("note", IndentedJSON.text(leaf.note)),
        ])
    }

    private static func json(_ locality: XDS.Explanation.Locality) -> String {
        let endpoints = locality.endpoints.map { endpoint in
            IndentedJSON.object([
                ("addresses", IndentedJSON.texts(endpoint.addresses)),
                ("hostName", JSONText.quoted(endpoint.hostName)), ("weight", "\(endpoint.weight)"),
                ("draining", "\(endpoint.isDraining)"),
            ])
        }
        return IndentedJSON.object([
            ("name", JSONText.quoted(locality.name)), ("weight", "\(locality.weight)"),
            ("endpoints", IndentedJSON.list(endpoints)),
        ])
    }
}
