"""Updates while calls run."""
from resources import *
from steps import *

WAITS = either("C++ lets the call wait for its deadline, against A31", 4, (14, "a"))
AGAIN = {"retry_policy": {"retry_on": "unavailable", "num_retries": 1}}

row("routes change: the next calls", give(web()), call("A", n=5), give(lookup("b"), routes(route(to="b"))), until("B"),
    call("B", n=20))
row("routes change to a cluster that is not known yet: the old ones count until it is",
    give(web()), call("A"), give(routes(route(to="b"))), accepted("RDS"), subscribed("CDS", "a b"), call("A", n=20),
    give(cluster("b")), accepted("CDS"), subscribed("EDS", "a b"), call("A", n=20), give(endpoints("b")), until("B"),
    subscribed("CDS", "b"))
row("a new cluster that does not answer: the old routes count until the timer", give(web()), call("A"),
    give(routes(route(to="b"))), subscribed("CDS", "a b"), until((14, "b", "not exist")), slow=True)
row("a call that runs ends well when its cluster is gone", give(web()), hold("h", "A"),
    give(lookup("b"), routes(route(to="b"))), until("B"), finish("h", "A"), subscribed("CDS", "b"))
row("a call that can be sent again keeps its cluster", give(web(route(action=AGAIN.items()))),
    begin("one", body={"after": 1}), running(A=1), give(lookup("b"), routes(route(to="b"))), until("B"),
    Step("both clusters", lambda run: expect(
        [each.names for each in run.control.requests if each.type == "CDS"][-1] == ("a", "b"), "a is not asked for")),
    finish("one", "A"), subscribed("CDS", "b"))
row("100 streams run while their cluster goes", give(web()), [hold(f"h{index}", "A") for index in range(100)],
    give(lookup("b"), routes(route(to="b"))), until("B"), [finish(f"h{index}", "A") for index in range(100)])
row("calls that wait for ready wait when their cluster is deleted", give(web()), call("A"), remove("CDS", "a"), until(14),
    begin("one", wait=True), call(4, wait=True, timeout=0.5), give(cluster()), until("A"), finish("one", "A"),
    bootstrap=DROPS)
row("calls that wait for ready end when their cluster is deleted and no route leads there", give(web(), lookup("b")),
    call("A"), give(endpoints("a", "dead")), until(14), begin("one", wait=True, timeout=6), call(14), give(routes(route(to="b"))), until("B"),
    subscribed("CDS", "a b"), remove("CDS", "a"), finish("one", WAITS), bootstrap=DROPS)
row("a stream goes on when its listener is deleted", give(web()), hold("h", "A"), remove("LDS", "svc"), until(14),
    finish("h", "A"), bootstrap=DROPS)
row("a stream goes on when its endpoint leaves the list", give(web()), hold("h", "A"), give(endpoints("a", "B")), until("B"),
    finish("h", "A"))
row("weights change while calls run", give(web(route(to={"a": 1, "b": 1}))), until({"A", "B"}, n=20),
    give(routes(route(to={"a": 1, "b": 99}))), until({"A": (0, 6), "B": (94, 100)}, n=100),
    give(routes(route(to={"a": 1}))), until("A", n=10), connections(A=1))
row("the timeout changes", give(web()), call("A", body={"after": 0.1}), give(routes(route(action={
    "max_stream_duration": {"max_stream_duration": "0.2s"}}.items()))), until(4, timeout=None, body={"after": 8}))
row("endpoints change under load: no call fails", give([*web()[:3], endpoints("a", group("A", "B", "C"))]),
    until({"A", "B", "C"}, n=9),
    [[give(endpoints("a", group(*names))), call({name: (0, 40) for name in "ABCD"}, n=40)]
     for names in ("AB", "BC", "CD", "DA", "ABCD", "A", "CD", "ABC")])
row("routes change under load: no call fails", give(web(route(to={"a": 1, "b": 1, "c": 1}))), call({"A", "B", "C"}, n=30),
    [[give(routes(route(to=to))), call({name: (0, 40) for name in "ABC"}, n=40)]
     for to in ("a", "b", {"a": 1, "c": 1}, "c", {"b": 5, "c": 1}, "a")], until("A"))
row("the policy of a cluster changes: no call fails", give([*web()[:3], endpoints("a", group("A", "B"))]),
    until({"A", "B"}, n=10), give(cluster(lb_policy="RING_HASH")), call({"A": (0, 50), "B": (0, 50)}, n=50),
    give(cluster(load_balancing_policy=policy(extension(
        "pf", "envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst")))),
    call({"A": (0, 50), "B": (0, 50)}, n=50), give(cluster()), until({"A", "B"}, n=10))
row("a cluster gets another EDS name", give(web()), call("A"), give(endpoints("new", "B"), cluster("a", "new")), until("B"),
    subscribed("EDS", "new"))
row("a cluster becomes one of DNS, and of EDS again", give(web()), call("A"), give(logical_dns("a", "B")), until("B"),
    give(cluster()), until("A"))
row("a cluster becomes an aggregate", give(web()), call("A"), give(lookup("b"), aggregate("a", "b")), until("B"),
    crash="a cluster of EDS becomes an aggregate")
row("the maximal duration of the listener changes", give(web()), call("A"),
    give(listener(common_http_protocol_options={"max_stream_duration": "0.2s"})), until(4, timeout=None, body={"after": 8}))
row("no half configuration: routes by one listener, clusters of the other",
    give(web(route("/b", to="b"), route())), call("B", "/b/M"), [
        [give(routes(route("/b", to=first), route(to=second))), call({"A": (0, 20), "B": (0, 20)}, "/b/M", n=20)]
        for first, second in (("a", "b"), ("b", "a"), ("a", "a"), ("b", "b"))])
