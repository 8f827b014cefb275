"""Timeouts, retries and hashes that routes give to calls."""
from resources import *
from steps import *


def limits(**fields):
    return route(action={"max_stream_duration": fields}.items())


def no_deadline(reply):
    return reply["timeout"] is None


def about(low, high):
    return lambda reply: reply["timeout"] is not None and low < reply["timeout"] <= high


SLOW = {"after": 8}
EARLY = either("in C-core, calls with a route's timeout may end more than a second early", 0, 0.3)


def sent(low, high):
    return either("C-core does not send a route's timeout to the server", no_deadline, about(low, high))


# Timeouts

row("no timeout", give(web()), call("A", timeout=None, reply=no_deadline))
row("max_stream_duration of the route", give(web(limits(max_stream_duration="0.3s"))),
    call(4, timeout=None, body=SLOW, least=EARLY), call(4, body=SLOW, least=EARLY))
row("max_stream_duration of the listener", give(web(common_http_protocol_options={"max_stream_duration": "0.3s"})),
    call(4, timeout=None, body=SLOW, least=EARLY))
row("the route's timeout wins over the listener's",
    give(web(limits(max_stream_duration="60s"), common_http_protocol_options={"max_stream_duration": "0.3s"})),
    call("A", timeout=None, reply=sent(40, 60), body={"after": 0.5}))
row("grpc_timeout_header_max wins over max_stream_duration",
    give(web(limits(max_stream_duration="0.3s", grpc_timeout_header_max="60s"))),
    call("A", timeout=None, body={"after": 0.5}, reply=sent(40, 60)))
row("a timeout of 0 means none",
    give(web(limits(max_stream_duration="0s"), common_http_protocol_options={"max_stream_duration": "0.3s"})),
    call("A", timeout=None, body={"after": 0.5}, reply=no_deadline))
row("grpc_timeout_header_max of 0 means none",
    give(web(limits(max_stream_duration="0.3s", grpc_timeout_header_max="0s"))),
    call("A", timeout=None, body={"after": 0.5}, reply=no_deadline))
row("a route's timeout only shortens the call's", give(web(limits(max_stream_duration="60s"))),
    call(4, timeout=0.3, body=SLOW, least=0.3), call("A", timeout=20, reply=about(10, 20.5)))
row("timeouts of routes differ", give(web(
    route("/q/", action={"max_stream_duration": {"max_stream_duration": "0.3s"}}.items()), route())),
    call(4, "/q/M", timeout=None, body=SLOW, least=EARLY), call("A", timeout=None, reply=no_deadline))
row("a service config's timeout does not count", give(web()),
    channel("svc", grpc__service_config='{"methodConfig":[{"name":[{}],"timeout":"0.2s"}]}'),
    call("A", timeout=None, reply=no_deadline))
row("the path, the authority and metadata arrive",
    give(web()), call("A", "/pkg.Svc/Do", {"k": ["1", "2"], "b-bin": "00ff"}, reply=lambda reply: (
        reply["method"] == "/pkg.Svc/Do" and reply["authority"] == "svc"
        and reply["metadata"]["k"] == ["1", "2"] and reply["metadata"]["b-bin"] == ["00ff"])))

# The authority (A81)


def rewriting(rewrites=True, **more):
    return [listener(), routes(route(action={"auto_host_rewrite": rewrites, **more}.items())), cluster(),
            endpoints("a", group(endpoint("A", hostname="real.example")))]


def authority(name):
    return lambda reply: reply["authority"] == name


TRUSTED = {"environment": {"GRPC_EXPERIMENTAL_XDS_AUTHORITY_REWRITE": "true"}, "bootstrap": {"xds_servers": [
    {"server_uri": "@x", "channel_creds": [{"type": "insecure"}], "server_features": ["trusted_xds_server"]}]}}
row("authority: rewritten by a trusted server", give(rewriting()), call("A", reply=authority("real.example")), **TRUSTED)
row("authority: not rewritten by a route that does not say so", give(rewriting(False)), call("A", reply=authority("svc")), **TRUSTED)
row("authority: not rewritten by a server that is not trusted", give(rewriting()), call("A", reply=authority("svc")),
    environment=TRUSTED["environment"])
row("authority: an endpoint without a name", give(web(route(action={"auto_host_rewrite": True}.items()))),
    call("A", reply=authority("svc")), **TRUSTED)
row("authority: of the channel", give(web()), channel("svc", grpc__default_authority="svc.example"),
    call("A", reply=authority("svc.example")))

# Retries


def retry(on="unavailable", where="route", **fields):
    fields = {"retry_on": on, **fields}
    if where == "route":
        return web(route(action={"retry_policy": fields}.items()))
    return web(host(route(), retry_policy=fields))


def failing(*codes):
    return {"body": {"codes": list(codes)}}


QUICK = {"retry_back_off": {"base_interval": "0.01s"}}

row("no policy: no retry", give(web()), call(14, **failing(14, 0)), arrivals(A=1))
row("one retry without num_retries", give(retry()), call("A", **failing(14, 0)), arrivals(A=2),
    call(14, **failing(14, 14, 0)), arrivals(A=4))
row("num_retries 3", give(retry(num_retries=3, **QUICK)), call("A", **failing(14, 14, 14, 0)), arrivals(A=4),
    call(14, **failing(14)), arrivals(A=8))
row("at most five attempts", give(retry(num_retries=10, **QUICK)), call(14, **failing(14)), arrivals(A=5))
for name, code in (("cancelled", 1), ("deadline-exceeded", 4), ("internal", 13), ("resource-exhausted", 8),
                   ("unavailable", 14)):
    row(f"retry_on: {name}", give(retry(name, **QUICK)), call("A", **failing(code, 0)), arrivals(A=2),
        call(9, **failing(9, 0)), arrivals(A=3))
row("retry_on: a list", give(retry("internal,unavailable", num_retries=2, **QUICK)),
    call("A", **failing(13, 14, 0)), arrivals(A=3))
row("retry_on: blanks in the list", give(retry("internal, unavailable ,cancelled", num_retries=3, **QUICK)),
    call(either("C-core does not remove the blanks, and then knows no condition but the first", 14, "A"),
         **failing(13, 14, 1, 0)))
row("retry_on: unknown conditions are ignored", give(retry("5xx,unavailable,connect-failure", **QUICK)),
    call("A", **failing(14, 0)))
row("retry_on: only unknown conditions: no retry", give(retry("5xx,reset")), call(14, **failing(14, 0)), arrivals(A=1))
row("retry_on: the route's policy without a known condition hides the virtual host's",
    give(web(host(route(action={"retry_policy": {"retry_on": "5xx"}}.items()),
                  retry_policy={"retry_on": "unavailable", **QUICK}))),
    call(14, **failing(14, 0)), arrivals(A=1))
row("the virtual host's policy", give(retry(where="host", **QUICK)), call("A", **failing(14, 0)), arrivals(A=2))
row("the route's policy wins over the virtual host's",
    give(web(host(route(action={"retry_policy": {"retry_on": "internal", **QUICK}}.items()),
                  retry_policy={"retry_on": "unavailable", **QUICK}))),
    call("A", **failing(13, 0)), call(14, **failing(14, 0)))
row("the interval before a retry", give(retry(num_retries=2, retry_back_off={
    "base_interval": "0.3s", "max_interval": "0.3s"})), call("A", **failing(14, 14, 0), least=0.4))
row("previous attempts are counted in the metadata", give(retry(num_retries=2, **QUICK)),
    call("A", **failing(14, 14, 0), reply=lambda reply: reply["metadata"]["grpc-previous-rpc-attempts"] == ["2"]))
row("retries turned off on the channel", give(retry(num_retries=3)),
    channel("svc", grpc__enable_retries=0), call(14, **failing(14, 0)), arrivals(A=1))

# Hashes


def ring(*policies, servers=("A", "B", "C"), **fields):
    """A cluster with a ring, and a route with hash policies."""
    return [listener(), routes(route(action={"hash_policy": list(policies)}.items())),
            cluster("a", lb_policy="RING_HASH", **fields), endpoints("a", group(*servers))]


def by(name, **more):
    return {"header": {"header_name": name, **more.pop("header", {})}, **more}


def sticky(*headers):
    """Calls with the same headers go to one server."""
    def act(run):
        for each in headers:
            seen = set()
            for _ in range(2):
                outcomes = run.ask("call", **command(
                    run, "/s/M", each, 10, None, None, "svc", count=5))["outcomes"]
                run.note(outcomes)
                seen |= {key(outcome) for outcome in outcomes}
            expect(len(seen) == 1 and seen < {"A", "B", "C"}, f"{each}: {seen}")
    return Step(f"sticky {headers}", act)


KEYS = [{"x": str(number)} for number in range(6)]
SPREAD = {"A", "B", "C"}

row("hash: of a header", give(ring(by("x"))), sticky(*KEYS))
row("hash: without policies it is random", give(ring()), until(SPREAD, n=30, headers={"x": "1"}))
row("hash: without the header it is random", give(ring(by("x"))), until(SPREAD, n=30), sticky(*KEYS[:2]))
row("hash: of the channel", give(ring({"filter_state": {"key": "io.grpc.channel_id"}})), sticky({}, {"x": "1"}))
row("hash: another filter state is skipped", give(ring({"filter_state": {"key": "other"}}, by("x"))),
    sticky(*KEYS[:3]), until(SPREAD, n=30))
row("hash: cookies and addresses are skipped",
    give(ring({"cookie": {"name": "x"}}, {"connection_properties": {"source_ip": True}}, by("x"))),
    sticky(*KEYS[:3]), until(SPREAD, n=30))
row("hash: a terminal policy that has a hash ends the list",
    give(ring(by("x", terminal=True), by("y"))), sticky({"x": "1", "y": "1"}),
    call({"A": (0, 5), "B": (0, 5), "C": (0, 5)}, headers={"x": "1"}, n=5))
row("hash: a rewrite makes keys equal",
    give(ring(by("x", header={"regex_rewrite": {"pattern": {"regex": "[0-9]+"}, "substitution": "n"}}))),
    sticky({"x": "1"}, {"x": "22"}))
row("hash: a binary header has none", give(ring(by("x-bin"))), until(SPREAD, n=30, headers={"x-bin": "00"}))
row("hash: a server goes, and its calls move to the others", give(ring(by("x"))), sticky(*KEYS),
    give(endpoints("a", group("A", "B"))), until({"A", "B"}, n=20), sticky(*KEYS))
row("hash: in a list of policies",
    give(listener(), routes(route(action={"hash_policy": [by("x")]}.items())),
         cluster("a", load_balancing_policy=policy(extension(
             "ring", "envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash", hash_function="XX_HASH",
             minimum_ring_size=1024))), endpoints("a", group("A", "B", "C"))), sticky(*KEYS))
row("hash: the old message's default function", give(ring(by("x"), ring_hash_lb_config={
    "hash_function": "XX_HASH", "minimum_ring_size": 64})), sticky(*KEYS))
row("hash: the new message's default function",
    give(listener(), routes(route(action={"hash_policy": [by("x")]}.items())),
         cluster("a", load_balancing_policy=policy(extension(
             "ring", "envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash"))),
         endpoints("a", group("A", "B", "C"))), sticky(*KEYS))
row("hash: over a fail-over to another priority",
    give(listener(), routes(route(action={"hash_policy": [by("x")]}.items())),
         cluster("a", lb_policy="RING_HASH"),
         endpoints("a", group("dead"), group("B", "C", priority=1, zone="z1"))), until({"B", "C"}, n=20),
    sticky(*KEYS[:3]))
