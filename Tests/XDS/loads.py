"""A service of load reports whose script opens up, changes and ends streams, and the steps for it."""
import datetime
import queue
import threading
import time

import envoy.service.load_stats.v3.lrs_pb2 as lrs
import xds.data.orca.v3.orca_load_report_pb2 as orca

from backends import code_of
from steps import Step, expect


class Stream:
    def __init__(self):
        self.begun = time.monotonic()
        self.requests = []
        self.out = queue.Queue()
        self.open = True


class LoadService:
    """Takes the place of a control plane's own service."""

    def __init__(self, board):
        self._board = board
        self.streams = []
        # What new streams get at once; None for nothing.
        self.settings = None
        # The code with which new streams end at once; None if they do not.
        self.code = None

    def serve(self, requests, context):
        with self._board.changed:
            stream = Stream()
            self.streams.append(stream)
            code, settings = self.code, self.settings
            self._board.changed.notify_all()
        if code is not None:
            stream.open = False
            context.abort(code_of(code), "as asked")
        if settings is not None:
            stream.out.put(settings)
        threading.Thread(target=self._read, args=(stream, requests), daemon=True).start()
        while True:
            value = stream.out.get()
            if isinstance(value, bytes):
                yield value
                continue
            with self._board.changed:
                stream.open = False
                self._board.changed.notify_all()
            if value:
                context.abort(code_of(value), "as asked")
            return

    def _read(self, stream, requests):
        try:
            for body in requests:
                with self._board.changed:
                    stream.requests.append(lrs.LoadStatsRequest.FromString(body))
                    self._board.changed.notify_all()
        except Exception:
            # The stream has ended.
            pass
        stream.out.put(0)

    @property
    def stats(self):
        """Those of all clusters in all reports."""
        return [stats for stream in self.streams for request in stream.requests for stats in request.cluster_stats]

    def stop(self):
        for stream in self.streams:
            stream.out.put(0)


def service(run, plane=None):
    control = run.planes[plane] if plane else run.control
    if not hasattr(control, "loads"):
        control.loads = LoadService(run.board)
        control.serve_load = control.loads.serve
    return control.loads


def wants(*clusters, every=1):
    """Without clusters: all. On the stream that is open, and on later ones."""
    def act(run):
        loads = service(run)
        settings = lrs.LoadStatsResponse(clusters=clusters, send_all_clusters=not clusters)
        if every is not None:
            settings.load_reporting_interval.FromTimedelta(datetime.timedelta(seconds=every))
        with run.board.changed:
            loads.settings = settings.SerializeToString()
            for stream in loads.streams:
                if stream.open:
                    stream.out.put(loads.settings)
    return Step(f"wants {clusters} every {every}", act)


def sends_bytes(value):
    """On the stream that is open."""
    return Step("sends bytes", lambda run: service(run).streams[-1].out.put(value))


def silent():
    """New streams get no response."""
    def act(run):
        service(run).settings = None
    return Step("silent", act)


def refuses_reports(code):
    """New streams end with a code; None if they do not any more."""
    def act(run):
        service(run).code = code
    return Step(f"refuses reports {code}", act)


def end_reports(code=0):
    """Ends the stream of reports, with OK or a code."""
    def act(run):
        for stream in service(run).streams:
            if stream.open:
                stream.out.put(code)
    return Step(f"end reports {code}", act)


def reports_closed():
    """Waits until the client has closed all streams of reports."""
    return Step("reports closed", lambda run: run.board.wait(
        lambda: not any(stream.open for stream in service(run).streams), "a stream of reports is still open"))


def report_streams(number):
    """Waits until so many streams have begun and sent a request."""
    return Step(f"report streams {number}", lambda run: run.board.wait(
        lambda: len([each for each in service(run).streams if each.requests]) >= number,
        lambda: f"{len(service(run).streams)} streams of reports, expected {number}"))


def report_pauses(*shortest):
    """Waits for the streams; the times between their beginnings are at least these, in seconds."""
    def act(run):
        loads = service(run)
        run.board.wait(lambda: len(loads.streams) > len(shortest), "no other stream of reports")
        begun = [stream.begun for stream in loads.streams]
        found = [after - before for before, after in zip(begun, begun[1:])]
        expect(all(each >= least for each, least in zip(found, shortest)), f"{found}, expected at least {shortest}")
    return Step(f"report pauses {shortest}", act)


def next_report():
    """Waits for another report on the last stream."""
    def act(run):
        stream = service(run).streams[-1]
        count = len(stream.requests)
        run.board.wait(lambda: len(stream.requests) > count, "no other report")
    return Step("next report", act)


def sums(stats, cluster, name=""):
    """All counts of a cluster."""
    found = {"issued": 0, "success": 0, "error": 0, "dropped": 0, "categories": {}, "zones": {}, "running": 0}
    for each in stats:
        if (each.cluster_name, each.cluster_service_name) != (cluster, name):
            continue
        found["dropped"] += each.total_dropped_requests
        for drop in each.dropped_requests:
            found["categories"][drop.category] = found["categories"].get(drop.category, 0) + drop.dropped_count
        found["running"] = 0
        for place in each.upstream_locality_stats:
            zone = place.locality.zone
            found["issued"] += place.total_issued_requests
            found["success"] += place.total_successful_requests
            found["error"] += place.total_error_requests
            found["running"] += place.total_requests_in_progress
            if place.total_issued_requests:
                found["zones"][zone] = found["zones"].get(zone, 0) + place.total_issued_requests
    return found


def counted(cluster, name="", zones=None, **wanted):
    """Waits until all reports together have these counts. `zones`: the server of each locality, whose own count of
    calls must be that of the locality."""
    def act(run):
        def found():
            return sums(service(run).stats, cluster, name)

        def expected():
            if zones is None:
                return wanted
            arrivals = {zone: run.server(server).arrivals for zone, server in zones.items()}
            return {**wanted, "zones": {zone: number for zone, number in arrivals.items() if number}}
        run.board.wait(lambda: all(found()[field] == value for field, value in expected().items()),
                       lambda: f"{cluster}: {found()}, expected {expected()}")
        rules(run)
    return Step(f"counted {cluster} {name} {wanted} {zones or ''}", act)


def uncounted(*clusters):
    """No report has been about these clusters."""
    def act(run):
        for stats in service(run).stats:
            expect(stats.cluster_name not in clusters, f"a report about {stats.cluster_name}")
    return Step(f"uncounted {clusters}", act)


def rules(run):
    """What holds for each stream: the node in the first request only, without counts; and a time for each count."""
    for plane in run.planes.values():
        for stream in service(run, plane.name).streams:
            for index, request in enumerate(stream.requests):
                expect(request.HasField("node") == (index == 0), f"the node of request {index}: {request}")
                expect(index > 0 or not request.cluster_stats, f"counts in the first request: {request}")
                for stats in request.cluster_stats:
                    expect(stats.load_report_interval.ToTimedelta() > datetime.timedelta(0), f"no time: {stats}")


def measured(least, cluster):
    """The last report of a cluster is about at least so many seconds."""
    def act(run):
        last = [each for each in service(run).stats if each.cluster_name == cluster][-1]
        found = last.load_report_interval.ToTimedelta().total_seconds()
        expect(found >= least, f"a report about {found} s, expected at least {least}")
    return Step(f"measured {least} {cluster}", act)


def reports_metrics(server, **metrics):
    """Calls to a server end with a report of its load."""
    def act(run):
        run.port(server)
        backend = run.server(server)
        report = orca.OrcaLoadReport(**metrics).SerializeToString()
        call = backend._call

        def with_report(method, requests, context):
            context.set_trailing_metadata([("endpoint-load-metrics-bin", report)])
            yield from call(method, requests, context)
        backend._call = with_report
    return Step(f"reports metrics {server} {metrics}", act)


def metrics(cluster, **wanted):
    """Waits until all reports together have these metrics: the number of calls, and the sum."""
    def act(run):
        def found():
            values = {}
            for stats in service(run).stats:
                for place in stats.upstream_locality_stats if stats.cluster_name == cluster else ():
                    pairs = [(each.metric_name, each) for each in place.load_metric_stats]
                    pairs += [(field, getattr(place, field)) for field in (
                        "cpu_utilization", "mem_utilization", "application_utilization") if place.HasField(field)]
                    for name, each in pairs:
                        count, total = values.get(name, (0, 0))
                        values[name] = (count + each.num_requests_finished_with_metric, total + each.total_metric_value)
            return values
        expected = {name.replace("__", "."): value for name, value in wanted.items()}
        run.board.wait(lambda: found() == expected, lambda: f"metrics {found()}, expected {expected}")
    return Step(f"metrics {wanted}", act)
