"""Load reports and CSDS."""
from resources import *
from steps import *

SELF = {"lrs_server": {"self": {}}}
A85 = {"environment": {"GRPC_EXPERIMENTAL_XDS_ORCA_LRS_PROPAGATION": "true"}}


def totals(found):
    """(cluster, service): success, error, issued, dropped in all reports."""
    sums = {}
    for report in found:
        for stats in report.cluster_stats:
            entry = sums.setdefault((stats.cluster_name, stats.cluster_service_name), {
                "success": 0, "error": 0, "issued": 0, "dropped": 0, "categories": {}, "zones": {}})
            entry["dropped"] += stats.total_dropped_requests
            for drop in stats.dropped_requests:
                entry["categories"][drop.category] = entry["categories"].get(drop.category, 0) + drop.dropped_count
            for locality in stats.upstream_locality_stats:
                entry["success"] += locality.total_successful_requests
                entry["error"] += locality.total_error_requests
                entry["issued"] += locality.total_issued_requests
                entry["zones"][locality.locality.zone] = (
                    entry["zones"].get(locality.locality.zone, 0) + locality.total_issued_requests)
    return sums


def total(name, service="", **wanted):
    return reports(lambda found: all(
        totals(found).get((name, service), {}).get(field) == value for field, value in wanted.items()), f"{name} {wanted}")


def reporting(**fields):
    return [*web()[:2], cluster(**SELF, **fields), endpoints("a", group("A", zone="1"), group("B", zone="2"))]


row("reports: counts of success, error and calls by locality", load(everything=True), give(reporting()), call({"A", "B"}, n=40),
    server("A", 9), server("B", 9), call(9, n=6), total("a", success=40, error=6, issued=46))
row("reports: the first has the node, and no counts", load(everything=True), give(reporting()), call({"A", "B"}, n=20),
    reports(lambda found: found and found[0].node.id == "n1" and not found[0].cluster_stats
            and "envoy.lrs.supports_send_all_clusters" in found[0].node.client_features
            and not any(each.HasField("node") for each in found[1:]), "node"))
row("reports: by locality", load(everything=True), give(reporting()), until({"A", "B"}, n=20),
    reports(lambda found: set(totals(found).get(("a", ""), {}).get("zones", {})) == {"1", "2"}, "zones"))
row("reports: drops by category", load(everything=True), give(web()[:2], cluster(**SELF), endpoints(
    "a", policy=drops(first=100))), call(14, n=7), total("a", dropped=7, categories={"first": 7}))
row("reports: drops of the breaker", load(everything=True), give(reporting(circuit_breakers={"thresholds": [{"max_requests": 1}]})),
    begin("one", body={"after": 1.5}),
    Step("it runs", lambda run: run.board.wait(
        lambda: sum(run.server(name).running for name in "AB") == 1, "no call runs")), call(14, n=4),
    Step("it ends", lambda run: run.ask("finish", id="one")), total("a", dropped=4))
row("reports: the service name", load(everything=True), give(web()[:2], cluster("a", "eds", **SELF), endpoints("eds", "A")),
    call("A", n=3), total("a", "eds", success=3))
row("reports: only wanted clusters", load(clusters=["b"]), give(web(route("/b", to="b"), route()), cluster("a", **SELF),
    cluster("b", **SELF)), call("A", n=3), call("B", "/b/M", n=5), total("b", success=5),
    reports(lambda found: ("a", "") not in totals(found), "no a"))
row("reports: clusters without lrs_server do not report", load(everything=True), give(
    web(route("/b", to="b"), route()), cluster("b", **SELF)), call("A", n=3), call("B", "/b/M", n=5), total("b", success=5),
    reports(lambda found: ("a", "") not in totals(found), "no a"))
row("reports: calls that run are counted as such", load(everything=True), give(web()[:2], cluster(**SELF), endpoints("a", "A")),
    hold("h", "A"), reports(lambda found: any(
        locality.total_requests_in_progress == 1 for report in found for stats in report.cluster_stats
        for locality in stats.upstream_locality_stats), "in progress"), finish("h", "A"), total("a", success=1, issued=1))
row("reports: the interval is measured", load(everything=True), give(reporting()), call({"A", "B"}, n=10),
    reports(lambda found: any(0.5 < stats.load_report_interval.ToTimedelta().total_seconds() < 20
                              for report in found for stats in report.cluster_stats), "interval"))


def metrics(found):
    """name: (finished calls, total) in all reports."""
    sums = {}
    for report in found:
        for stats in report.cluster_stats:
            for locality in stats.upstream_locality_stats:
                for each in locality.load_metric_stats:
                    calls, value = sums.get(each.metric_name, (0, 0))
                    sums[each.metric_name] = (
                        calls + each.num_requests_finished_with_metric, value + each.total_metric_value)
                for name in ("cpu_utilization", "mem_utilization", "application_utilization"):
                    one = getattr(locality, name)
                    calls, value = sums.get(name, (0, 0))
                    sums[name] = (calls + one.num_requests_finished_with_metric, value + one.total_metric_value)
    return {name: pair for name, pair in sums.items() if pair[0]}


LOADED = orca("A", cpu_utilization=0.5, mem_utilization=0.25, application_utilization=0.75, named_metrics={"x": 2, "y": 3})
row("reports: the servers' own metrics, all named ones", LOADED, load(everything=True), give(
    web()[:2], cluster(lrs_report_endpoint_metrics=["named_metrics.*", "cpu_utilization"], **SELF), endpoints()), call("A", n=4),
    reports(lambda found: metrics(found) == {"named_metrics.x": (4, 8), "named_metrics.y": (4, 12), "cpu_utilization": (4, 2)},
            "metrics"), **A85)
row("reports: the servers' own metrics, one named one", LOADED, load(everything=True), give(
    web()[:2], cluster(lrs_report_endpoint_metrics=["named_metrics.x", "mem_utilization", "application_utilization"], **SELF),
    endpoints()), call("A", n=4), reports(lambda found: metrics(found) == {
        "named_metrics.x": (4, 8), "mem_utilization": (4, 1), "application_utilization": (4, 3)}, "metrics"), **A85)
row("reports: no server wants them: calls go on", give(reporting()), call({"A", "B"}, n=10))


def states(**wanted):
    return status(lambda found: all(found.get((kind, name), ("", ""))[:2] == value
                                    for kind, pairs in wanted.items() for name, value in pairs.items()), f"{wanted}")


REQUESTED, ABSENT, ACKED, NACKED = 1, 2, 3, 4
row("CSDS: all acknowledged", give(web()), call("A"), states(
    LDS={"svc": (ACKED, "1")}, RDS={"routes": (ACKED, "1")}, CDS={"a": (ACKED, "1")}, EDS={"a": (ACKED, "1")}))
row("CSDS: requested", give(web()[:2]), begin("one", timeout=1), subscribed("CDS", "a"), states(
    LDS={"svc": (ACKED, "1")}, CDS={"a": (REQUESTED, "")}))
row("CSDS: refused, with the version that is in use and the error", give(web()), call("A"), give(cluster(type="STATIC")),
    refused("CDS", "a"), states(CDS={"a": (NACKED, "1")}), status(lambda found: "type" in found["CDS", "a"][2], "error"))
row("CSDS: deleted", give(web()), call("A"), remove("CDS", "a"), until(14), states(CDS={"a": (ABSENT, "")}),
    only="grpcio", why="this client keeps what is deleted, as A88 says")
row("CSDS: two channels", give(web(), listener("other")), call("A"), call("A", channel="other"), states(
    LDS={"svc": (ACKED, "1"), "other": (ACKED, "1")}))
row("CSDS: before any channel", status(lambda found: not found, "empty"))
