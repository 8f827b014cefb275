"""Rules for endpoints: what is refused, skipped and accepted."""
from resources import *
from steps import *


def drop(**percent):
    return endpoints("a", policy={"drop_overloads": [{"category": "x", "drop_percentage": percent}]})


bad("a locality without a name", endpoints("a", {"lb_endpoints": [endpoint("A")], "load_balancing_weight": 1}),
    text="locality")
bad("a locality twice in a priority", endpoints("a", group("A"), group("B")), text="locality")
row("a locality in two priorities", give(web(), endpoints("a", group("A"), group("B", priority=1))), call("A"))
bad("weights of localities with a sum above 2³²−1", endpoints(
    "a", group("A", weight=4_294_967_295, zone="1"), group("B", zone="2")), text="weight")
bad("a gap in the priorities", endpoints("a", group("A"), group("B", priority=2)), text="priority")
bad("no priority 0", endpoints("a", group("A", priority=1)), text="priority")
bad("a huge priority", endpoints("a", group("A", priority=4_294_967_295)), text="priority")
bad("an endpoint with weight 0", endpoints("a", group(endpoint("A", weight=0))), text="load_balancing_weight")
split("weights of endpoints with a sum above 2³²−1", "C++ does not add the weights of endpoints",
      endpoints(
    "a", group(endpoint("A", weight=4_294_967_295), endpoint("B", weight=1))), text="weight")
bad("an endpoint without an address", endpoints("a", group({"endpoint": {}})), text="address")
bad("an endpoint with a name for an address", endpoints("a", group(endpoint("A", address="localhost"))),
    text="address")
bad("a port above 65535", endpoints("a", group({"endpoint": {"address": {"socket_address": {
    "address": "127.0.0.1", "port_value": 65_536}}}})), text="port_value")
bad("an address twice", endpoints("a", group("A", "A")), text="address")
bad("an address twice, in two localities", endpoints("a", group("A"), group("A", zone="z1")), text="address")
bad("a drop without a category", endpoints("a", policy={"drop_overloads": [
    {"drop_percentage": {"numerator": 1}}]}), text="category")
bad("a drop without a percentage", endpoints("a", policy={"drop_overloads": [{"category": "x"}]}),
    text="drop_percentage")
bad("a drop with an unknown denominator", drop(numerator=1, denominator=9), text="denominator")
row("a locality with weight 0 or without weight is skipped",
    give(web(), endpoints("a", group("A", zone="1"), group("B", zone="2", weight=None),
                          group("C", zone="3", weight=0))),
    call("A", n=10))
row("endpoints that are not healthy are skipped",
    give(web(), endpoints("a", group("A", endpoint("B", health="UNHEALTHY"), endpoint("C", health="DRAINING"),
                                     endpoint("D", health="TIMEOUT"), endpoint("E", health="DEGRADED"),
                                     endpoint("F", health="HEALTHY")))),
    until({"A", "F"}, n=10), call({"A", "F"}, n=20))
row("no localities: calls fail", give(web(), endpoints("a").but(endpoints=[])), call((14, "a")))
row("a locality without endpoints: calls fail", give(web(), endpoints("a", group())), call((14, "")))
row("endpoints go, and come back", give(web()), call("A"),
    give(endpoints("a").but(endpoints=[])), until(14), give(endpoints("a")), until("A"))
