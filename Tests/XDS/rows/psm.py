"""The public cases of psm-interop, by their names, on one machine."""
from resources import *
from steps import *

PLAIN = [{"type": "insecure"}]
FAULT = "envoy.extensions.filters.http.fault.v3.HTTPFault"
TWO = [*web()[:3], endpoints("a", group("A", "B"))]
TLS = "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext"
CERTIFICATES = {
    "files": {"ca.pem": "ca.pem", "client.pem": "client.pem", "client.key": "client.key"},
    "bootstrap": {"certificate_providers": {"certs": {"plugin_name": "file_watcher", "config": {
        "ca_certificate_file": "@dir/ca.pem", "certificate_file": "@dir/client.pem",
        "private_key_file": "@dir/client.key"}}}}}
BOTH = {"servers": ("x", "y"), "bootstrap": {"xds_servers": [
    {"server_uri": "@x", "channel_creds": PLAIN}, {"server_uri": "@y", "channel_creds": PLAIN}]}}


def secure(server, own=False):
    provider = {"instance_name": "certs"}
    common = {"validation_context": {"ca_certificate_provider_instance": provider}}
    if own:
        common["tls_certificate_provider_instance"] = provider
    return [*web()[:2], cluster(transport_socket=extension("tls", TLS, common_tls_context=common)), endpoints("a", server)]


def psm(name, *steps, **options):
    row("psm: " + name, *steps, **options)


def fault(percent):
    return web(filters=[extension("fault", FAULT, abort={
        "grpc_status": 16, "percentage": {"numerator": percent}}), ROUTER])


def retry(number):
    return web(route(action={"retry_policy": {
        "retry_on": "unavailable", "num_retries": number, "retry_back_off": {"base_interval": "0.01s"}}}.items()))


psm("ping_pong", give(web()), call("A", n=10))
psm("round_robin", give(TWO), until({"A", "B"}, n=4), call({"A": (10, 10), "B": (10, 10)}, n=20))
psm("failover", give([*web()[:3], endpoints("a", group("A", "B"), group("C", priority=1, zone="z1"))]),
    until({"A", "B"}, n=4), stop("A"), until("B", n=4), stop("B"), until("C", n=4), start("A"), until("A", n=4))
psm("remove_neg", give([*web()[:3], endpoints("a", group("A", zone="1"), group("B", zone="2"))]), until({"A", "B"}, n=10),
    give(endpoints("a", group("A", zone="1"))), until("A", n=10), call("A", n=20))
psm("change_backend_service", give(web()), call("A", n=5), give(lookup("b"), routes(route(to="b"))), until("B"), call("B", n=20))
psm("path_matching", give(web(route(prefix=None, path="/grpc.testing.TestService/EmptyCall", to="b"),
                              route(prefix="/grpc.testing.TestService/Unary", to="c"), route())),
    call("B", "/grpc.testing.TestService/EmptyCall"), call("C", "/grpc.testing.TestService/UnaryCall"), call("A"))
psm("header_matching", give(web(route(to="b", headers=[header("xds_md", exact_match="exact_unary")]), route())),
    call("B", headers={"xds_md": "exact_unary"}), call("A", headers={"xds_md": "exact_empty"}))
psm("metadata: range and regex", give(web(
    route(to="b", headers=[header("xds_md", range_match={"start": "100", "end": "200"})]),
    route(to="c", headers=[header("xds_md", safe_regex_match={"regex": "^md.*\\d{4}$"})]), route())),
    call("B", headers={"xds_md": "100"}), call("C", headers={"xds_md": "md-value-1234"}), call("A", headers={"xds_md": "200"}))
psm("traffic_splitting", give(web(route(to={"a": 20, "b": 80}))), until({"A", "B"}, n=20),
    call({"A": (60, 140), "B": (360, 440)}, n=500))
psm("timeout", give(web(route("/t/", action={"max_stream_duration": {"max_stream_duration": "3s"}}.items()), route())),
    call(4, "/t/M", timeout=None, body={"after": 8}), call("A", timeout=None, body={"after": 0.5}))
psm("retry 3 of 4", give(retry(3)), call(14, body={"codes": [14, 14, 14, 14, 0]}), call("A", body={"codes": [14, 14, 14, 0]}))
psm("retry 4", give(retry(4)), call("A", body={"codes": [14, 14, 14, 14, 0]}))
psm("fault 0 %", give(fault(0)), call("A", n=50))
psm("fault 50 %", give(fault(50)), call({"A": (190, 310), "16": (190, 310)}, n=500))
psm("fault 100 %", give(fault(100)), call(16, n=20))
psm("affinity", give([listener(), routes(route(action={"hash_policy": [{"header": {"header_name": "xds_md"}}]}.items())),
                      cluster(lb_policy="RING_HASH"), endpoints("a", group("A", "B", "C"))]),
    [Step(f"key {value}", lambda run, value=value: expect(len({key(outcome) for outcome in run.ask("call", **command(
        run, "/s/M", {"xds_md": value}, 10, None, None, "svc", count=10))["outcomes"]}) == 1, "several servers"))
     for value in ("one", "two", "three")])
psm("outlier_detection", give([*web()[:2], cluster(outlier_detection={
    "interval": "0.3s", "enforcing_success_rate": 100, "success_rate_minimum_hosts": 2, "success_rate_request_volume": 5,
    "success_rate_stdev_factor": 1000, "max_ejection_percent": 50, "base_ejection_time": "60s"}),
    endpoints("a", group("A", "B", "C", "D", "E"))]), until(set("ABCDE"), n=10), server("E", 14), until(set("ABCD"), n=20))
psm("circuit_breaking", give([*web()[:2], cluster(circuit_breakers={"thresholds": [{"max_requests": 5}]}), endpoints()]),
    [hold(f"h{index}", "A") for index in range(5)], call(14, n=3), finish("h0", "A"), until("A"),
    [finish(f"h{index}", "A") for index in range(1, 5)])
psm("custom_lb", give([*web()[:2], cluster(load_balancing_policy=policy(
    extension("own", "xds.type.v3.TypedStruct", type_url=URL + "test.RpcBehaviorLoadBalancer", value={}),
    extension("pf", "xds.type.v3.TypedStruct", type_url=URL + "test/pick_first", value={}))), endpoints("a", group("A", "B"))]),
    call("A", n=10))
psm("subsetting: few of many servers", give([*web()[:3], endpoints("a", group("A", "B"))]), until({"A", "B"}, n=10),
    give(endpoints("a", group("B", "C"))), until({"B", "C"}, n=10), connections(A=1, B=1, C=1))
psm("dualstack", give([*web()[:3], endpoints("a", group(endpoint("A", "::1", additional_addresses=[
    {"address": {"socket_address": {"address": "127.0.0.1", "port_value": "@A"}}}])))]), call("A", n=5))
psm("api_listener", give(web()), call("A"), give(listener("other"), routes(route(to="b"), name="r2"), lookup("b"),
                                                 listener("svc", "r2")), until("B"), call("B", n=10))
psm("load_report", load(everything=True), give([*web()[:2], cluster(lrs_server={"self": {}}), endpoints()]), call("A", n=10),
    reports(lambda found: sum(locality.total_successful_requests for report in found for stats in report.cluster_stats
                              for locality in stats.upstream_locality_stats) == 10, "10 calls"))
psm("security: tls", channel("svc", credentials="xds"), give(secure("server_A")), call("server_A"), **CERTIFICATES)
psm("security: mtls", channel("svc", credentials="xds"), give(secure("mtls_A", own=True)), call("mtls_A"), **CERTIFICATES)
psm("security: plaintext_fallback", channel("svc", credentials="xds"), give(web()), call("A"), **CERTIFICATES)
psm("security: mtls_error", channel("svc", credentials="xds"), give(secure("mtls_A")), call(14), **CERTIFICATES)
psm("security: server_authz_error", channel("svc", credentials="xds"), give(secure("unknown-authority_A")), call(14), **CERTIFICATES)
psm("federation", give(listener("xdstp://one/envoy.config.listener.v3.Listener/svc")), give(web()[1:]),
    on("y", give(listener("xdstp://two/envoy.config.listener.v3.Listener/svc",
                          "xdstp://two/envoy.config.route.v3.RouteConfiguration/r"),
                 routes(route(to="b"), name="xdstp://two/envoy.config.route.v3.RouteConfiguration/r"))), give(lookup("b")),
    channel("one", "xds://one/svc"), channel("two", "xds://two/svc"), call("A", channel="one"), call("B", channel="two"),
    servers=("x", "y"), bootstrap={"authorities": {"one": {}, "two": {
        "xds_servers": [{"server_uri": "@y", "channel_creds": PLAIN}]}}})
psm("fallback_on_startup", stop("x"), on("y", give(web(route(to="b")))), call("B"), give(web()), start("x"), until("A"), **BOTH)
psm("fallback_mid_startup", give(web()[:3]), on("y", give(web(route(to="b")))), begin("one"), subscribed("EDS", "a"), stop("x"),
    finish("one", "B"), **BOTH)
psm("fallback_mid_update", give(web()), call("A"), on("y", give(web(route(to="c")))), give(routes(route(to="b"))), subscribed("CDS", "a b"),
    stop("x"), until("C"), start("x"), give(lookup("b")), until("B"), **BOTH)
