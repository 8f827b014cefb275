"""Names of resources, templates and authorities."""
from resources import *
from steps import *

PLAIN = [{"type": "insecure"}]
L, R, C, E = (f"xdstp://auth/{TYPES[kind]}/" for kind in ("LDS", "RDS", "CDS", "EDS"))


def named(listener_name="svc", routes_name="routes", cluster_name="a", service=None, endpoints_name=None):
    return [listener(listener_name, routes_name), routes(route(to=cluster_name), name=routes_name),
            cluster(cluster_name, service), endpoints(endpoints_name or service or cluster_name, "A")]


def authorities(**fields):
    return {"authorities": {"auth": fields}}


row("a template of old names", give(named("prefix/svc")), call("A"), subscribed("LDS", "prefix/svc"),
    bootstrap={"client_default_listener_resource_name_template": "prefix/%s"})
row("a template of old names: nothing is encoded", give(named("prefix/a b%c")), channel("svc", "xds:///a%20b%25c"),
    script("LDS"), begin("one", timeout=1),
    Step("one name", lambda run: expect(run.next_request("LDS", lambda _: False).names == ("prefix/a b%c",),
                                        str(run.control.requests[0]))),
    bootstrap={"client_default_listener_resource_name_template": "prefix/%s"})
row("a template with xdstp: in the authority, percent-encoded",
    give(named(L + "svc%20x:80")), channel("svc", "xds:///svc%20x:80"), call("A"), subscribed("LDS", L + "svc%20x:80"),
    bootstrap={**authorities(), "client_default_listener_resource_name_template": L + "%s"})
row("a template with xdstp: slashes stay", give(named(L + "a/b")), channel("svc", "xds:///a/b"), call("A"),
    subscribed("LDS", L + "a/b"),
    bootstrap={**authorities(), "client_default_listener_resource_name_template": L + "%s"})
row("an authority in the target: its default template", give(named(L + "svc")), channel("svc", "xds://auth/svc"),
    call("A"), subscribed("LDS", L + "svc"), bootstrap=authorities())
row("an authority in the target: its own template", give(named(L + "own/svc?x=1")), channel("svc", "xds://auth/svc"),
    call("A"), subscribed("LDS", L + "own/svc?x=1"),
    bootstrap=authorities(client_listener_resource_name_template=L + "own/%s?x=1"))
row("an unknown authority in the target", channel("svc", "xds://other/svc"), call((14, "other")), bootstrap=authorities())
row("an unknown authority in a template", call((14, "auth")),
    bootstrap={"client_default_listener_resource_name_template": L + "%s"})
row("an unknown authority in the name of routes", give(listener("svc", R + "r")), call((14, "auth")))
row("an authority's template for another authority", call(14),
    bootstrap=authorities(client_listener_resource_name_template="xdstp://other/" + TYPES["LDS"] + "/%s"))
row("an authority's own server", on("y", give(named(L + "svc", "routes")[:1])),
    give(named()), channel("svc", "xds://auth/svc"), call("A"), on("y", subscribed("LDS", L + "svc")), subscribed("RDS", "routes"),
    servers=("x", "y"), bootstrap=authorities(xds_servers=[{"server_uri": "@y", "channel_creds": PLAIN}]))
row("all resources by xdstp, with parameters in any order",
    give(named(L + "svc", R + "r?a=1&b=2", C + "c?a=1&b=2", E + "e?a=1&b=2"),),
    give(listener(L + "svc", R + "r?b=2&a=1"), routes(route(to=C + "c?b=2&a=1"), name=R + "r?a=1&b=2"),
         cluster(C + "c?b=2&a=1", E + "e?b=2&a=1")),
    channel("svc", "xds://auth/svc"), script("CDS"), begin("one"),
    asked("CDS", C + "c?a=1&b=2"), send("CDS", cluster(C + "c?b=2&a=1", E + "e?b=2&a=1")), ack("CDS", C + "c?a=1&b=2"),
    finish("one", "A"), subscribed("RDS", R + "r?a=1&b=2"), subscribed("EDS", E + "e?a=1&b=2"), bootstrap=authorities())
row("a cluster by xdstp needs a service name",
    give(named(L + "svc", "routes", C + "c", None, "e")), channel("svc", "xds://auth/svc"),
    call((14, "service_name")), refused("CDS"), bootstrap=authorities())
row("a name by xdstp of another type", give(listener("svc", L + "r")), call(14), answered("LDS"),
    bootstrap=authorities(), differs="C-core accepts the listener, and fails the channel; this client refuses it")
row("names without an authority in xdstp",
    give(named(f"xdstp:///{TYPES['LDS']}/svc"), listener(f"xdstp:/{TYPES['LDS']}/svc")), call("A"),
    differs="C-core asks for `xdstp:/…`, this client for `xdstp:///…`, as the template says",
    bootstrap={"authorities": {"": {}}, "client_default_listener_resource_name_template": f"xdstp:///{TYPES['LDS']}/%s"})
row("old names may have any letters", give(named("svc", "a/b?c#d&e%zz", "c:ü 1", "e/*")), call("A"),
    subscribed("RDS", "a/b?c#d&e%zz"), Step("the cluster's name", lambda run: expect(
        any(each.names == ("c:ü 1",) for each in run.control.requests if each.type == "CDS"), "not asked for")))
row("two authorities with one server share a stream", give(named(L + "svc")), channel("svc", "xds://auth/svc"),
    call("A"), streams(1), subscribed("LDS", L + "svc"), subscribed("RDS", "routes"), bootstrap=authorities())
row("a control plane of one authority goes: the other's resources stay",
    on("y", give(named(L + "svc", "routes")[:1])), give(named()), channel("svc", "xds://auth/svc"), call("A"),
    stop("y"), call("A", n=10), give(endpoints("a", "B")), until("B"),
    servers=("x", "y"), bootstrap=authorities(xds_servers=[{"server_uri": "@y", "channel_creds": PLAIN}]))
