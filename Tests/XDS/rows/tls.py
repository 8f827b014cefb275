"""TLS by the control plane. The name of a server says its certificate: below Tests/Certificates."""
from resources import *
from steps import *

TLS = "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext"
CA = {"ca_certificate_provider_instance": {"instance_name": "ca"}}
OWN = {"tls_certificate_provider_instance": {"instance_name": "own"}}
FILES = {"files": {"ca.pem": "ca.pem", "client.pem": "client.pem", "client.key": "client.key", "other.pem": "other-ca.pem"}}


def watcher(**files):
    return {"plugin_name": "file_watcher", "config": {
        **{name: "@dir/" + value for name, value in files.items()}, "refresh_interval": "0.2s"}}


CERTIFICATES = {**FILES, "bootstrap": {"certificate_providers": {
    "ca": watcher(ca_certificate_file="ca.pem"), "other": watcher(ca_certificate_file="other.pem"),
    "own": watcher(certificate_file="client.pem", private_key_file="client.key")}}}
XDS = channel("svc", credentials="xds")


def context(validation=CA, **more):
    common = {"validation_context": validation, **more.pop("common", {})}
    return {"transport_socket": extension("tls", TLS, common_tls_context=common, **more)}


def secure(server, **fields):
    return [*web()[:2], cluster(**fields), endpoints("a", server)]


def san(*matchers):
    return context({**CA, "match_subject_alt_names": list(matchers)})


def tls(name, *steps):
    row("TLS: " + name, XDS, *steps, **CERTIFICATES)


tls("no settings: the fallback, here plaintext", give(web()), call("A"))
tls("the CA of a provider", give(secure("server_A", **context())), call("server_A"))
tls("a combined context", give(secure("server_A", transport_socket=extension("tls", TLS, common_tls_context={
    "combined_validation_context": {"default_validation_context": CA}}))), call("server_A"))
tls("another CA", give(secure("server_A", **context({"ca_certificate_provider_instance": {"instance_name": "other"}}))), call(14))
tls("a certificate of an unknown authority", give(secure("unknown-authority_A", **context())), call(14))
tls("an expired certificate", give(secure("expired_A", **context())), call(14))
tls("no host name is checked", give(secure("wrong-host_A", **context())), call("wrong-host_A"))
tls("the server has no TLS: never plaintext", give(secure("A", **context())), call(14), arrivals(A=0))
tls("the server has TLS, and there are no settings: fails", give(secure("server_A")), call(14))
tls("an insecure channel: plaintext", close(), channel("svc", credentials="insecure"), give(secure("A", **context())), call("A"))
for name, good, bad in (
        ("exact", {"exact": "localhost"}, {"exact": "elsewhere.example"}),
        ("prefix", {"prefix": "local"}, {"prefix": "remote"}),
        ("suffix", {"suffix": "host"}, {"suffix": "hosts"}),
        ("contains", {"contains": "calh"}, {"contains": "xyz"}),
        ("regular expression", {"safe_regex": {"regex": "local[a-z]+"}}, {"safe_regex": {"regex": "local"}}),
        ("any case", {"prefix": "LOCAL", "ignore_case": True}, {"prefix": "LOCAL"}),
        ("IP", {"exact": "127.0.0.1"}, {"exact": "127.0.0.2"})):
    tls(f"SAN matcher, {name}", give(secure("server_A", **san(good))), call("server_A"),
        give(cluster(**san(bad))), accepted("CDS"), until(14))
tls("SAN matcher, exact: a wildcard entry fits its names", give(secure("server_A", **san({"exact": "a.test.swiftlet.example"}))),
    call("server_A"))
tls("SAN matchers: one has to fit", give(secure("server_A", **san({"exact": "x"}, {"exact": "localhost"}))), call("server_A"))
tls("mutual", give(secure("mtls_A", **context(common=OWN))), call(
    "mtls_A", reply=lambda reply: reply["identity"] == ["swiftlet client"]))
tls("mutual, and the client has no certificate", give(secure("mtls_A", **context())), call(14))
tls("on, changed and off while calls run", give(web()), call("A"), give(secure("server_A", **context())), until("server_A"),
    give(secure("mtls_A", **context(common=OWN))), until("mtls_A"), give(web()), until("A"))
tls("the CA is replaced in its file", give(secure("server_A", **context())), call("server_A"), replace("ca.pem", "other-ca.pem"),
    give(secure("unknown-authority_B", **context())), until("unknown-authority_B"))
tls("two clusters with different settings", give(
    listener(), routes(route("/b", to="b"), route()), cluster("a", **context()), endpoints("a", "server_A"),
    cluster("b"), endpoints("b", "B")), call("server_A"), call("B", "/b/M"))
tls("the settings of an aggregate's clusters", give(
    web()[:2], aggregate("a", "b", "c"), cluster("b", **context()), endpoints("b", "dead"), cluster("c", **context()),
    endpoints("c", "server_A")), call("server_A"))
tls("the same settings again: the connection stays", give(secure("server_A", **context())), call("server_A"),
    [[give(cluster(**context())), accepted("CDS")] for _ in range(3)], call("server_A", n=10), connections(server_A=1))
