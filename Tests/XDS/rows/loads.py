"""Load reports beside the servers' own counts, and streams of reports that change and end."""
from loads import *
from resources import *
from steps import *

SELF = {"lrs_server": {"self": {}}}
ORCA = {"GRPC_EXPERIMENTAL_XDS_ORCA_LRS_PROPAGATION": "true"}
ZONES = {"1": "A", "2": "B"}


ONE = {"A": (0, 1), "B": (0, 1)}


def calls(number, **fields):
    """Calls to any of the two servers, which are chosen at random."""
    return call({"A": (0, number), "B": (0, number)}, n=number, **fields)


def reporting(name="a", service_name=None, **fields):
    return [listener(), routes(route(to=name)), cluster(name, service_name, **SELF, **fields),
            endpoints(service_name or name, group("A", zone="1"), group("B", zone="2"))]


row("two localities: the servers' own counts", wants(), give(reporting()), calls(200),
    counted("a", zones=ZONES, issued=200, success=200, error=0, running=0))
row("calls of many threads", wants(), give(reporting()), until({"A", "B"}, n=30),
    calls(100, together=True),
    counted("a", zones=ZONES, error=0, running=0))
row("errors of servers", wants(), give(reporting()), call(9, n=30, body={"codes": [9]}), calls(20),
    counted("a", zones=ZONES, issued=50, success=20, error=30))
row("each attempt of a retried call", wants(), give([
    listener(), routes(route(action={"retry_policy": {"retry_on": "unavailable", "num_retries": 2}}.items())),
    *reporting()[2:]]), calls(40), calls(20, body={"codes": [14, 0]}),
    counted("a", zones=ZONES, issued=80, success=60, error=20))
row("a deadline and a cancelled call are errors", wants(), give(reporting()), calls(10),
    call(4, timeout=0.3, body={"after": 5}), hold("h", ONE), cancel("h"),
    counted("a", zones=ZONES, issued=12, success=10, error=2, running=0))
row("calls that run, and then do not", wants(), give(reporting()), hold("1", ONE),
    hold("2", ONE), counted("a", issued=2, running=2, success=0),
    finish("1", ONE), counted("a", issued=2, running=1, success=1),
    finish("2", ONE), counted("a", zones=ZONES, issued=2, running=0, success=2))
row("drops by category and of the breaker", wants(), give(
    web()[:2], cluster(**SELF, circuit_breakers={"thresholds": [{"max_requests": 1}]}), endpoints("a", "A")),
    hold("h", "A"), call(14, n=5), finish("h", "A"), give(endpoints("a", "A", policy=drops(first=0, second=100))),
    accepted("EDS"), until(14), counted("a", issued=1), call(14, n=4),
    Step("drops", lambda run: run.board.wait(
        lambda: (lambda found: found["categories"].get("second", 0) >= 5 and "first" not in found["categories"]
                 and found["dropped"] == found["categories"]["second"] + 5)(sums(service(run).stats, "a")),
        lambda: f"{sums(service(run).stats, 'a')}")))
row("the service name", wants(), give(reporting("a", "eds")), calls(10),
    counted("a", "eds", zones=ZONES, success=10))
row("two clusters, one of which reports", wants(), give(
    web(route("/b", to="b"), route()), cluster("b", **SELF)), call("A", n=3), call("B", "/b/M", n=5),
    counted("b", success=5), uncounted("a"))
row("an aggregate: the cluster that is used", wants(), give(
    web()[:2], aggregate("a", "b", "c"), lookup("b", "c"), cluster("b", **SELF), cluster("c", **SELF),
    endpoints("b", "dead")), call("C", n=4), counted("c", issued=4, success=4), counted("b", issued=0))
row("a cluster begins to report, and stops: connections stay", wants(), give(reporting()), give(cluster()),
    until({"A", "B"}, n=30), give(cluster(**SELF)), accepted("CDS"), calls(10), report_streams(1),
    give(cluster()), accepted("CDS"), calls(10), connections(A=1, B=1))
row("other clusters are wanted: counts of before are gone", wants("x"), give(reporting()), calls(10),
    report_streams(1), next_report(), uncounted("a"), wants("a"), calls(6), next_report(),
    counted("a", issued=6, success=6))
row("all clusters, then one", wants(),
    give(web(route("/b", to="b"), route()), cluster("a", **SELF), cluster("b", **SELF)),
    call("A", n=3), call("B", "/b/M", n=5), counted("a", success=3), counted("b", success=5), wants("b"),
    next_report(), call("A", n=3), call("B", "/b/M", n=5), counted("b", success=10), counted("a", success=3))
row("another interval", wants(every=1), give(reporting()), calls(4), counted("a", success=4),
    wants(every=3), calls(5), counted("a", zones=ZONES, success=9), measured(3, "a"))
row("an interval of 0 is one of a second", wants(every=0), give(reporting()), calls(4),
    counted("a", success=4), measured(0.99, "a"))
row("no interval is one of a second", wants(every=None), give(reporting()), calls(4),
    counted("a", success=4), measured(0.99, "a"), only="swiftlet", why="C-core ends with a signal")
row("a response that cannot be read is passed over", wants(), give(reporting()), calls(4),
    counted("a", success=4), sends_bytes(b"\xff\xff"), calls(5), counted("a", zones=ZONES, success=9),
    Step("one stream", lambda run: expect(len(service(run).streams) == 1, "another stream")))
row("the stream of reports ends with an error: its counts are in the next one", wants(), give(reporting()),
    calls(4), counted("a", success=4), hold("h", ONE), silent(), end_reports(14),
    calls(6), report_streams(2), calls(7), wants(),
    counted("a", issued=18, success=17, running=1), finish("h", ONE),
    counted("a", zones=ZONES, issued=18, success=18, running=0))
row("the stream of reports ends with OK: the same", wants(), give(reporting()), calls(4),
    counted("a", success=4), end_reports(), calls(6), report_streams(2),
    counted("a", zones=ZONES, success=10))
row("the control plane goes, and comes back", wants(), give(reporting()), calls(4), counted("a", success=4),
    stop(), Step("streams end", lambda run: service(run).stop()), calls(6), start(), report_streams(2),
    calls(5), counted("a", zones=ZONES, issued=15, success=15))
row("a control plane without reports: calls go on, and it is asked again after pauses", refuses_reports(12),
    give(reporting()), calls(10), report_pauses(0.8, 1.28), calls(10))
row("a control plane that refuses reports, and then does not", refuses_reports(14), wants(), give(reporting()),
    calls(10), report_pauses(0.8), refuses_reports(None), counted("a", zones=ZONES, success=10))
row("the last counts of a cluster that is gone", wants(), give(
    web()[:2], cluster("a", **SELF), endpoints("a", "A"), cluster("b", **SELF), endpoints("b", "B")), call("A", n=8),
    give(routes(route(to="b"))), accepted("RDS"), until("B", n=2), counted("a", zones={"z0": "A"}),
    counted("b", zones={"z0": "B"}))
row("the control plane that has sent the cluster gets the reports", on("x", wants()), on("y", wants()), give(
    listener(), routes(route("/b", to="xdstp://auth/envoy.config.cluster.v3.Cluster/b"), route()),
    cluster("a", **SELF), endpoints("a", "A")), on("y", give(
        cluster("xdstp://auth/envoy.config.cluster.v3.Cluster/b", "b", **SELF))), give(endpoints("b", "B")),
    call("A", n=3), call("B", "/b/M", n=5), on("x", counted("a", success=3)),
    on("y", counted("xdstp://auth/envoy.config.cluster.v3.Cluster/b", "b", success=5)),
    on("x", uncounted("xdstp://auth/envoy.config.cluster.v3.Cluster/b")), on("y", uncounted("a")),
    servers=("x", "y"), bootstrap={"authorities": {"auth": {"xds_servers": [
        {"server_uri": "@y", "channel_creds": [{"type": "insecure"}]}]}}})
row("two channels of a target add up", wants(), give(reporting()), channel("svc"), channel("other", "xds:///svc"),
    calls(4), calls(6, channel="other"), counted("a", zones=ZONES, issued=10, success=10))
row("two targets: each reports its own calls", wants(), give(reporting(), listener("other")), calls(4),
    calls(6, channel="other"), report_streams(2), counted("a", zones=ZONES, issued=10, success=10))
row("the last channel of a target is closed: its stream of reports ends", wants(), give(reporting()),
    calls(4), counted("a", success=4), close(), reports_closed(),
    only="swiftlet", why="which requests arrive while a channel is closed depends on the moment")

# Metrics of servers (A85)

METRICS = {"cpu_utilization": 0.5, "mem_utilization": 0.25, "application_utilization": 2,
           "named_metrics": {"x": 3, "y": 1}, "utilization": {"disk": 1}}


def measured_cluster(*names):
    return [*web()[:2], cluster(**SELF, lrs_report_endpoint_metrics=list(names)), endpoints("a", "A")]


row("metrics: those that the cluster names", wants(), give(measured_cluster(
    "cpu_utilization", "application_utilization", "named_metrics.y", "named_metrics.z", "utilization.disk", "nothing")),
    reports_metrics("A", **METRICS), call("A", n=4), call(9, n=2, body={"codes": [9]}),
    counted("a", success=4, error=2),
    metrics("a", cpu_utilization=(6, 3), application_utilization=(6, 12), named_metrics__y=(6, 6)), environment=ORCA)
row("metrics: all named ones", wants(), give(measured_cluster("named_metrics.*", "mem_utilization")),
    reports_metrics("A", **METRICS), call("A", n=4), counted("a", success=4),
    metrics("a", mem_utilization=(4, 1), named_metrics__x=(4, 12), named_metrics__y=(4, 4)), environment=ORCA)
row("metrics: none without a name in the cluster", wants(), give(measured_cluster()), reports_metrics("A", **METRICS),
    call("A", n=4), counted("a", success=4), metrics("a"), environment=ORCA)
row("metrics: none from a server without reports", wants(), give(measured_cluster("cpu_utilization", "named_metrics.*")),
    call("A", n=4), counted("a", success=4), metrics("a"), environment=ORCA)
