"""Rules for clusters: what is refused, and what is not."""
from resources import *
from steps import *

BUFFER = "envoy.extensions.filters.http.buffer.v3.Buffer"
POLICIES = "envoy.extensions.load_balancing_policies."
ROUND_ROBIN = extension("rr", POLICIES + "round_robin.v3.RoundRobin")
WRR = POLICIES + "wrr_locality.v3.WrrLocality"
RING = POLICIES + "ring_hash.v3.RingHash"


def dns(*points, **fields):
    return Resource("CDS", {"name": "a", "type": "LOGICAL_DNS", "load_assignment": {
        "endpoints": [{"lb_endpoints": list(each)} for each in points]}, **fields})


def outliers(**fields):
    return cluster(outlier_detection=fields)


def nested(depth):
    inner = ROUND_ROBIN
    for _ in range(depth):
        inner = extension("wrr", WRR, endpoint_picking_policy=policy(inner))
    return cluster(load_balancing_policy=policy(inner))


POINT = {"endpoint": {"address": {"socket_address": {"address": "localhost", "port_value": 1}}}}

bad("kinds of clusters that are unknown", cluster(type="STATIC"), cluster(type="STRICT_DNS"),
    cluster(type="ORIGINAL_DST"), text="type")
bad("EDS from another source than ADS", cluster(eds_cluster_config={"eds_config": {"path": "/tmp/eds"}}),
    text="eds_config")
bad("EDS without settings", cluster(eds_cluster_config=None), text="eds_cluster_config")
good("EDS from `self`", cluster(eds_cluster_config={"eds_config": {"self": {}}}))
bad("DNS without a server", Resource("CDS", {"name": "a", "type": "LOGICAL_DNS"}), text="load_assignment")
bad("DNS with two localities", dns([POINT], [POINT]), text="load_assignment")
bad("DNS with no or two endpoints", dns([]), dns([POINT, POINT]), text="load_assignment")
bad("DNS without an address", dns([{"endpoint": {}}]), text="address")
bad("DNS without a host", dns([{"endpoint": {"address": {"socket_address": {"port_value": 1}}}}]), text="address")
bad("DNS without a port", dns([{"endpoint": {"address": {"socket_address": {"address": "localhost"}}}}]),
    text="port_value")
bad("DNS with a resolver's name", dns([{"endpoint": {"address": {"socket_address": {
    "address": "localhost", "port_value": 1, "resolver_name": "x"}}}}]), text="resolver_name")
bad("an aggregate without clusters", aggregate("a"), text="clusters")
row("an aggregate with the policy CLUSTER_PROVIDED, as Envoy demands it", give(
    web()[:2], aggregate("a", "b", lb_policy="CLUSTER_PROVIDED"), lookup("b")),
    call(either("A75 says that the policy of an aggregate is ignored; C++ checks it", (14, "lb_policy"), "B")))
bad("an unknown kind of cluster by name", Resource("CDS", {
    "name": "a", "cluster_type": extension("x", BUFFER)}), text="cluster_type")
bad("an unknown policy", cluster(lb_policy="MAGLEV"), cluster(lb_policy="RANDOM"), text="lb_policy")
bad("ring sizes out of range",
    cluster(lb_policy="RING_HASH", ring_hash_lb_config={"minimum_ring_size": 8_388_609}),
    cluster(lb_policy="RING_HASH", ring_hash_lb_config={"maximum_ring_size": 8_388_609}),
    cluster(lb_policy="RING_HASH", ring_hash_lb_config={"minimum_ring_size": 2048, "maximum_ring_size": 2000}),
    text="ring_size")
bad("a ring with another hash", cluster(lb_policy="RING_HASH", ring_hash_lb_config={
    "hash_function": "MURMUR_HASH_2"}), text="hash_function")
bad("a list of policies without a known one", cluster(load_balancing_policy=policy(extension("x", BUFFER))),
    text="load_balancing_policy")
bad("an empty list of policies", cluster(load_balancing_policy={}), text="load_balancing_policy")
good("a list of policies: the first known one counts",
     cluster(load_balancing_policy=policy(extension("x", BUFFER), ROUND_ROBIN)))
bad("a wrong ring in a list of policies", cluster(load_balancing_policy=policy(extension(
    "ring", RING, hash_function="MURMUR_HASH_2"))), text="hash_function")
bad("wrr_locality without a policy inside", cluster(load_balancing_policy=policy(extension("wrr", WRR))),
    text="endpoint_picking_policy")
good("policies of depth 15", nested(15))
bad("policies of depth 17", nested(17), text="load_balancing_policy")
bad("a policy by name whose settings are wrong", cluster(load_balancing_policy=policy(extension(
    "own", "xds.type.v3.TypedStruct", type_url=URL + "a.b/ring_hash_experimental",
    value={"minRingSize": "x"}))), text="load_balancing_policy")
bad("an unknown policy by name", cluster(load_balancing_policy=policy(extension(
    "own", "xds.type.v3.TypedStruct", type_url=URL + "a.b/no_such_policy", value={}))), text="load_balancing_policy")
good("a policy by name", cluster(load_balancing_policy=policy(extension(
    "own", "xds.type.v3.TypedStruct", type_url=URL + "a.b/round_robin", value={}))))
for each in ("max_ejection_percent", "enforcing_success_rate", "enforcing_failure_percentage"):
    bad(f"outlier detection: {each} 101", outliers(**{each: 101}), text=each)
split("outlier detection: failure_percentage_threshold 101", "A50 says at most 100; C++ does not check",
      outliers(failure_percentage_threshold=101),
      outliers(failure_percentage_threshold=101, enforcing_failure_percentage=50), text="failure_percentage_threshold")
for each in ("interval", "base_ejection_time", "max_ejection_time"):
    bad(f"outlier detection: {each} negative", outliers(**{each: "-1s"}), text=each)
bad("reports for another server", cluster(lrs_server=FROM_ADS), text="lrs_server")
bad("an unknown transport socket", cluster(transport_socket=extension("x", BUFFER)), text="transport_socket")
bad("a transport socket of raw bytes", cluster(transport_socket=extension(
    "x", "envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer")), text="transport_socket")

TLS = "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext"
INSTANCE = {"instance_name": "certs"}
CA = {"ca_certificate_provider_instance": INSTANCE}
WITH_CERTIFICATES = {"certificate_providers": {"certs": {"plugin_name": "file_watcher", "config": {
    "ca_certificate_file": "Tests/Certificates/ca.pem"}}}}


def tls(context=None, **common):
    return cluster(transport_socket=extension(
        "tls", TLS, **{"common_tls_context": common, **(context or {})}))


def bad_tls(name, *variants, text=""):
    bad(name, *variants, text=text, bootstrap=WITH_CERTIFICATES)


good("TLS with a CA of the bootstrap, on an insecure channel: plaintext", tls(validation_context=CA),
     bootstrap=WITH_CERTIFICATES)
good("TLS with the system's roots", tls(validation_context={"system_root_certs": {}}))
good("TLS with a combined context", tls(combined_validation_context={"default_validation_context": CA}),
     bootstrap=WITH_CERTIFICATES)
good("TLS settings that are ignored", tls(validation_context={**CA, "trusted_ca": {"inline_string": "x"}},
                                           alpn_protocols=["h2"], context={"allow_renegotiation": True}),
     bootstrap=WITH_CERTIFICATES)
good("TLS with an instance of a certificate, beside others that have no effect",
     tls(validation_context=CA, tls_certificate_provider_instance=INSTANCE, tls_certificates=[{}]),
     tls(validation_context=CA, tls_certificate_provider_instance=INSTANCE, tls_certificate_sds_secret_configs=[
         {"name": "x"}]), bootstrap=WITH_CERTIFICATES)
bad_tls("TLS without settings", cluster(transport_socket=extension("tls", TLS)), text="common_tls_context")
bad_tls("TLS without a CA", tls(), text="common_tls_context")
bad_tls("TLS with an unknown instance", tls(validation_context={
    "ca_certificate_provider_instance": {"instance_name": "other"}}), text="instance")
bad_tls("TLS with an unknown instance of a certificate", tls(
    validation_context=CA, tls_certificate_provider_instance={"instance_name": "other"}), text="instance")
bad_tls("TLS parameters", tls(validation_context=CA, tls_params={}), text="tls_params")
bad_tls("TLS by another handshaker", tls(validation_context=CA, custom_handshaker=extension("x", BUFFER)),
        text="custom_handshaker")
bad_tls("TLS with certificates inline", tls(validation_context=CA, tls_certificates=[{}]), text="tls_certificates")
bad_tls("TLS with certificates by SDS", tls(validation_context=CA, tls_certificate_sds_secret_configs=[
    {"name": "x"}]), text="sds")
for each, value in (("verify_certificate_spki", ["x"]), ("verify_certificate_hash", ["x"]),
                    ("require_signed_certificate_timestamp", True), ("crl", {}),
                    ("custom_validator_config", extension("x", BUFFER))):
    bad_tls(f"TLS: {each}", tls(validation_context={**CA, each: value}), text=each)
bad_tls("TLS: a SAN matcher with a wrong expression", tls(validation_context={
    **CA, "match_subject_alt_names": [{"safe_regex": {"regex": "("}}]}), text="match_subject_alt_names")
bad_tls("TLS: an empty SAN matcher", tls(validation_context={
    **CA, "match_subject_alt_names": [{}]}), text="match_subject_alt_names")
split("transport sockets by match", "A29 says that they are refused; C++ ignores them",
      cluster(transport_socket_matches=[{"name": "x"}]), text="transport_socket_matches")
