/// Reports addresses that the target itself names, once.
struct FixedResolver: Resolver {
    let endpoints: [Endpoint]

    func start(_ results: ResolverResults) { results.report(ResolverResult(endpoints)) }

    /// The addresses cannot change.
    func requestResolution() {}

    func stop() {}
}
