"""Steps at servers and clients: calls and what becomes of them, and what clients report."""
import json

from envoy.service.load_stats.v3 import lrs_pb2
from xds.data.orca.v3 import orca_load_report_pb2

from scripts import Step, expect, resolved

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
