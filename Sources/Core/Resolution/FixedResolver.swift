/// Reports the addresses that are written in the target, once.
struct FixedResolver: Resolver {
    let endpoints: [Endpoint]

    func start(_ results: ResolverResults) { results.report(ResolverResult(endpoints)) }

    /// Does nothing, because the addresses cannot change.
    func requestResolution() {}

    func stop() {}
}
