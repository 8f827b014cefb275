/// The parts of Envoy's API that clients of gRPC read, as source of `.proto` files: names and numbers of fields, for
/// resources in JSON. Other fields are ignored.
enum EnvoySources {
    /// The files by their names. Each has the messages of a package.
    static let files = [String: String](
        uniqueKeysWithValues: (resources + extensions).map { package, text in
            (fileName(package), "syntax = \"proto3\";\npackage \(package);\n" + text)
        })

    private static func fileName(_ package: String) -> String {
        package.replacingOccurrences(ofText: ".", by: "/") + ".proto"
    }

    /// Resources, and what they consist of.
    static let resources: [(package: String, text: String)] = [
        (
            "envoy.config.cluster.v3",
            """
            import "envoy/config/core/v3.proto";
            import "envoy/config/endpoint/v3.proto";
            import "google/protobuf/any.proto";
            import "google/protobuf/duration.proto";
            import "google/protobuf/wrappers.proto";
            message CircuitBreakers {
              message Thresholds {
                envoy.config.core.v3.RoutingPriority priority = 1;
                google.protobuf.UInt32Value max_requests = 4;
              }
              repeated CircuitBreakers.Thresholds thresholds = 1;
            }
            message Cluster {
              enum DiscoveryType {
                STATIC = 0; STRICT_DNS = 1; LOGICAL_DNS = 2; EDS = 3; ORIGINAL_DST = 4;
              }
              enum LbPolicy {
                ROUND_ROBIN = 0; LEAST_REQUEST = 1; RING_HASH = 2; RANDOM = 3; MAGLEV = 5;
                CLUSTER_PROVIDED = 6; LOAD_BALANCING_POLICY_CONFIG = 7;
              }
              message TransportSocketMatch {}
              message CustomClusterType { string name = 1; google.protobuf.Any typed_config = 2; }
              message EdsClusterConfig {
                envoy.config.core.v3.ConfigSource eds_config = 1; string service_name = 2;
              }
              message LeastRequestLbConfig { google.protobuf.UInt32Value choice_count = 1; }
              message RingHashLbConfig {
                enum HashFunction { XX_HASH = 0; MURMUR_HASH_2 = 1; }
                google.protobuf.UInt64Value minimum_ring_size = 1;
                Cluster.RingHashLbConfig.HashFunction hash_function = 3;
                google.protobuf.UInt64Value maximum_ring_size = 4;
              }
              message CommonLbConfig {
                envoy.config.core.v3.HealthStatusSet override_host_status = 8;
              }
              repeated Cluster.TransportSocketMatch transport_socket_matches = 43; string name = 1;
              Cluster.EdsClusterConfig eds_cluster_config = 3; Cluster.LbPolicy lb_policy = 6;
              envoy.config.endpoint.v3.ClusterLoadAssignment load_assignment = 33;
              CircuitBreakers circuit_breakers = 10; OutlierDetection outlier_detection = 19;
              Cluster.CommonLbConfig common_lb_config = 27;
              envoy.config.core.v3.TransportSocket transport_socket = 24;
              envoy.config.core.v3.Metadata metadata = 25;
              LoadBalancingPolicy load_balancing_policy = 41;
              envoy.config.core.v3.ConfigSource lrs_server = 42;
              repeated string lrs_report_endpoint_metrics = 57;
              envoy.config.core.v3.TypedExtensionConfig upstream_config = 48;
              oneof cluster_discovery_type {
                Cluster.DiscoveryType type = 2; Cluster.CustomClusterType cluster_type = 38;
              }
              oneof lb_config {
                Cluster.RingHashLbConfig ring_hash_lb_config = 23;
                Cluster.LeastRequestLbConfig least_request_lb_config = 37;
              }
            }
            message LoadBalancingPolicy {
              message Policy {
                envoy.config.core.v3.TypedExtensionConfig typed_extension_config = 4;
              }
              repeated LoadBalancingPolicy.Policy policies = 1;
            }
            message OutlierDetection {
              google.protobuf.Duration interval = 2;
              google.protobuf.Duration base_ejection_time = 3;
              google.protobuf.UInt32Value max_ejection_percent = 4;
              google.protobuf.UInt32Value enforcing_success_rate = 6;
              google.protobuf.UInt32Value success_rate_minimum_hosts = 7;
              google.protobuf.UInt32Value success_rate_request_volume = 8;
              google.protobuf.UInt32Value success_rate_stdev_factor = 9;
              google.protobuf.UInt32Value failure_percentage_threshold = 16;
              google.protobuf.UInt32Value enforcing_failure_percentage = 17;
              google.protobuf.UInt32Value failure_percentage_minimum_hosts = 19;
              google.protobuf.UInt32Value failure_percentage_request_volume = 20;
              google.protobuf.Duration max_ejection_time = 21;
            }
            """
        ),
        (
            "envoy.config.core.v3",
            """
            import "envoy/type/v3.proto";
            import "google/protobuf/any.proto";
            import "google/protobuf/duration.proto";
            import "google/protobuf/struct.proto";
            enum HealthStatus {
              UNKNOWN = 0; HEALTHY = 1; UNHEALTHY = 2; DRAINING = 3; TIMEOUT = 4; DEGRADED = 5;
            }
            enum RoutingPriority { DEFAULT = 0; HIGH = 1; }
            message Address { oneof address { SocketAddress socket_address = 1; } }
            message AggregatedConfigSource {}
            message ConfigSource {
              oneof config_source_specifier {
                AggregatedConfigSource ads = 3; SelfConfigSource self = 5;
              }
            }
            message DataSource {}
            message HealthStatusSet { repeated HealthStatus statuses = 1; }
            message HttpProtocolOptions {
              google.protobuf.Duration idle_timeout = 1;
              google.protobuf.Duration max_stream_duration = 4;
            }
            message Locality { string region = 1; string zone = 2; string sub_zone = 3; }
            message Metadata {
              map<string, google.protobuf.Struct> filter_metadata = 1;
              map<string, google.protobuf.Any> typed_filter_metadata = 2;
            }
            message RuntimeFractionalPercent { envoy.type.v3.FractionalPercent default_value = 1; }
            message SelfConfigSource {}
            message SocketAddress {
              string address = 2; string resolver_name = 5;
              oneof port_specifier { uint32 port_value = 3; string named_port = 4; }
            }
            message TransportSocket {
              string name = 1;
              oneof config_type { google.protobuf.Any typed_config = 3; }
            }
            message TypedExtensionConfig { string name = 1; google.protobuf.Any typed_config = 2; }
            """
        ),
        (
            "envoy.config.endpoint.v3",
            """
            import "envoy/config/core/v3.proto";
            import "envoy/type/v3.proto";
            import "google/protobuf/wrappers.proto";
            message ClusterLoadAssignment {
              message Policy {
                message DropOverload {
                  string category = 1; envoy.type.v3.FractionalPercent drop_percentage = 2;
                }
                repeated ClusterLoadAssignment.Policy.DropOverload drop_overloads = 2;
              }
              string cluster_name = 1; repeated LocalityLbEndpoints endpoints = 2;
              ClusterLoadAssignment.Policy policy = 4;
            }
            message Endpoint {
              message AdditionalAddress { envoy.config.core.v3.Address address = 1; }
              envoy.config.core.v3.Address address = 1; string hostname = 3;
              repeated Endpoint.AdditionalAddress additional_addresses = 4;
            }
            message LbEndpoint {
              envoy.config.core.v3.HealthStatus health_status = 2;
              envoy.config.core.v3.Metadata metadata = 3;
              google.protobuf.UInt32Value load_balancing_weight = 4;
              oneof host_identifier { Endpoint endpoint = 1; }
            }
            message LocalityLbEndpoints {
              envoy.config.core.v3.Locality locality = 1;
              envoy.config.core.v3.Metadata metadata = 9; repeated LbEndpoint lb_endpoints = 2;
              google.protobuf.UInt32Value load_balancing_weight = 3; uint32 priority = 5;
            }
            """
        ),
        (
            "envoy.config.listener.v3",
            """
            import "envoy/config/core/v3.proto";
            import "google/protobuf/any.proto";
            message ApiListener { google.protobuf.Any api_listener = 1; }
            message Listener {
              string name = 1; envoy.config.core.v3.Address address = 2; ApiListener api_listener = 19;
            }
            """
        ),
        (
            "envoy.config.route.v3",
            """
            import "envoy/config/core/v3.proto";
            import "envoy/type/matcher/v3.proto";
            import "envoy/type/v3.proto";
            import "google/protobuf/any.proto";
            import "google/protobuf/duration.proto";
            import "google/protobuf/wrappers.proto";
            message ClusterSpecifierPlugin {
              envoy.config.core.v3.TypedExtensionConfig extension = 1; bool is_optional = 2;
            }
            message FilterConfig {
              google.protobuf.Any config = 1; bool is_optional = 2; bool disabled = 3;
            }
            message HeaderMatcher {
              string name = 1; bool invert_match = 8;
              oneof header_match_specifier {
                string exact_match = 4; envoy.type.matcher.v3.RegexMatcher safe_regex_match = 11;
                envoy.type.v3.Int64Range range_match = 6; bool present_match = 7;
                string prefix_match = 9; string suffix_match = 10; string contains_match = 12;
                envoy.type.matcher.v3.StringMatcher string_match = 13;
              }
            }
            message NonForwardingAction {}
            message QueryParameterMatcher {}
            message RetryPolicy {
              message RetryBackOff {
                google.protobuf.Duration base_interval = 1;
                google.protobuf.Duration max_interval = 2;
              }
              string retry_on = 1; google.protobuf.UInt32Value num_retries = 2;
              RetryPolicy.RetryBackOff retry_back_off = 8;
            }
            message Route {
              RouteMatch match = 1; map<string, google.protobuf.Any> typed_per_filter_config = 13;
              oneof action {
                RouteAction route = 2; NonForwardingAction non_forwarding_action = 18;
              }
            }
            message RouteAction {
              message HashPolicy {
                message Header {
                  string header_name = 1;
                  envoy.type.matcher.v3.RegexMatchAndSubstitute regex_rewrite = 2;
                }
                message FilterState { string key = 1; }
                bool terminal = 4;
                oneof policy_specifier {
                  RouteAction.HashPolicy.Header header = 1;
                  RouteAction.HashPolicy.FilterState filter_state = 6;
                }
              }
              message MaxStreamDuration {
                google.protobuf.Duration max_stream_duration = 1;
                google.protobuf.Duration grpc_timeout_header_max = 2;
              }
              RetryPolicy retry_policy = 9; repeated RouteAction.HashPolicy hash_policy = 15;
              RouteAction.MaxStreamDuration max_stream_duration = 36;
              oneof cluster_specifier {
                string cluster = 1; WeightedCluster weighted_clusters = 3;
                string cluster_specifier_plugin = 37;
              }
              oneof host_rewrite_specifier { google.protobuf.BoolValue auto_host_rewrite = 7; }
            }
            message RouteConfiguration {
              string name = 1; repeated VirtualHost virtual_hosts = 2;
              repeated ClusterSpecifierPlugin cluster_specifier_plugins = 12;
            }
            message RouteMatch {
              google.protobuf.BoolValue case_sensitive = 4;
              envoy.config.core.v3.RuntimeFractionalPercent runtime_fraction = 9;
              repeated HeaderMatcher headers = 6;
              repeated QueryParameterMatcher query_parameters = 7;
              oneof path_specifier {
                string prefix = 1; string path = 2;
                envoy.type.matcher.v3.RegexMatcher safe_regex = 10;
              }
            }
            message VirtualHost {
              string name = 1; repeated string domains = 2; repeated Route routes = 3;
              map<string, google.protobuf.Any> typed_per_filter_config = 15;
              RetryPolicy retry_policy = 16;
            }
            message WeightedCluster {
              message ClusterWeight {
                string name = 1; google.protobuf.UInt32Value weight = 2;
                map<string, google.protobuf.Any> typed_per_filter_config = 10;
              }
              repeated WeightedCluster.ClusterWeight clusters = 1;
            }
            """
        ),
        (
            "envoy.service.discovery.v3",
            """
            import "google/protobuf/any.proto";
            message Resource { string name = 3; google.protobuf.Any resource = 2; }
            """
        ),
        (
            "envoy.type.http.v3",
            """
            import "google/protobuf/duration.proto";
            message Cookie { string name = 1; google.protobuf.Duration ttl = 2; string path = 3; }
            """
        ),
        (
            "envoy.type.matcher.v3",
            """
            message RegexMatchAndSubstitute { RegexMatcher pattern = 1; string substitution = 2; }
            message RegexMatcher { string regex = 2; }
            message StringMatcher {
              bool ignore_case = 6;
              oneof match_pattern {
                string exact = 1; string prefix = 2; string suffix = 3; RegexMatcher safe_regex = 5;
                string contains = 7;
              }
            }
            """
        ),
        (
            "envoy.type.v3",
            """
            message FractionalPercent {
              enum DenominatorType { HUNDRED = 0; TEN_THOUSAND = 1; MILLION = 2; }
              uint32 numerator = 1; FractionalPercent.DenominatorType denominator = 2;
            }
            message Int64Range { int64 start = 1; int64 end = 2; }
            """
        ),
    ]
}
