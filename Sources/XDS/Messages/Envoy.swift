/// The packages of Envoy's API, as namespaces of their messages: `envoy.config.route.v3.Route` is `Envoy.Routes.Route`.
enum Envoy {
    /// `envoy.service.discovery.v3`.
    enum Discovery {}
    /// `envoy.config.core.v3`.
    enum Core {}
    /// `envoy.config.listener.v3`.
    enum Listeners {}
    /// `envoy.extensions.filters.network.http_connection_manager.v3`.
    enum ConnectionManager {}
    /// `envoy.config.route.v3`.
    enum Routes {}
    /// `envoy.type.matcher.v3`.
    enum Matcher {}
    /// `envoy.type.v3`, and packages beside it.
    enum Types {}
    /// `envoy.config.cluster.v3`.
    enum Clusters {}
    /// `envoy.config.endpoint.v3`.
    enum Endpoints {}
    /// `envoy.service.load_stats.v3`.
    enum LoadStats {}
    /// `envoy.service.status.v3`.
    enum Status {}
    /// `envoy.admin.v3`.
    enum Admin {}
    /// `envoy.extensions.transport_sockets.tls.v3`.
    enum TLS {}
    /// `envoy.extensions.transport_sockets.http_11_proxy.v3`.
    enum HTTP11Proxy {}
    /// `envoy.extensions.upstreams.http.v3`.
    enum Upstreams {}
    /// `envoy.extensions.clusters.aggregate.v3`.
    enum Aggregate {}
    /// `envoy.extensions.load_balancing_policies.ring_hash.v3`, and packages beside it.
    enum Policies {}
    /// `envoy.extensions.filters.http.router.v3`, and packages beside it.
    enum Filters {}
    /// `xds.type.v3`.
    enum XDSTypes {}
    /// `udpa.type.v1`.
    enum UDPATypes {}
}
