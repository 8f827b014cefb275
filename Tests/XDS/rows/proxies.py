"""HTTP CONNECT in front of servers (A86). `grpcio` has it only with a variable of the environment."""
from resources import *
from steps import *

TLS = "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext"
CA = {"ca_certificate_provider_instance": {"instance_name": "ca"}}
CERTIFICATES = {"files": {"ca.pem": "ca.pem"}, "bootstrap": {"certificate_providers": {"ca": {
    "plugin_name": "file_watcher", "config": {"ca_certificate_file": "@dir/ca.pem"}}}}}
XDS = channel("svc", credentials="xds")
WRAPPER = "envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport"
ADDRESS = "envoy.config.core.v3.Address"
KEY = "envoy.http11_proxy_transport_socket.proxy_address"
ON = {"GRPC_EXPERIMENTAL_XDS_HTTP_CONNECT": "true"}


def behind(proxy):
    return {"metadata": {"typed_filter_metadata": {KEY: typed(ADDRESS, socket_address={
        "address": "127.0.0.1", "port_value": "@" + proxy})}}}


def wrapped(inner=None):
    return {"transport_socket": extension("proxy", WRAPPER, **({"transport_socket": inner} if inner else {}))}


def served(*groups, **fields):
    return [*web()[:2], cluster(**fields), endpoints("a", *groups)]


def tunnels(proxy, *servers):
    """The servers that the proxy was asked for."""
    def act(run):
        expected = {f"CONNECT 127.0.0.1:{run.ports[server]}" for server in servers}
        found = set(run.server(proxy).targets)
        expect(found == expected, f"{proxy} was asked for {found}, not {expected}")
    return Step(f"tunnels {proxy}", act)


def proxied(name, *steps, **options):
    row("proxy: " + name, *steps, environment=ON, **options)


proxied("of an endpoint", give(served(group(endpoint("A", **behind("proxy"))), **wrapped())), call("A", n=3),
        tunnels("proxy", "A"))
proxied("of a locality", give(served(group("A", "B", **behind("proxy")), **wrapped())), until({"A", "B"}, n=4),
        tunnels("proxy", "A", "B"))
proxied("that of an endpoint wins over that of its locality", give(served(group(
    endpoint("A", **behind("proxy1")), "B", **behind("proxy2")), **wrapped())), until({"A", "B"}, n=4),
        tunnels("proxy1", "A"), tunnels("proxy2", "B"))
proxied("only where the endpoint has one", give(served(group(endpoint("A", **behind("proxy")), "B"), **wrapped())),
        until({"A", "B"}, n=4), tunnels("proxy", "A"))
proxied("not without the cluster's transport", give(served(group(endpoint("A", **behind("proxy"))))), call("A", n=3),
        tunnels("proxy"))
proxied("the settings of TLS do not count on an insecure channel", give(served(group(endpoint("A", **behind("proxy"))), **wrapped(
    extension("tls", TLS, common_tls_context={"validation_context": CA})))), call("A", n=3), tunnels("proxy", "A"), **CERTIFICATES)
proxied("TLS through it", XDS, give(served(group(endpoint("server_A", **behind("proxy"))), **wrapped(
    extension("tls", TLS, common_tls_context={"validation_context": CA})))), call("server_A", n=3),
        tunnels("proxy", "server_A"), **CERTIFICATES)
proxied("an address that is none is refused", give(served(group("A"), **wrapped())), call("A"), refuses(endpoints("a", group(
    endpoint("A", metadata={"typed_filter_metadata": {KEY: typed(ADDRESS, socket_address={
        "address": "proxy.test", "port_value": 80})}}))), text="address"), call("A"))
proxied("a value of another type is ignored", give(served(group(endpoint("A", metadata={"typed_filter_metadata": {
    KEY: typed("google.protobuf.Duration", value="1s")}})), **wrapped())), call("A"))
