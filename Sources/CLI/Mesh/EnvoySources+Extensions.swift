extension EnvoySources {
    /// What an `Any` in a resource can hold.
    static let extensions: [(package: String, text: String)] = [
        (
            "envoy.extensions.clusters.aggregate.v3",
            """
            message ClusterConfig { repeated string clusters = 1; }
            """
        ),
        (
            "envoy.extensions.filters.common.fault.v3",
            """
            import "envoy/type/v3.proto";
            import "google/protobuf/duration.proto";
            message FaultDelay {
              message HeaderDelay {}
              envoy.type.v3.FractionalPercent percentage = 4;
              oneof fault_delay_secifier {
                google.protobuf.Duration fixed_delay = 3; FaultDelay.HeaderDelay header_delay = 5;
              }
            }
            """
        ),
        (
            "envoy.extensions.filters.http.fault.v3",
            """
            import "envoy/extensions/filters/common/fault/v3.proto";
            import "envoy/type/v3.proto";
            import "google/protobuf/wrappers.proto";
            message FaultAbort {
              message HeaderAbort {}
              envoy.type.v3.FractionalPercent percentage = 3;
              oneof error_type {
                uint32 http_status = 2; uint32 grpc_status = 5;
                FaultAbort.HeaderAbort header_abort = 4;
              }
            }
            message HTTPFault {
              envoy.extensions.filters.common.fault.v3.FaultDelay delay = 1; FaultAbort abort = 2;
              google.protobuf.UInt32Value max_active_faults = 6;
            }
            """
        ),
        (
            "envoy.extensions.filters.http.router.v3",
            """
            message Router {}
            """
        ),
        (
            "envoy.extensions.filters.http.stateful_session.v3",
            """
            import "envoy/config/core/v3.proto";
            message StatefulSession { envoy.config.core.v3.TypedExtensionConfig session_state = 1; }
            message StatefulSessionPerRoute {
              oneof override { bool disabled = 1; StatefulSession stateful_session = 2; }
            }
            """
        ),
        (
            "envoy.extensions.filters.network.http_connection_manager.v3",
            """
            import "envoy/config/core/v3.proto";
            import "envoy/config/route/v3.proto";
            import "google/protobuf/any.proto";
            message HttpConnectionManager {
              repeated HttpFilter http_filters = 5;
              envoy.config.core.v3.HttpProtocolOptions common_http_protocol_options = 35;
              uint32 xff_num_trusted_hops = 19;
              repeated envoy.config.core.v3.TypedExtensionConfig
                original_ip_detection_extensions = 46;
              oneof route_specifier {
                Rds rds = 3; envoy.config.route.v3.RouteConfiguration route_config = 4;
                ScopedRoutes scoped_routes = 31;
              }
            }
            message HttpFilter {
              string name = 1; bool is_optional = 6; bool disabled = 7;
              oneof config_type { google.protobuf.Any typed_config = 4; }
            }
            message Rds {
              envoy.config.core.v3.ConfigSource config_source = 1; string route_config_name = 2;
            }
            message ScopedRoutes {}
            """
        ),
        (
            "envoy.extensions.http.stateful_session.cookie.v3",
            """
            import "envoy/type/http/v3.proto";
            message CookieBasedSessionState { envoy.type.http.v3.Cookie cookie = 1; }
            """
        ),
        (
            "envoy.extensions.load_balancing_policies.client_side_weighted_round_robin.v3",
            """
            import "google/protobuf/duration.proto";
            import "google/protobuf/wrappers.proto";
            message ClientSideWeightedRoundRobin {
              google.protobuf.BoolValue enable_oob_load_report = 1;
              google.protobuf.Duration oob_reporting_period = 2;
              google.protobuf.Duration blackout_period = 3;
              google.protobuf.Duration weight_expiration_period = 4;
              google.protobuf.Duration weight_update_period = 5;
              google.protobuf.FloatValue error_utilization_penalty = 6;
              repeated string metric_names_for_computing_utilization = 7;
            }
            """
        ),
        (
            "envoy.extensions.load_balancing_policies.least_request.v3",
            """
            import "google/protobuf/wrappers.proto";
            message LeastRequest { google.protobuf.UInt32Value choice_count = 1; }
            """
        ),
        (
            "envoy.extensions.load_balancing_policies.pick_first.v3",
            """
            message PickFirst { bool shuffle_address_list = 1; }
            """
        ),
        (
            "envoy.extensions.load_balancing_policies.ring_hash.v3",
            """
            import "google/protobuf/wrappers.proto";
            message RingHash {
              enum HashFunction { DEFAULT_HASH = 0; XX_HASH = 1; MURMUR_HASH_2 = 2; }
              RingHash.HashFunction hash_function = 1;
              google.protobuf.UInt64Value minimum_ring_size = 2;
              google.protobuf.UInt64Value maximum_ring_size = 3;
            }
            """
        ),
        (
            "envoy.extensions.load_balancing_policies.round_robin.v3",
            """
            message RoundRobin {}
            """
        ),
        (
            "envoy.extensions.load_balancing_policies.wrr_locality.v3",
            """
            import "envoy/config/cluster/v3.proto";
            message WrrLocality {
              envoy.config.cluster.v3.LoadBalancingPolicy endpoint_picking_policy = 1;
            }
            """
        ),
        (
            "envoy.extensions.transport_sockets.http_11_proxy.v3",
            """
            import "envoy/config/core/v3.proto";
            message Http11ProxyUpstreamTransport {
              envoy.config.core.v3.TransportSocket transport_socket = 1;
            }
            """
        ),
        (
            "envoy.extensions.transport_sockets.tls.v3",
            """
            import "envoy/config/core/v3.proto";
            import "envoy/type/matcher/v3.proto";
            import "google/protobuf/wrappers.proto";
            message CertificateProviderPluginInstance {
              string instance_name = 1; string certificate_name = 2;
            }
            message CertificateValidationContext {
              message SystemRootCerts {}
              CertificateProviderPluginInstance ca_certificate_provider_instance = 13;
              CertificateValidationContext.SystemRootCerts system_root_certs = 17;
              repeated string verify_certificate_spki = 3;
              repeated string verify_certificate_hash = 2;
              repeated envoy.type.matcher.v3.StringMatcher match_subject_alt_names = 9;
              google.protobuf.BoolValue require_signed_certificate_timestamp = 6;
              envoy.config.core.v3.DataSource crl = 7;
              envoy.config.core.v3.TypedExtensionConfig custom_validator_config = 12;
            }
            message CommonTlsContext {
              message CertificateProviderInstance {
                string instance_name = 1; string certificate_name = 2;
              }
              message CombinedCertificateValidationContext {
                CertificateValidationContext default_validation_context = 1;
                CommonTlsContext.CertificateProviderInstance
                  validation_context_certificate_provider_instance = 4;
              }
              TlsParameters tls_params = 1; repeated TlsCertificate tls_certificates = 2;
              repeated SdsSecretConfig tls_certificate_sds_secret_configs = 6;
              CertificateProviderPluginInstance tls_certificate_provider_instance = 14;
              CommonTlsContext.CertificateProviderInstance
                tls_certificate_certificate_provider_instance = 11;
              envoy.config.core.v3.TypedExtensionConfig custom_handshaker = 13;
              oneof validation_context_type {
                CertificateValidationContext validation_context = 3;
                SdsSecretConfig validation_context_sds_secret_config = 7;
                CommonTlsContext.CombinedCertificateValidationContext
                  combined_validation_context = 8;
                CommonTlsContext.CertificateProviderInstance
                  validation_context_certificate_provider_instance = 12;
              }
            }
            message SdsSecretConfig {}
            message TlsCertificate {}
            message TlsParameters {}
            message UpstreamTlsContext {
              CommonTlsContext common_tls_context = 1; string sni = 2; bool auto_host_sni = 6;
              bool auto_sni_san_validation = 7;
            }
            """
        ),
        (
            "envoy.extensions.upstreams.http.v3",
            """
            import "envoy/config/core/v3.proto";
            message HttpProtocolOptions {
              envoy.config.core.v3.HttpProtocolOptions common_http_protocol_options = 1;
            }
            """
        ),
        (
            "udpa.type.v1",
            """
            import "google/protobuf/struct.proto";
            message TypedStruct { string type_url = 1; google.protobuf.Struct value = 2; }
            """
        ),
        (
            "xds.type.v3",
            """
            import "google/protobuf/struct.proto";
            message TypedStruct { string type_url = 1; google.protobuf.Struct value = 2; }
            """
        ),
    ]
}
