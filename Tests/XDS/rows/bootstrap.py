"""The bootstrap, and servers that replace others."""
import json

from resources import *
from steps import *

PLAIN = [{"type": "insecure"}]


def server_of(name, **fields):
    return {"server_uri": "@" + name, "channel_creds": PLAIN, **fields}


def wrong(name, text=None, **options):
    row("bootstrap: " + name, call(14), bootstrap_text=text, **options)


row("bootstrap: in a file, which wins over the variable", give(web()), call("A"), file="given")
wrong("the file is not there", file="missing")
wrong("nothing is set", "")
wrong("no JSON", "{")
wrong("no object", "[]")
wrong("without servers", json.dumps({"node": {"id": "n1"}}))
wrong("an empty list of servers", json.dumps({"xds_servers": []}))
wrong("a server without its address", json.dumps({"xds_servers": [{"channel_creds": PLAIN}]}))
wrong("a server without credentials", json.dumps({"xds_servers": [{"server_uri": "127.0.0.1:1"}]}))
wrong("a server with unknown credentials", json.dumps({"xds_servers": [
    {"server_uri": "127.0.0.1:1", "channel_creds": [{"type": "other"}]}]}))
wrong("a field of another type", json.dumps({"xds_servers": [
    {"server_uri": "127.0.0.1:1", "channel_creds": PLAIN}], "node": "n1"}))
wrong("a provider of certificates without a file", bootstrap={"certificate_providers": {
    "c": {"plugin_name": "file_watcher", "config": {}}}})
row("bootstrap: the first known credentials count", give(web()), call("A"), bootstrap={"xds_servers": [
    {"server_uri": "@x", "channel_creds": [{"type": "other"}, {"type": "insecure"}, {"type": "tls"}]}]})
row("bootstrap: unknown keys and features are ignored", give(web()), call("A"), bootstrap={
    "other": [1, {"a": None}], "xds_servers": [{**server_of("x", server_features=["xds_v3", "other", 7]), "more": 1}]})
row("bootstrap: without a node", give(web()), call("A"), bootstrap={"node": None})
row("bootstrap: a provider of certificates of an unknown kind is ignored", give(web()), call(
    either("C-core refuses the bootstrap", 14, "A")), bootstrap={
    "certificate_providers": {"c": {"plugin_name": "other", "config": {"x": 1}}}})
row("bootstrap: the control plane by TLS", give(web()), call("A"), servers=("server_x",), bootstrap={"xds_servers": [
    {"server_uri": "@server_x", "channel_creds": [{"type": "tls", "config": {"ca_certificate_file": "@dir/ca.pem"}}]}]},
    files={"ca.pem": "ca.pem"})
row("bootstrap: the control plane by TLS, with an unknown authority", call(14), servers=("unknown-authority_x",), bootstrap={
    "xds_servers": [{"server_uri": "@unknown-authority_x", "channel_creds": [
        {"type": "tls", "config": {"ca_certificate_file": "@dir/ca.pem"}}]}]}, files={"ca.pem": "ca.pem"})
row("bootstrap: the control plane by mutual TLS", give(web()), call("A"), servers=("mtls_x",), bootstrap={"xds_servers": [
    {"server_uri": "@mtls_x", "channel_creds": [{"type": "tls", "config": {
        "ca_certificate_file": "@dir/ca.pem", "certificate_file": "@dir/client.pem", "private_key_file": "@dir/client.key"}}]}]},
    files={"ca.pem": "ca.pem", "client.pem": "client.pem", "client.key": "client.key"})

# Servers that replace others (A71)

BOTH = {"servers": ("x", "y"), "bootstrap": {"xds_servers": [server_of("x"), server_of("y")]}}
OTHER = [*web()[:3], endpoints("a", "B")]

row("fallback: at the start", stop("x"), on("y", give(OTHER)), call("B"), on("y", subscribed("LDS", "svc"), subscribed("EDS", "a")), **BOTH)
row("fallback: the first server is there: the second is not asked", give(web()), on("y", give(OTHER)), call("A", n=5),
    on("y", streams(0)), **BOTH)
row("fallback: in the middle of the start", on("x", give(web()[:2])), on("y", give(OTHER)), begin("one", timeout=15),
    subscribed("CDS", "a"), stop("x"), finish("one", "B"),
    on("y", subscribed("LDS", "svc"), subscribed("RDS", "routes"), subscribed("CDS", "a"), subscribed("EDS", "a")), **BOTH)
row("fallback: all is known, so the second is not asked", give(web()), on("y", give(OTHER)), call("A"), stop("x"),
    call("A", n=20), on("y", streams(0)), **BOTH)
row("fallback: in the middle of an update",
    give(web()), on("y", give(web(route(to="c")))), call("A"), give(routes(route(to="b"))), subscribed("CDS", "a b"), stop("x"),
    until("C"), on("y", subscribed("CDS", "c")), **BOTH)
row("fallback: the first server comes back", stop("x"), give(web()), on("y", give(OTHER)), call("B"), start("x"), until("A"),
    on("y", closed()), call("A", n=10), **BOTH)
row("fallback: a new channel while the first server is away", give(web(), listener("other")),
    on("y", give(OTHER, listener("other"))), call("A"), stop("x"), call("B", channel="other"), call("A"), **BOTH)
row("fallback: neither server is there", stop("x"), stop("y"), call(14), on("y", give(OTHER)), start("y"), until("B"), **BOTH)
row("fallback: the first server does not know the listener: no fallback", give(listener("else")), on("y", give(OTHER)),
    begin("one", timeout=30), finish("one", (14, "svc")), on("y", streams(0)), slow=True, **BOTH)
row("fallback: the first stream ends with an error before a response", script("LDS"), on("y", give(OTHER)), begin("one"),
    asked("LDS", "svc"), end(14, "as asked"), finish("one", "B"), **BOTH)
row("fallback: the first server refuses a resource: no fallback", give(listener(routes=None)), on("y", give(OTHER)),
    call((14, "svc")), refused("LDS"), on("y", streams(0)), **BOTH)
row("fallback: three servers", stop("x"), stop("y"), on("z", give(OTHER)), call("B"), on("y", give(web())), start("y"),
    until("A"), on("z", closed()), servers=("x", "y", "z"),
    bootstrap={"xds_servers": [server_of("x"), server_of("y"), server_of("z")]})
