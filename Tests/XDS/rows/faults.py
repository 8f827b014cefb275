"""Fault injection."""
from resources import *
from steps import *

FAULT = "envoy.extensions.filters.http.fault.v3.HTTPFault"
ALL = {"numerator": 100}


def faulty(*what, **fault):
    return web(*what, filters=[extension("fault", FAULT, **fault), ROUTER])


def abort(percentage=ALL, **how):
    return {"abort": {**how, "percentage": percentage}}


def delay(seconds="0.4s", percentage=ALL):
    return {"delay": {"fixed_delay": seconds, "percentage": percentage}}


BY_HEADER = {"abort": {"header_abort": {}, "percentage": ALL}}

row("fault: abort with a code", give(faulty(**abort(grpc_status=10))), call(10, n=3), arrivals(A=0))
for status, code in ((400, 13), (401, 16), (403, 7), (404, 12), (429, 14), (503, 14), (500, 2)):
    row(f"fault: abort with HTTP status {status}", give(faulty(**abort(http_status=status))), call(code))
row("fault: abort with HTTP status 200", give(faulty(**abort(http_status=200))), call(
    either("C-core sends the call; gRPC's map of HTTP statuses says UNKNOWN", "A", 2)))
row("fault: abort with 0 %", give(faulty(**abort(grpc_status=10, percentage={"numerator": 0}))), call("A", n=50))
row("fault: abort without a percentage", give(faulty(abort={"grpc_status": 10})), call("A", n=50))
row("fault: abort with 50 %", give(faulty(**abort(grpc_status=10, percentage={"numerator": 50}))),
    call({"A": (190, 310), "10": (190, 310)}, n=500))
row("fault: abort with parts of a million", give(faulty(**abort(grpc_status=10, percentage={
    "numerator": 300_000, "denominator": "MILLION"}))), call({"A": (290, 410), "10": (90, 210)}, n=500))
# A33 ends the call with OK. No client has a message for it then, so both send the call.
row("fault: abort with code 0", give(faulty(**abort(grpc_status=0))), call("A"))
row("fault: delay", give(faulty(**delay())), call("A", least=0.39, n=2))
row("fault: delay, and the deadline is shorter", give(faulty(**delay("8s"))), call(4, timeout=0.3), arrivals(A=0))
row("fault: delay, then abort", give(faulty(**delay(), **abort(grpc_status=10))), call(10, least=0.39))
row("fault: delay with 0 %", give(faulty(**delay("8s", {"numerator": 0}))), call("A", n=20, timeout=5))
row("fault: abort by header", give(faulty(**BY_HEADER)), call("A"), call(7, headers={"x-envoy-fault-abort-grpc-request": "7"}),
    call(
    either("C-core does not read the header with an HTTP status", "A", 12), headers={"x-envoy-fault-abort-request": "404"}))
row("fault: abort by header with a percentage",
    give(faulty(**BY_HEADER)),
    call(either("C-core reads `x-envoy-fault-abort-percentage`, Envoy `x-envoy-fault-abort-request-percentage`", 7, "A"),
         n=20, headers={"x-envoy-fault-abort-grpc-request": "7", "x-envoy-fault-abort-request-percentage": "0"}),
    call(7, n=20, headers={"x-envoy-fault-abort-grpc-request": "7", "x-envoy-fault-abort-request-percentage": "100"}))
row("fault: the header's percentage is at most that of the settings",
    give(faulty(abort={"header_abort": {}, "percentage": {"numerator": 0}})),
    call("A", n=20, headers={"x-envoy-fault-abort-grpc-request": "7", "x-envoy-fault-abort-request-percentage": "100"}))
row("fault: headers do not count without settings for them", give(faulty(**abort(grpc_status=10, percentage={"numerator": 0}))),
    call("A", headers={"x-envoy-fault-abort-grpc-request": "7"}))
row("fault: bad headers are ignored", give(faulty(**BY_HEADER)),
    call(either("C-core reads the text as UNKNOWN", 2, "A"), headers={"x-envoy-fault-abort-grpc-request": "seven"}),
    call("A", headers={"x-envoy-fault-abort-request": ""}))
row("fault: delay by header", give(faulty(delay={"header_delay": {}, "percentage": ALL})),
    call("A"), call("A", headers={"x-envoy-fault-delay-request": "400"}, least=0.39))
row("fault: delay by header with a percentage", give(faulty(delay={"header_delay": {}, "percentage": ALL})),
    call("A", headers={"x-envoy-fault-delay-request": "8000", "x-envoy-fault-delay-request-percentage": "0"}, timeout=5))
row("fault: at most one at once", give(faulty(**delay("8s"), max_active_faults=1)),
    call({"A": (4, 4), "4": (1, 1)}, n=5, together=True, timeout=1.5))
row("fault: one that its call has not waited for runs no more", give(faulty(**delay("8s"), max_active_faults=1)),
    call(4, timeout=0.3), call(4, timeout=0.3), call(4, timeout=0.3), arrivals(A=0))
row("fault: max_active_faults 0", give(faulty(**abort(grpc_status=10), max_active_faults=0)), call("A", n=20))
row("fault: it is changed while calls run", give(faulty(**abort(grpc_status=10))), call(10), give(listener()), until("A"),
    give(faulty(**abort(grpc_status=9))), until(9))
row("fault: for calls that are not retried", give(faulty(route(action={
    "retry_policy": {"retry_on": "unavailable", "num_retries": 3}}.items()), **abort(grpc_status=14))), call(14), arrivals(A=0))


def override(fault=None, **more):
    return {"fault": typed(FAULT, **(fault or {}), **more)}


NONE = extension("fault", FAULT)
row("fault: of a virtual host", give(web(host(route(), typed_per_filter_config=override(abort(grpc_status=5)))),
                                      listener(filters=[NONE, ROUTER])), call(5))
row("fault: of a route wins over the virtual host's", give(web(host(
    route("/r", typed_per_filter_config=override(abort(grpc_status=6))), route(),
    typed_per_filter_config=override(abort(grpc_status=5)))), listener(filters=[NONE, ROUTER])), call(6, "/r/M"), call(5))
row("fault: of a weighted cluster wins over the route's", give(web(), listener(filters=[NONE, ROUTER]), routes(route(to=None, action={
    "weighted_clusters": {"clusters": [{"name": "a", "weight": 1, "typed_per_filter_config": override(abort(grpc_status=7))}]}
    }.items(), typed_per_filter_config=override(abort(grpc_status=6))))), call(7))
row("fault: a route's empty settings turn it off", give(web(
    route("/off", typed_per_filter_config=override()), route(), filters=[extension("fault", FAULT, **abort(grpc_status=10)), ROUTER])),
    call(10), call("A", "/off/M"))
row("fault: settings in a FilterConfig", give(web(host(route(), typed_per_filter_config={"fault": typed(
    "envoy.config.route.v3.FilterConfig", config=typed(FAULT, **abort(grpc_status=5)))})), listener(filters=[NONE, ROUTER])), call(5))
row("fault: settings of a filter that the listener does not have are ignored", give(web(host(
    route(), typed_per_filter_config=override(abort(grpc_status=5))))), call("A"))
