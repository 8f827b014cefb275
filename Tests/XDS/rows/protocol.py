"""The stream to the control plane: versions, nonces, ends, deletions and timers."""
from resources import *
from steps import *

KEEPS = {"xds_servers": [{"server_uri": "@x", "channel_creds": [{"type": "insecure"}],
                          "server_features": ["ignore_resource_deletion"]}]}
KEPT = "this client keeps what is deleted, as A88 says; C-core does so only with `ignore_resource_deletion`"
A88 = {"environment": {"GRPC_EXPERIMENTAL_XDS_DATA_ERROR_HANDLING": "true"}}

row("the node: id, user agent, features",
    give(web()), call("A"),
    node(lambda node: node.id == "n1" and node.user_agent_name and node.user_agent_version
         and "envoy.lb.does_not_support_overprovisioning" in node.client_features
         and "xds.config.resource-in-sotw" in node.client_features, "id, user agent, features"))
row("the node: cluster, locality and metadata",
    give(web()), call("A"),
    node(lambda node: node.cluster == "c1" and node.locality.region == "r" and node.locality.zone == "z"
         and node.locality.sub_zone == "s" and node.metadata["k"]["n"] == 1 and node.metadata["l"][1] == "x", "as in the bootstrap"),
    bootstrap={"node": {"id": "n1", "cluster": "c1", "locality": {"region": "r", "zone": "z", "sub_zone": "s"},
                        "metadata": {"k": {"n": 1}, "l": [True, "x", None]}}})
row("the stream ends after a response: a new one, with the versions and without nonces",
    script("LDS", "CDS"), give(web()), begin("one"),
    asked("LDS", "svc"), send("LDS", listener(), version="7"), ack("LDS", "svc", "7"),
    asked("CDS", "a"), send("CDS", cluster(), version="8"), ack("CDS", "a", "8"), finish("one", "A"),
    end(), streams(2), asked("LDS", "svc", "7", 0), asked("CDS", "a", "8", 0), call("A", n=10),
    send("LDS", listener(), version="9"), ack("LDS", "svc", "9"))
row("the stream ends with an error after a response: the same",
    script("LDS"), give(web()), begin("one"),
    asked("LDS", "svc"), send("LDS", listener(), version="7"), ack("LDS", "svc", "7"), finish("one", "A"),
    end(13, "as asked"), streams(2), asked("LDS", "svc", "7", 0), call("A", n=10))
row("the stream ends before a response: calls fail with the reason, and a new stream after a pause",
    script("LDS"), begin("one", timeout=15),
    asked("LDS", "svc"), end(7, "go away"), finish("one", (14, "go away")),
    asked("LDS", "svc"), give(web()), send("LDS", listener()), until("A"))
row("the stream ends with OK before a response: an error too",
    script("LDS"), begin("one", timeout=15), asked("LDS", "svc"), end(), finish("one", 14),
    asked("LDS", "svc"), give(web()), send("LDS", listener()), until("A"))
STUCK = "in C-core, a call that waits since before the failure waits for its deadline, while later calls succeed"
row("the stream ends before a response: calls that wait for ready wait",
    script("LDS"), begin("one", wait=True, timeout=5), asked("LDS", "svc"), end(7, "go away"),
    asked("LDS", "svc"), give(web()), send("LDS", listener()), until("A"), finish("one", either(STUCK, 4, "A")))
row("the control plane goes: calls go on; it comes back: requests with versions",
    give(web()), call("A"), hold("h", "A"), stop(), call("A", n=20), finish("h", "A"),
    start(), streams(2), accepted("LDS", "RDS", "CDS", "EDS"), call("A"))
row("a control plane that is gone: its error joins those of calls that fail later", give(web()), call("A"), stop(), stop("A"),
    until((14, "LDS resource svc", "RDS resource routes", "CDS resource a", "EDS resource a", "n1")))
row("the control plane is not there: UNAVAILABLE, and calls succeed when it comes",
    stop(), call((14, "")), call(4, wait=True, timeout=0.3), give(web()), start(), until("A"))
UNKNOWN = "C-core reads nothing more on a stream after a response of unknown type"
row("a response of an unknown type is passed over",
    script("LDS"), give(web()), begin("one", timeout=2),
    asked("LDS", "svc"), send("LDS", type_url=URL + "envoy.config.core.v3.Node"), send("LDS", listener(), version="2"),
    finish("one", either(UNKNOWN, 4, "A")), differs=UNKNOWN)
row("a resource of another type in a response: NACK",
    script("LDS"), give(web()), begin("one", timeout=5),
    asked("LDS", "svc"), send("LDS", routes(route(), name="svc")), nack("LDS", "svc"),
    send("LDS", listener(), version="2"), ack("LDS", "svc", "2"), finish("one", "A"))
row("a resource that cannot be read: NACK",
    script("CDS"), give(web()), begin("one", timeout=5),
    asked("CDS", "a"), send("CDS", Resource("CDS", {"name": "a"}, raw=b"\xff\xff")), nack("CDS", "a"),
    send("CDS", cluster(), version="2"), ack("CDS", "a", "2"), finish("one", "A"))
row("a Resource wrapper with nothing inside: NACK",
    script("CDS"), give(web()), begin("one", timeout=5),
    asked("CDS", "a"), send("CDS", Resource("CDS", {"name": "a"}, wrapped="a", raw=b"\xff")), nack("CDS", "a"),
    finish("one", (14, "a")), send("CDS", cluster(), version="2"), ack("CDS", "a", "2"), until("A"))
row("a name twice in a response: the last one counts",
    script("EDS"), give(web()), begin("one", timeout=5),
    asked("EDS", "a"), send("EDS", endpoints("a", group("A")), endpoints("a", group("B"))), ack("EDS", "a"),
    finish("one", "B"))
row("a NACK with a valid neighbour: the neighbour is used",
    give(web(route("/b", to="b"), route())), call("A"), call("B", "/b/M"), script("CDS"),
    send("CDS", cluster("a", type="STATIC"), cluster("b", service="b2"), version="9"),
    give(endpoints("b2", "C")), until("C", "/b/M"), call("A"), subscribed("EDS", "a b2"))
row("a NACK names every wrong resource",
    give(web(route("/b", to="b"), route())), call("A"), script("CDS"),
    send("CDS", cluster("a", type="STATIC"), cluster("b", type="STATIC"), version="9"), refused("CDS", "a", "b", "type"),
    call("A"), call("B", "/b/M"))
row("a NACK from the beginning: the cluster's calls fail with the reason, others do not",
    give(web(route("/b", to="b"), route()), cluster("b", type="STATIC")), call("A"), call((14, "b", "type"), "/b/M"))
row("a NACKed resource is sent again and again: each is refused, and calls go on",
    give(web()), call("A"), [[give(cluster(type="STATIC")), refused("CDS", "a")] for _ in range(20)], call("A"),
    give(cluster()), accepted("CDS"))
row("a deleted listener: calls fail", give(web()), call("A"), remove("LDS", "svc"), until((14, "svc")),
    give(web()), until("A"), bootstrap=DROPS)
row("a deleted listener, without a server feature", give(web()), call("A"), remove("LDS", "svc"), accepted("LDS"),
    until(either(KEPT, 14, "A")), call(either(KEPT, 14, "A"), n=5))
row("a deleted listener, when deletions are ignored", give(web()), call("A"), remove("LDS", "svc"), accepted("LDS"),
    call("A", n=20), bootstrap=KEEPS)
row("a deleted cluster: its calls fail, the others do not",
    give(web(route("/b", to="b"), route())), call("A"), call("B", "/b/M"), remove("CDS", "b"),
    until((14, "b", "n1"), "/b/M"), call("A"), give(cluster("b")), until("B", "/b/M"), bootstrap=DROPS)
row("a deleted cluster, without a server feature", give(web()), call("A"), remove("CDS", "a"), accepted("CDS"),
    until(either(KEPT, 14, "A")), call(either(KEPT, 14, "A"), n=5))
row("A88: a deleted cluster", give(web()), call("A"), remove("CDS", "a"), accepted("CDS"), call("A", n=5), **A88)
row("A88: a deleted cluster, and data errors fail", give(web()), call("A"), remove("CDS", "a"), until((14, "a")),
    bootstrap=DROPS, **A88)
row("A88: a NACK, and data errors fail", give(web()), call("A"), give(cluster(type="STATIC")), refused("CDS", "a"),
    until((14, "a")), bootstrap=DROPS, **A88)
row("A88: an error for a resource that is not known", script("LDS"), begin("one", timeout=5), asked("LDS", "svc"),
    send("LDS", errors=[("svc", 7)]), finish("one", (14, "svc", "as asked")), **A88)
row("A88: an error for a resource that is known", give(web()), call("A"), script("CDS"), send("CDS", errors=[("a", 7)], version="9"),
    accepted("CDS"), call("A", n=5), **A88)
row("A88: an error for a resource that is known, and data errors fail", give(web()), call("A"), script("CDS"),
    send("CDS", errors=[("a", 7)], version="9"), until((14, "a", "as asked")), bootstrap=DROPS, **A88)
row("A88: a passing error for a resource that is known", give(web()), call("A"), script("CDS"),
    send("CDS", errors=[("a", 14)], version="9"), accepted("CDS"), call("A", n=5), bootstrap=DROPS, **A88)
row("a deleted cluster, when deletions are ignored", give(web()), call("A"), remove("CDS", "a"), accepted("CDS"),
    call("A", n=20), bootstrap=KEEPS)
row("a deletion with an unrelated NACK in the same response",
    give(web(route("/b", to="b"), route("/c", to="c"), route())), call("B", "/b/M"), call("A"), call("C", "/c/M"),
    script("CDS"), send("CDS", cluster("a", type="STATIC"), cluster("c"), version="9"), refused("CDS", "a"),
    until(either(KEPT, (14, "b"), "B"), "/b/M"), call("A"), call("C", "/c/M"))
row("routes and endpoints that a response does not name are kept",
    give(web(route("/b", to="b"), route())), call("A"), call("B", "/b/M"), script("EDS", "RDS"),
    send("EDS", endpoints("b", "C"), version="9"), until("C", "/b/M"), call("A"),
    send("EDS", version="10"), send("RDS", version="10"), call("A", n=10), call("C", "/b/M"))
row("an empty first response is no deletion",
    script("LDS"), give(web()), begin("one"), asked("LDS", "svc"), send("LDS", version="1"), ack("LDS", "svc", "1"),
    send("LDS", listener(), version="2"), ack("LDS", "svc", "2"), finish("one", "A"))
row("the same resources again: connections stay",
    give(web()), call("A"), [[give(web()), accepted("LDS", "RDS", "CDS", "EDS")] for _ in range(5)], call("A", n=10),
    connections(A=1))
row("a cluster that no route names is no longer asked for",
    give(web(route("/b", to="b"), route())), call("B", "/b/M"), subscribed("CDS", "a b"),
    give(routes(route())), subscribed("CDS", "a"), subscribed("EDS", "a"))
row("the last name of a type: a request without names, and none on the next stream",
    give(web()), call("A"), give(logical_dns("a", "A")), subscribed("EDS", ""), call("A"),
    script("EDS"), end(), streams(2), accepted("CDS"), call("A"),
    Step("EDS is not asked for", lambda run: expect(not any(
        each.type == "EDS" and each.stream == 2 for each in run.control.requests), "a request for EDS")))
row("another listener's routes: the old ones are no longer asked for",
    give(web()), call("A"), give(routes(route(to="b"), name="other"), lookup("b"), listener(routes="other")), until("B"),
    subscribed("RDS", "other"), subscribed("CDS", "b"), subscribed("EDS", "b"))
row("routes become inline", give(web()), call("A"), give(lookup("b"), listener(routes=routes(route(to="b")))),
    until("B"), subscribed("RDS", ""))
row("200 clusters", give(web(*(route(f"/{index}/", to=f"c{index}") for index in range(200)), route()),
                         [endpoints(f"c{index}", "A") for index in range(200)]),
    call("A", "/133/M"), call("A"), subscribed("EDS", " ".join(["a", *(f"c{index}" for index in range(200))])))
row("a response of 3 MiB", give(web(), routes(route(headers=[header("x", exact_match="y" * (3 << 20))]), route())), call("A"))
row("two channels to one target share a stream",
    give(web()), call("A"), channel("other", "xds:///svc"), call("A", channel="other"), streams(1),
    close(), call("A", channel="other"), close("other"), closed())
row("channels to two targets have a stream each",
    give(web(), listener("other")), call("A"), call("A", channel="other"), streams(2),
    close("other"), call("A"), close(), closed())
row("a channel is closed before the first answer", script("LDS"),
    begin("one", timeout=1), asked("LDS", "svc"), close(), closed())
row("an idle channel unsubscribes, and a call subscribes again",
    channel("svc", grpc__client_idle_timeout_ms=1000), give(web()), call("A"), closed(), call("A"), streams(2))
row("an error in resource_errors", script("LDS"), begin("one", timeout=2), asked("LDS", "svc"),
    send("LDS", errors=[("svc", 7)]), finish("one", either("C-core reads no resource_errors without an environment variable", 4, (14, "svc", "as asked"))))
row("a NACK, when data errors fail", give(web()), call("A"), give(cluster(type="STATIC")), refused("CDS", "a"),
    until(either("C-core does not know the feature without an environment variable", "A", (14, "a"))), bootstrap=DROPS)
row("a flood of versions", give(web()), call("A"), [give(endpoints("a", "AB"[index % 2])) for index in range(200)],
    accepted("EDS"), until("B"), give(endpoints("a", "A")), until("A"))

# Timers

row("timer: a listener that is not there", begin("one", timeout=30), finish("one", (14, "svc", "not exist"), least=14),
    give(web()), until("A"), slow=True)
row("timer: routes that are not there", give(listener()), begin("one", timeout=30),
    finish("one", (14, "routes", "not exist"), least=14), give(web()), until("A"), slow=True)
row("timer: a cluster that is not there", give(web(route("/b", to="b"), route())[:2], lookup("a")),
    begin("one", timeout=30), begin("two", "/b/M", timeout=30),
    finish("two", (14, "b", "not exist"), least=14), finish("one", "A", least=14), give(lookup("b")),
    until("B", "/b/M"), slow=True)
row("timer: endpoints that are not there", give(web(route("/b", to="b"), route())[:2], cluster(), cluster("b"), endpoints()),
    begin("one", timeout=30), finish("one", "A", least=14), call((14, "b", "not exist"), "/b/M"), slow=True)
row("timer: it stops with the stream, and starts again with the next",
    script("LDS"), begin("one", timeout=40, wait=True), asked("LDS", "svc"),
    Step("8 s", lambda run: run.ask("call", **command(
        run, "/s/M", {}, 8, None, None, "svc", count=1))), end(),
    asked("LDS", "svc"), Step("8 s more", lambda run: expect(
        (outcome := run.ask("call", **command(run, "/s/M", {}, 8, True, None, "svc", count=1))["outcomes"][0])["code"] == 4
        or "not exist" not in outcome["message"], f"{outcome}")), give(web()), send("LDS", listener()), until("A"),
    finish("one", either(STUCK, 4, "A")), slow=True)
row("timer: not for what is known",
    give(web()), call("A"), script("LDS"), end(), streams(2),
    Step("16 s", lambda run: run.ask("call", **command(
        run, "/s/M", {}, 20, None, {"after": 16}, "svc", count=1))), call("A"), slow=True)
row("streams that end without a response: the pause grows",
    script("LDS"), begin("one", timeout=10), asked("LDS", "svc"), end(7), asked("LDS", "svc"), end(7), asked("LDS", "svc"), end(7),
    asked("LDS", "svc"), give(web()), send("LDS", listener()), until("A"), finish("one", 14),
    pauses(0.5, 1.1, 1.9), slow=True)
row("a stream that answers once and ends: a pause before the next", give(web()), call("A"), [
    [end(), streams(number), accepted("LDS", "RDS", "CDS", "EDS")] for number in range(2, 6)], call("A", n=5),
    pauses(0.7, 0.7, 0.7, 0.7))
