"""The steps of which rows consist. Each takes the row's run, and raises what is wrong."""
import json

from envoy.service.load_stats.v3 import lrs_pb2
from xds.data.orca.v3 import orca_load_report_pb2

from backends import code_of
from resources import web

ROWS = []


class Row:
    def __init__(self, name, steps, options):
        self.name = name
        self.steps = steps
        self.servers = options.pop("servers", ("x",))
        self.bootstrap = options.pop("bootstrap", {})
        # The whole text of the bootstrap, where it is no object with the usual keys.
        self.bootstrap_text = options.pop("bootstrap_text", None)
        # Why the requests of both clients differ.
        self.differs = options.pop("differs", None)
        # `given`: the bootstrap is in a file; `missing`: the file is not there.
        self.file = options.pop("file", None)
        # Certificates in the folder of the row.
        self.files = options.pop("files", {})
        # Waits for a timer of seconds: such rows run together.
        self.slow = options.pop("slow", False)
        self.limit = options.pop("limit", 60 if self.slow else 20)
        self.environment = options.pop("environment", {})
        # The one client for which this row is, and why.
        self.only = options.pop("only", None)
        self.why = options.pop("why", None)
        # grpcio's process ends in this row with a segmentation fault; says when.
        self.crash = options.pop("crash", None)
        self.theme = None
        assert not options, options


def row(name, *steps, **options):
    ROWS.append(Row(name, flat(steps), options))


def flat(values):
    found = []
    for value in values:
        found += flat(value) if isinstance(value, (list, tuple)) else [value]
    return found


class Step:
    def __init__(self, what, act):
        self.what = what
        self.act = act


class Either:
    """What the two clients do, where they differ, and why."""

    def __init__(self, why, grpcio, swiftlet):
        assert grpcio != swiftlet
        self.why = why
        self.of = {"grpcio": grpcio, "swiftlet": swiftlet}


def either(why, grpcio, swiftlet):
    return Either(why, grpcio, swiftlet)


def resolved(run, value):
    if isinstance(value, Either):
        run.reasons.add(value.why)
        return value.of[run.client]
    return value


def expect(condition, text):
    if not condition:
        raise AssertionError(text() if callable(text) else text)


# The control plane


def on(plane, *steps):
    """The same steps at another control plane."""
    def act(run):
        before, run.plane = run.plane, plane
        try:
            for step in flat(steps):
                step.act(run)
        finally:
            run.plane = before
    return Step(f"on {plane}: " + "; ".join(step.what for step in flat(steps)), act)


def give(*resources):
    found = flat(resources)

    def act(run):
        run.know(found)
        run.control.give(found)
    return Step("give " + " ".join(f"{each.kind}:{each.name}" for each in found), act)


def remove(kind, *names):
    return Step(f"remove {kind}:{' '.join(names)}", lambda run: run.control.remove(kind, names))


def script(*kinds):
    """From here on only the script answers requests of these types."""
    def act(run):
        run.control.scripted.update(kinds or ("LDS", "RDS", "CDS", "EDS"))
    return Step("script " + " ".join(kinds), act)


def send(kind, *resources, version="1", type_url=None, errors=()):
    found = flat(resources)

    def act(run):
        run.know(found)
        run.control.send(kind, found, version, type_url=type_url, errors=errors)
    return Step(f"send {kind} {version} {' '.join(each.name for each in found)}", act)


def asked(kind, names="", version="", nonce=0, error=(), code=3):
    """The next request of a type. A request for fewer names, sent while the others were added, is skipped."""
    def act(run):
        wanted = resolved(run, names)
        wanted = tuple(sorted(wanted.split()))
        request = run.next_request(kind, lambda found: (
            set(found.names) < set(wanted) and not found.code))
        number = run.control.sent(kind) if nonce == "last" else nonce
        expected = (wanted, resolved(run, version), resolved(run, number), code if error else 0)
        found = (request.names, request.version, request.nonce, request.code)
        expect(found == expected, f"{kind}: {request}, expected {expected}")
        texts = resolved(run, error)
        for text in ((texts,) if isinstance(texts, str) else texts):
            expect(text in request.error, f"{kind}: {request.error!r} lacks {text!r}")
    return Step(f"asked {kind} {names} {version} {nonce} {error}", act)


def ack(kind, names, version="1"):
    return asked(kind, names, version, "last")


def nack(kind, names, *error, version=""):
    return asked(kind, names, version, "last", error or ("",))


def accepted(*kinds):
    """Waits until the client has acknowledged the last response of the types."""
    def act(run):
        for kind in kinds:
            run.board.wait(lambda: any(
                request.type == kind and not request.code and request.nonce == run.control.sent(kind)
                and request.stream == run.control.streams[-1].index
                for request in run.control.requests[-200:]), f"no ACK of {kind}")
    return Step("accepted " + " ".join(kinds), act)


def refused(kind, *texts):
    """Waits until the client has refused the last response of a type, with all of the texts."""
    def act(run):
        request = run.board.wait(lambda: next((
            request for request in run.control.requests
            if request.type == kind and request.nonce == run.control.sent(kind)
            and request.stream == run.control.streams[-1].index and request.nonce), None),
            f"no answer to {kind}")
        expect(request.code == 3, f"{kind} was accepted")
        for each in texts:
            for text in [resolved(run, each)]:
                expect(text in request.error, f"{request.error!r} lacks {text!r}")
    return Step(f"refused {kind} {texts}", act)


def refuses(*variants, text=""):
    """Each of the variants is refused, and the calls go on with what was known."""
    steps = []
    for variant in variants:
        steps += [give(variant), refused(variant.kind, variant.name, text)]
    return steps


def accepts(*variants):
    steps = []
    for variant in variants:
        steps += [give(variant), accepted(variant.kind)]
    return steps


def disputed(why, *variants, grpcio="accepted", swiftlet="refused", text=""):
    """Variants that one client accepts and the other refuses."""
    steps = []
    for variant in variants:
        def act(run, variant=variant):
            verdict = accepted if resolved(run, Either(why, grpcio, swiftlet)) == "accepted" else refused
            step = accepted(variant.kind) if verdict is accepted else refused(variant.kind, variant.name, text)
            step.act(run)
        steps += [give(variant), Step(f"disputed {variant.kind}", act)]
    return steps


def subscribed(kind, names):
    """Waits until the last request of a type has these names."""
    wanted = tuple(sorted(names.split()))

    def last(run):
        return next((request for request in reversed(run.control.requests) if request.type == kind), None)

    def act(run):
        run.board.wait(lambda: last(run) and last(run).names == wanted,
                       lambda: f"{kind}: {last(run)}, expected names {names!r}")
    return Step(f"subscribed {kind} {names}", act)


def streams(number):
    """Waits until the control plane has seen so many streams."""
    def act(run):
        run.board.wait(lambda: len(run.control.streams) >= number,
                       lambda: f"{len(run.control.streams)} streams, expected {number}")
        expect(len(run.control.streams) == number,
               f"{len(run.control.streams)} streams, expected {number}")
    return Step(f"streams {number}", act)


def pauses(*shortest):
    """The times between the beginnings of streams are at least these, in seconds."""
    def act(run):
        begun = [stream.begun for stream in run.control.streams]
        found = [after - before for before, after in zip(begun, begun[1:])]
        expect(len(found) == len(shortest) and all(each >= least for each, least in zip(found, shortest)),
               f"pauses {found}, expected at least {shortest}")
    return Step(f"pauses {shortest}", act)


def closed():
    """Waits until the client has closed all streams."""
    return Step("closed", lambda run: run.board.wait(
        lambda: all(not stream.open for stream in run.control.streams), "a stream is still open"))


def end(code=None, message=""):
    """Ends the stream, with OK or a code."""
    return Step(f"end {code}", lambda run: run.control.close(
        code_of(code) if code else None, message))


def stop(name="x"):
    return Step(f"stop {name}", lambda run: run.server(name).stop())


def start(name="x"):
    return Step(f"start {name}", lambda run: run.server(name).start())


def unanswered(*kinds):
    """No request of these types is left that the script has not expected."""
    def act(run):
        for kind in kinds:
            left = run.untaken(kind)
            expect(not left, f"not expected: {'; '.join(map(str, left))}")
    return Step("unanswered", act)


def node(check, what):
    """A property of the node in the first request."""
    def act(run):
        found = run.board.wait(lambda: run.control.requests and run.control.requests[0], "no request").node
        expect(check(found), f"node: {what}: {found}")
    return Step(f"node {what}", act)


# Servers


def replace(name, certificate):
    """Replaces a file in the folder of the row."""
    return Step(f"replace {name}", lambda run: run.replace(name, certificate))


def server(name, code=0):
    """From here on all calls at a server end with a code."""
    def act(run):
        run.server(name).code = code
    return Step(f"server {name} {code}", act)


def orca(name, **fields):
    """From here on a server's answers carry a load report."""
    def act(run):
        run.server(name).load = orca_load_report_pb2.OrcaLoadReport(**fields)
    return Step(f"orca {name} {fields}", act)


def connections(**numbers):
    """How many connections with calls each server has seen."""
    def act(run):
        for name, number in numbers.items():
            found = len(run.server(name).peers)
            expect(found == number, f"{name}: {found} connections, expected {number}")
    return Step(f"connections {numbers}", act)


def arrivals(**numbers):
    def act(run):
        for name, number in numbers.items():
            found = run.server(name).arrivals
            low, high = number if isinstance(number, tuple) else (number, number)
            expect(low <= found <= high, f"{name}: {found} arrivals, expected {number}")
    return Step(f"arrivals {numbers}", act)


def running(**numbers):
    """Waits until so many calls run at each server."""
    def act(run):
        for name, number in numbers.items():
            run.board.wait(lambda: run.server(name).running == number,
                           lambda: f"{name}: {run.server(name).running} calls run, expected {number}")
    return Step(f"running {numbers}", act)


# Calls


def key(outcome):
    if outcome["code"]:
        return str(outcome["code"])
    return json.loads(outcome["reply"])["server"] if outcome["reply"] else "no message"


def judge(outcomes, wanted):
    """None, or what is wrong with the outcomes of some calls."""
    found = {}
    for outcome in outcomes:
        found[key(outcome)] = found.get(key(outcome), 0) + 1
    text = ", ".join(f"{number} × {name}" for name, number in sorted(found.items()))
    messages = {outcome["message"] for outcome in outcomes if outcome["code"]}
    text += "".join(f" {message!r}" for message in sorted(messages)[:3])
    if isinstance(wanted, dict):
        for name in {*wanted, *found}:
            low, high = wanted.get(name, (0, 0))
            if not low <= found.get(name, 0) <= high:
                return text
        return None
    if isinstance(wanted, set):
        return None if set(found) == wanted else text
    code, *texts = wanted if isinstance(wanted, tuple) else (wanted,)
    if set(found) != {str(code)}:
        return text
    for part in texts:
        if any(part not in message for message in messages):
            return text
    return None


def command(run, path, headers, timeout, wait, body, channel, **more):
    run.open(channel)
    run.calls += 1
    pairs = [[name, each] for name, values in (headers or {}).items()
             for each in (values if isinstance(values, list) else [values])]
    return {"channel": channel, "path": path, "metadata": pairs, "timeout": timeout, "wait": wait,
            "body": json.dumps({"call": f"{run.calls}", **(body or {})}), **more}


def call(wanted, path="/s/M", headers=None, n=1, timeout=10, wait=None, body=None, least=None,
         together=False, channel="svc", reply=None):
    """Calls, and what becomes of them: a server, a code, a code with texts, a set of those, or ranges.

    `least`: no call may end before so many seconds. `reply`: a check of each reply or outcome.
    """
    def act(run):
        outcomes = run.ask("call", **command(run, path, headers, timeout, wait, body, channel,
                                             count=n, together=together))["outcomes"]
        run.note(outcomes)
        expected = resolved(run, wanted)
        wrong = judge(outcomes, expected)
        expect(wrong is None, lambda: f"{path} {headers or ''}: {wrong}, expected {expected}")
        if least is not None:
            first = min(outcome["seconds"] for outcome in outcomes)
            shortest = resolved(run, least)
            expect(first >= shortest, f"{path}: ended after {first:.3f} s, expected at least {shortest}")
        for outcome in outcomes if reply else ():
            found = json.loads(outcome["reply"]) if outcome["reply"] else outcome
            expect(resolved(run, reply)(found), f"reply: {found}")
    return Step(f"call {path} {headers or ''} × {n}", act)


def until(wanted, path="/s/M", headers=None, n=1, timeout=5, wait=None, channel="svc", body=None, reply=None):
    """Calls until the outcome is the wanted one."""
    def act(run):
        expected = resolved(run, wanted)
        wrong = "no call"
        while True:
            if run.late():
                raise AssertionError(f"{path} {headers or ''}: {wrong}, expected {expected} in the end")
            outcomes = run.ask("call", **command(
                run, path, headers, timeout, wait, body, channel, count=n))["outcomes"]
            wrong = judge(outcomes, expected)
            if wrong is None and reply:
                wrong = None if all(reply(json.loads(each["reply"])) for each in outcomes) else outcomes[0]["reply"]
            if wrong is None:
                run.note(outcomes)
                return
    return Step(f"until {path} {headers or ''} is {wanted}", act)


def hold(name, wanted, path="/s/M", headers=None, channel="svc", timeout=20, wait=None):
    """Opens a call that lasts until `finish`, and waits for its first message."""
    def act(run):
        answer = run.ask("hold", **command(run, path, headers, timeout, wait, None, channel, id=name))
        run.note(answer["outcomes"])
        expected = resolved(run, wanted)
        wrong = judge(answer["outcomes"], expected)
        expect(wrong is None, lambda: f"hold {name}: {wrong}, expected {expected}")
    return Step(f"hold {name}", act)


def begin(name, path="/s/M", headers=None, channel="svc", timeout=10, wait=None, body=None):
    """Begins a call that runs while the script goes on."""
    return Step(f"begin {name}", lambda run: run.ask(
        "begin", **command(run, path, headers, timeout, wait, body, channel, id=name)))


def finish(name, wanted, least=None):
    def act(run):
        answer = run.ask("finish", id=name)
        run.note(answer["outcomes"])
        expected = resolved(run, wanted)
        wrong = judge(answer["outcomes"], expected)
        expect(wrong is None, lambda: f"{name}: {wrong}, expected {expected}")
        if least is not None:
            seconds = answer["outcomes"][0]["seconds"]
            expect(seconds >= least, f"{name}: ended after {seconds:.3f} s, expected at least {least}")
    return Step(f"finish {name}", act)


def cancel(name):
    return Step(f"cancel {name}", lambda run: run.ask("cancel", id=name))


def channel(name, target=None, credentials="insecure", **arguments):
    """A channel under a name, for calls that say so; calls that do not use `svc`."""
    def act(run):
        run.open(name, target or f"xds:///{name}", credentials,
                 {key.replace("__", "."): value for key, value in arguments.items()})
    return Step(f"channel {name}", act)


def close(name="svc"):
    return Step(f"close {name}", lambda run: run.shut(name))


def status(check, what):
    """What CSDS says about each resource: (type, name, state, version)."""
    def act(run):
        short = {"envoy.config.listener.v3.Listener": "LDS",
                 "envoy.config.route.v3.RouteConfiguration": "RDS",
                 "envoy.config.cluster.v3.Cluster": "CDS",
                 "envoy.config.endpoint.v3.ClusterLoadAssignment": "EDS"}
        found = {(short[kind.split("/")[-1]], name): (state, version, error)
                 for _, kind, name, state, version, error in run.ask("status")["resources"]}
        expect(check(found), f"status: {what}: {found}")
    return Step(f"status {what}", act)


def reports(check, what):
    """Waits until the load reports of all streams together pass a check."""
    def act(run):
        run.board.wait(lambda: check(run.control.reports),
                       lambda: f"reports: {what}: {run.control.reports}")
    return Step(f"reports {what}", act)


def load(seconds=1, clusters=(), everything=False):
    """How the control plane wants load reports."""
    def act(run):
        settings = lrs_pb2.LoadStatsResponse(
            clusters=clusters, send_all_clusters=everything)
        settings.load_reporting_interval.FromSeconds(seconds)
        run.control.load_settings = settings
    return Step("load", act)


# A deletion is obeyed: this library keeps what is deleted otherwise (A88), grpcio does not.
DROPS = {"xds_servers": [{"server_uri": "@x", "channel_creds": [{"type": "insecure"}],
                          "server_features": ["fail_on_data_errors"]}]}


# Rows about rules


def bad(name, *variants, text="", **options):
    """Variants of a resource that are refused, while calls go on with what was known."""
    row(name, give(web()), call("A"), refuses(*variants, text=text), call("A"), **options)


def good(name, *variants, **options):
    """Variants of a resource that are accepted, and change nothing for a plain call."""
    row(name, give(web()), call("A"), accepts(*variants), call("A"), **options)


def split(name, why, *variants, text="", **options):
    """Variants that grpcio accepts, and this library refuses."""
    row(name, give(web()), call("A"), disputed(why, *variants, text=text), **options)
