import SwiftletTransport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension [Endpoint] {
    /// One endpoint with the addresses of all endpoints, in the order in which they are tried: the
    /// concatenated addresses without repetition, with the address families interleaved (A61). Each
    /// address keeps its TLS name. The other attributes are those of the first endpoint that has an
    /// address. Nil when none has one.
    func flattened() -> Endpoint? {
        var seen: Set<SocketAddress> = []
        let addresses = flatMap { $0.addresses.map(\.socketAddress) }
            .filter { seen.insert($0).inserted }
        guard let first = first(where: { !$0.addresses.isEmpty }) else { return nil }
        var endpoint = Endpoint(
            HappyEyeballs.interleaved(addresses).map { ServerAddress($0) },
            attributes: first.attributes)
        endpoint.keepServerNames(of: self)
        endpoint.attributes.labels = labels
        return endpoint
    }

    /// The labels of all of them. Without the locality if they are in several.
    package var labels: BackendLabels? {
        guard let first = first?.attributes.labels,
            contains(where: { $0.attributes.labels != first })
        else {
            return first?.attributes.labels
        }
        return BackendLabels(service: first.service)
    }

    /// The endpoints in a random order, in which the chance to be the next one is in proportion to the weight (A113).
    /// The order of each endpoint's addresses is kept (A62).
    ///
    /// A113 sorts by `u ^ (1 / weight)`, the largest first. The logarithm has the same order and does not run out of
    /// digits: small weights would give many keys of zero.
    func shuffled(_ context: inout BalancerContext) -> [Endpoint] {
        let keyed: [(key: Double, endpoint: Endpoint)] = map { endpoint in
            // Above 0 and below 1.
            let random: Double = (Double(context.randomNumber() >> 12) + 0.5) * 0x1p-52
            let weight = Double(Swift.max(endpoint.attributes.weight, 1))
            return (-log(random) / weight, endpoint)
        }
        return keyed.inOrder { $0.key < $1.key }.map(\.endpoint)
    }
}
