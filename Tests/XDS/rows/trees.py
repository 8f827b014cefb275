"""Localities, priorities, aggregates, DNS, drops, breakers and outliers."""
from resources import *
from steps import *


def one(*groups, cluster_fields=None, **fields):
    """A route to a cluster with these localities."""
    return [*web()[:2], cluster(**(cluster_fields or {})), endpoints("a", *groups, **fields)]


# Localities

row("endpoints of one locality in turn", give(one(group("A", "B", "C"))), until({"A", "B", "C"}, n=9),
    call({"A": (10, 10), "B": (10, 10), "C": (10, 10)}, n=30))
row("localities with weights 1 and 3", give(one(group("A", zone="1"), group("B", zone="2", weight=3))),
    until({"A", "B"}, n=20), call({"A": (75, 175), "B": (325, 425)}, n=500))
row("weights of localities change", give(one(group("A", zone="1"), group("B", zone="2"))), until({"A", "B"}, n=20),
    give(one(group("A", zone="1"), group("B", zone="2", weight=99))), until({"B": (195, 200), "A": (0, 5)}, n=200),
    connections(A=1, B=1))
row("weights of endpoints in a ring", give(one(
    group(endpoint("A", weight=1), endpoint("B", weight=9)), cluster_fields={"lb_policy": "RING_HASH"})),
    until({"A", "B"}, n=20), call({"A": (15, 120), "B": (380, 485)}, n=500))
row("weights of endpoints with round robin", give(one(group(endpoint("A", weight=1), endpoint("B", weight=9)))),
    until({"A", "B"}, n=20), call({"A": (245, 255), "B": (245, 255)}, n=500))
row("round robin by a list of policies: no localities", give(one(
    group("A", zone="1"), group("B", zone="2", weight=99), cluster_fields={"load_balancing_policy": policy(extension(
        "rr", "envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin"))})),
    until({"A", "B"}, n=20), call({"A": (49, 51), "B": (49, 51)}, n=100))
row("wrr_locality by a list of policies", give(one(
    group("A", zone="1"), group("B", zone="2", weight=99), cluster_fields={"load_balancing_policy": policy(extension(
        "wrr", "envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality",
        endpoint_picking_policy=policy(extension(
            "rr", "envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin"))))})),
    until({"A", "B"}, n=200), call({"A": (0, 20), "B": (180, 200)}, n=200))
row("pick_first by a list of policies", give(one(group("A", "B"), cluster_fields={"load_balancing_policy": policy(extension(
    "pf", "envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst"))})), call("A", n=20))
row("a policy by its name in a TypedStruct", give(one(group("A", "B"), cluster_fields={"load_balancing_policy": policy(extension(
    "own", "xds.type.v3.TypedStruct", type_url=URL + "a.b/pick_first", value={}))})), call("A", n=20))
row("a policy by its name in the old TypedStruct", give(one(group("A", "B"), cluster_fields={"load_balancing_policy": policy(
    extension("own", "udpa.type.v1.TypedStruct", type_url=URL + "a.b/pick_first", value={}))})), call("A", n=20))
row("the list of policies wins over lb_policy", give(one(group("A", "B"), cluster_fields={
    "lb_policy": "RING_HASH", "load_balancing_policy": policy(extension(
        "pf", "envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst"))})), call("A", n=20))
row("client_side_weighted_round_robin", give(one(group("A", "B"), cluster_fields={"load_balancing_policy": policy(extension(
    "wrr", "envoy.extensions.load_balancing_policies.client_side_weighted_round_robin.v3."
    "ClientSideWeightedRoundRobin"))})), until({"A", "B"}, n=10))
CSWRR = "envoy.extensions.load_balancing_policies.client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin"
row("client_side_weighted_round_robin: weights by the servers' reports",
    orca("A", rps_fractional=100, application_utilization=0.5), orca("B", rps_fractional=900, application_utilization=0.5),
    give(one(group("A", "B"), cluster_fields={"load_balancing_policy": policy(extension(
        "wrr", CSWRR, blackout_period="0s", weight_update_period="0.1s"))})),
    until({"A": (5, 20), "B": (80, 95)}, n=100))
row("client_side_weighted_round_robin: inside wrr_locality",
    orca("A", rps_fractional=100, application_utilization=0.5), orca("B", rps_fractional=900, application_utilization=0.5),
    give(one(group("A", "B"), cluster_fields={"load_balancing_policy": policy(extension(
        "loc", "envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality",
        endpoint_picking_policy=policy(extension("wrr", CSWRR, blackout_period="0s", weight_update_period="0.1s"))))})),
    until({"A": (5, 20), "B": (80, 95)}, n=100))
row("an endpoint with two addresses: the second, if the first is dead", give(one(group(endpoint(
    "dead", additional_addresses=[{"address": {"socket_address": {"address": "127.0.0.1", "port_value": "@A"}}}])))),
    call("A", n=5))
row("the order of endpoints is no change", give(one(group("A", "B", "C"))), until({"A", "B", "C"}, n=9),
    give(endpoints("a", group("C", "A", "B"))), accepted("EDS"), until({"A", "B", "C"}, n=9), connections(A=1, B=1, C=1))
row("an endpoint is replaced", give(one(group("A", "B"))), until({"A", "B"}, n=10),
    give(endpoints("a", group("A", "C"))), until({"A", "C"}, n=10), call({"A", "C"}, n=20), connections(A=1, B=1, C=1))
row("an endpoint moves to another locality: the other connection stays", give(one(group("A", zone="1"), group("B", zone="2"))),
    until({"A", "B"}, n=20), give(endpoints("a", group("A", "B", zone="1"))), accepted("EDS"), until({"A", "B"}, n=20),
    connections(A=1))

# Priorities

row("priority 1 is not used", give(one(group("A"), group("B", priority=1))), call("A", n=20), arrivals(B=0))
row("priority 0 is dead: priority 1", give(one(group("dead"), group("B", priority=1))), call("B", n=5))
row("priorities 0 to 2 are dead: priority 3", give(one(
    group("dead0"), group("dead1", priority=1), group("dead2", priority=2), group("B", priority=3))), call("B", n=5))
row("priority 0 is empty: priority 1", give(one(group(), group("B", priority=1))), call("B", n=5))
row("all of priority 0 is unhealthy: priority 1", give(one(
    group(endpoint("A", health="UNHEALTHY")), group("B", priority=1))), call("B", n=5))
row("one server of priority 0 is enough", give(one(group("A", "dead"), group("B", priority=1))), call("A", n=20))
row("priority 0 goes, and comes back", give(one(group("A"), group("B", priority=1))), call("A"), stop("A"), until("B"),
    call("B", n=10), start("A"), until("A"), call("A", n=10))
row("a locality moves to a better priority: its connection stays",
    give(one(group("A"), group("B", priority=1, zone="z1"))), call("A"), stop("A"), until("B"),
    give(endpoints("a", group("B", zone="z1"), group("C", priority=1, zone="z2"))), accepted("EDS"), call("B", n=10),
    connections(B=1))
row("a priority is removed while it is in use", give(one(group("dead"), group("B", priority=1))), call("B"),
    give(endpoints("a", group("A"))), until("A"), call("A", n=10))
row("all priorities are dead: calls fail, with the reason", give(one(group("dead0"), group("dead1", priority=1))), call(14))
row("all priorities are dead: a call that waits for ready waits", give(one(group("dead0"))),
    begin("one", wait=True, timeout=15), call(14), give(endpoints("a", group("A"))), finish("one", "A"))
row("priority 0 does not answer: priority 1 after 10 s", give(one(group("hole"), group("B", priority=1))),
    begin("one", timeout=30), finish("one", "B", least=9), slow=True)

# Aggregates and DNS

row("aggregate: the first cluster", give(web()[:2], aggregate("a", "b", "c"), lookup("b", "c")), call("B", n=10),
    subscribed("CDS", "a b c"), subscribed("EDS", "b c"))
row("aggregate: the first cluster is dead", give(web()[:2], aggregate("a", "b", "c"), lookup("b", "c"),
                                                   endpoints("b", "dead")), call("C", n=10))
row("aggregate: of aggregates", give(web()[:2], aggregate("a", "x", "d"), aggregate("x", "b", "c"), lookup("b", "c", "d"),
                                      endpoints("b", "dead"), endpoints("c", "dead1")), call("D", n=5))
row("aggregate: a cluster twice counts once", give(web()[:2], aggregate("a", "b", "x"), aggregate("x", "b", "c"), lookup("b", "c"),
    endpoints("b", "dead")), call("C", n=5), subscribed("CDS", "a b c x"))
row("aggregate: a loop is passed over", give(web()[:2], aggregate("a", "b", "x"), aggregate("x", "a", "c"), lookup("b", "c"),
    endpoints("b", "dead")), call("C", n=3))
row("aggregate: only itself", give(web()[:2], aggregate("a", "a")), call((14, "a")))


def deep(levels):
    return [*web()[:2], aggregate("a", "x1"), *(aggregate(f"x{index}", f"x{index + 1}") for index in range(1, levels)),
            cluster(f"x{levels}"), endpoints(f"x{levels}", "A")]


row("aggregate: 16 clusters, one in the other", give(deep(15)), call("A"))
row("aggregate: 17 clusters, one in the other", give(deep(16)), call((14, "a")))
row("aggregate: a deleted cluster is skipped", give(web()[:2], aggregate("a", "b", "c"), lookup("b", "c")), call("B"),
    remove("CDS", "b"), until("C"), call("C", n=5), bootstrap=DROPS)
row("aggregate: each cluster has its own policy", give(web()[:2], aggregate("a", "b"), cluster(
    "b", load_balancing_policy=policy(extension(
        "pf", "envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst"))), endpoints("b", group("A", "B"))),
    call("A", n=10))
row("aggregate: the list changes", give(web()[:2], aggregate("a", "b", "c"), lookup("b", "c")), call("B"),
    give(aggregate("a", "c", "b")), until("C"), call("C", n=5))
row("DNS: a name", give(web()[:2], logical_dns("a", "A")), call("A", n=5),
    Step("EDS is not asked for", lambda run: expect(
        not any(each.type == "EDS" for each in run.control.requests), "a request for EDS")))
row("DNS: an address", give(web()[:2], logical_dns("a", "A", "127.0.0.1")), call("A", n=5))
row("DNS: a name that does not exist", give(web()[:2], logical_dns("a", "A", "no.such.name.invalid")), call((14, "a")))
row("DNS: in an aggregate after a dead cluster", give(
    web()[:2], aggregate("a", "b", "x"), cluster("b"), endpoints("b", "dead"), logical_dns("x", "C")), call("C", n=5))
row("DNS: in an aggregate, before a cluster of EDS", give(
    web()[:2], aggregate("a", "x", "b"), lookup("b"), logical_dns("x", "dead")), call("B", n=5))

# Drops and breakers

row("drops of 100 %", give(one(group("A"), policy=drops(lb=100))), call((14, "")), arrivals(A=0))
row("drops of 100 % are not retried", give([
    listener(), routes(route(action={"retry_policy": {"retry_on": "unavailable", "num_retries": 3}}.items())),
    cluster(), endpoints("a", group("A"), policy=drops(lb=100))]), call(14, wait=True), arrivals(A=0))
row("drops of 50 %", give(one(group("A"), policy=drops(lb=50))), call({"A": (190, 310), "14": (190, 310)}, n=500))
row("drops of two categories, one after the other", give(one(group("A"), policy=drops(one=50, two=50))),
    call({"A": (75, 175), "14": (325, 425)}, n=500))
row("drops come and go", give(one(group("A"))), call("A"), give(endpoints("a", policy=drops(lb=100))), until(14),
    give(endpoints("a")), until("A"), call("A", n=20), connections(A=1))


def breaker(number, **fields):
    return {"circuit_breakers": {"thresholds": [{"max_requests": number, **fields}]}}


row("breaker: two calls at once", give(one(group("A"), cluster_fields=breaker(2))), hold("1", "A"), hold("2", "A"),
    call((14, ""), n=3), finish("1", "A"), until("A"), finish("2", "A"), call("A", n=5))
row("breaker: 0 drops all", give(one(group("A"), cluster_fields=breaker(0))), call(14, n=3), arrivals(A=0))
row("breaker: a threshold of another priority does not count",
    give(one(group("A"), cluster_fields={"circuit_breakers": {"thresholds": [
        {"priority": "HIGH", "max_requests": 0}, {"max_requests": 1}, {"max_requests": 0}]}})),
    hold("1", "A"), call(14), finish("1", "A"), until("A"))
row("breaker: it is shared by the channels of the process",
    give(one(group("A"), cluster_fields=breaker(1)), listener("other")), hold("1", "A"), call(14, channel="other"),
    finish("1", "A"), until("A", channel="other"))
row("breaker: the limit changes while calls run", give(one(group("A"), cluster_fields=breaker(1))), hold("1", "A"), call(14),
    give(cluster(**breaker(2))), until("A"), hold("2", "A"), call(14), finish("1", "A"), finish("2", "A"))
row("breaker: 1,024 without a threshold", give(one(group("A"))), hold("1", "A"), call("A", n=3), finish("1", "A"))

# Outliers

FAST = {"interval": "0.2s", "base_ejection_time": "100s", "enforcing_success_rate": 0,
        "failure_percentage_threshold": 50, "enforcing_failure_percentage": 100,
        "failure_percentage_minimum_hosts": 2, "failure_percentage_request_volume": 5, "max_ejection_percent": 100}
row("outliers: a server that fails is ejected", give(one(group("A", "B", "C"), cluster_fields={"outlier_detection": FAST})),
    until({"A", "B", "C"}, n=9), server("C", 14), until({"A", "B"}, n=20), call({"A", "B"}, n=40))
row("outliers: at most a third is ejected", give(one(group("A", "B", "C"), cluster_fields={
    "outlier_detection": {**FAST, "max_ejection_percent": 20}})), until({"A", "B", "C"}, n=9), server("B", 14), server("C", 14),
    until({"A": (14, 16), "14": (14, 16)}, n=30))
row("outliers: nothing is enforced", give(one(group("A", "B", "C"), cluster_fields={
    "outlier_detection": {**FAST, "enforcing_failure_percentage": 0}})), until({"A", "B", "C"}, n=9), server("C", 14),
    call({"A", "B", "14"}, n=60), until({"14": (20, 20), "A": (20, 20), "B": (20, 20)}, n=60))
row("outliers: a server comes back after its time", give(one(group("A", "B", "C"), cluster_fields={
    "outlier_detection": {**FAST, "base_ejection_time": "0.5s", "max_ejection_time": "0.5s"}})), until({"A", "B", "C"}, n=9),
    server("C", 14), until({"A", "B"}, n=20), server("C", 0), until({"A", "B", "C"}, n=9))
row("outliers: by success rate", give(one(group("A", "B", "C", "D", "E", "F"), cluster_fields={"outlier_detection": {
    "interval": "0.2s", "base_ejection_time": "100s", "enforcing_success_rate": 100, "success_rate_minimum_hosts": 2,
    "success_rate_request_volume": 5, "success_rate_stdev_factor": 1000, "max_ejection_percent": 100}})),
    until({"A", "B", "C", "D", "E", "F"}, n=12), server("F", 14), until({"A", "B", "C", "D", "E"}, n=30))
row("outliers: ejected servers of priority 0: priority 1",
    give(one(group("A", "B"), group("C", priority=1), cluster_fields={"outlier_detection": FAST})),
    until({"A", "B"}, n=10), server("A", 14), server("B", 14), until("C", n=3))
