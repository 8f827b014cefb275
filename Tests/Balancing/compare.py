"""Runs the same service configs against the same misbehaving servers with grpcio's client and with this
library's, and prints what each of them did as a table.

usage: compare.py PROGRAM

A row whose two sides differ must say why; one that says why must differ. Otherwise the script fails.
Delays count as right when none is shorter than the policy allows: a busy machine makes them longer.
"""
import json
import os
import sys
import time

import servers
from driver import OK, Client, config, fail, retry, script

ARRIVALS = servers.Arrivals()
NAMES = ["grpcio", "Swiftlet"]

rows = []
failures = []


def row(what, values, why=None, varies=None):
    """Adds a line to the table. `values` are those of grpcio and of this library. Where grpcio's
    `varies` from run to run, that is what the library's must be."""
    theirs, ours = (str(values[name]) for name in NAMES)
    if varies is not None:
        if ours != varies:
            failures.append(f"{what}: Swiftlet {ours}, expected {varies}")
    elif theirs != ours and why is None:
        failures.append(f"{what}: grpcio {theirs}, Swiftlet {ours}, and nothing says why")
    elif theirs == ours and why is not None:
        failures.append(f"{what}: both {ours}, though a reason is given for a difference")
    rows.append((what, theirs, ours, why or ""))
    print(f"{what}: {theirs} | {ours}", flush=True)


def one_call(client, target, arguments, replies, **step):
    """The outcome of one call, and its name."""
    request, name = script(replies)
    steps = [{"do": "calls", "requests": [request], **step}]
    return client.run(target, steps, arguments)[0][0], name


def each(what, measure, why=None, varies=None):
    row(what, {client.name: measure(client) for client in clients}, why, varies)


def attempts(target, arguments, replies, **step):
    """Measures how many attempts of one call arrive, and how it ends."""
    def measure(client):
        outcome, name = one_call(client, target, arguments, replies, **step)
        return f"{len(ARRIVALS.of(name))}, code {outcome['code']}"
    return measure


def within(delays, expected, jitter=0.2):
    """Whether no delay is below its range. What comes on top is the machine's."""
    # The first of two attempts may take longer to arrive.
    slack = 0.02
    if len(delays) != len(expected):
        return f"{len(delays)} delays"
    early = [f"{delay:.3f} s" for delay, least in zip(delays, expected)
             if delay < least * (1 - jitter) - slack]
    return "too early: " + ", ".join(early) if early else "as configured"


measured = []


def delays(what, target, arguments, replies, expected, jitter=0.2, why=None):
    def measure(client):
        found = []
        for _ in range(5):
            _, name = one_call(client, target, arguments, replies)
            found.append(ARRIVALS.delays(name))
        ranges = ", ".join(f"{min(column):.3f}–{max(column):.3f}" for column in zip(*found))
        measured.append((what, client.name, ranges))
        verdicts = {within(each, expected, jitter) for each in found}
        return ", ".join(sorted(verdicts))
    each(what, measure, why)


# Retries


def retries(target):
    for number in (2, 5, 9):
        each(f"maxAttempts {number}, always UNAVAILABLE",
             attempts(target, config(retry(number)), [fail()]))
    each("fails twice, then OK", attempts(target, config(retry(4)), [fail(), fail(), OK]))
    each("a code that is not listed", attempts(target, config(retry()), [fail(13)]))
    for codes, why in ((["ABORTED", "DATA_LOSS"], None), (["aborted"], CODES), ([10], CODES)):
        each(f"codes that are retried with {json.dumps(codes)}", retried(target, codes), why)
    each("response headers, then UNAVAILABLE",
         attempts(target, config(retry()), [fail(headers=True)]))
    each("a message, then UNAVAILABLE", attempts(target, config(retry()), [fail(message=True)]))
    each("`grpc-previous-rpc-attempts` of 4 attempts", previous(target))
    each("deadline of 0.5 s over attempts of 0.2 s", lambda client: one_call(
        client, target, config(retry(5, "0.01s")), [fail(after=0.2)], timeout=0.5)[0]["code"])
    each("`timeout` of 4s in the config, the server answers after 9 s",
         attempts(target, config(retry(), timeout="4s"), [dict(OK, after=9)]))
    each("retries turned off (`grpc.enable_retries`)",
         attempts(target, {**config(retry()), "grpc.enable_retries": 0}, [fail()]))


CODES = "C-core refuses the config; A6 allows integers, and names in any case"


def retried(target, codes):
    def measure(client):
        found = []
        for code in range(1, 17):
            arguments = config(retry(2, "0.01s", codes=codes))
            _, name = one_call(client, target, arguments, [fail(code)])
            if len(ARRIVALS.of(name)) == 0:
                return "every call fails"
            if len(ARRIVALS.of(name)) == 2:
                found.append(str(code))
        return ", ".join(found)
    return measure


def previous(target):
    def measure(client):
        _, name = one_call(client, target, config(retry(4, "0.01s")), [fail()])
        return ", ".join(value or "none" for value in ARRIVALS.previous(name))
    return measure


def replays(target):
    def replayed(client, **step):
        outcome, name = one_call(
            client, target, config(retry()), [fail(drains=True), dict(OK, drains=True)], **step)
        received = outcome["reply"].split(" ")[-1] or "no"
        return f"{len(ARRIVALS.of(name))}, code {outcome['code']}, {received} messages"
    each("a stream of 5 messages of 10 KB, fails once",
         lambda client: replayed(client, more=4, bytes=10_000))
    each("a stream of 5 messages of 100 KB (buffer of 256 KB), fails once",
         lambda client: replayed(client, more=4, bytes=100_000))
    each("the same with `grpc.per_rpc_retry_buffer_size` of 1 MB", attempts(
        target, {**config(retry()), "grpc.per_rpc_retry_buffer_size": 1 << 20},
        [fail(drains=True), dict(OK, drains=True)], more=4, bytes=100_000))


def backoff(target):
    delays("delays, 0.1 s × 2, at most 0.3 s", target, config(retry(5, "0.1s", "0.3s")), [fail()],
           [0.1, 0.2, 0.3, 0.3])
    delays("delays, 0.2 s × 0.5", target, config(retry(4, "0.2s", "1s", 0.5)), [fail()],
           [0.2, 0.1, 0.05])
    # From here on the exact delay of the server, or an initial one after it.
    delays("push-back of 300 ms after the first two failures, backoff of 0.1 s × 3", target,
           config(retry(5, "0.1s", "5s", 3)),
           [fail(), fail(pushback=["300"]), fail(pushback=["300"]), fail()],
           [0.08, 0.3, 0.3, 0.08], jitter=0)
    each("push-back '0'", attempts(
        target, config(retry()), [fail(pushback=["0"]), OK], timeout=2),
        "in some runs grpcio sends no further attempt, and the call waits for its deadline: "
        "delays of about 0 make C-core's calls hang (grpc/grpc issue 41036)",
        varies="2, code 0")
    for value in ("-1", "abc", "", "2147483648"):
        each(f"push-back '{value}'",
             attempts(target, config(retry()), [fail(pushback=[value]), OK], timeout=2),
             PUSHBACKS.get(value))
    each("push-back of 1 ms with a code that is not listed",
         attempts(target, config(retry()), [fail(13, pushback=["1"]), OK]))


PUSHBACKS = {
    "2147483648": "not a 32-bit number; C-core waits for 24 days",
}


own_servers = []


def own_server():
    """A server for one measurement: tokens belong to a server's name, and so to its port."""
    own_servers.append(servers.Server("T", ARRIVALS))
    return own_servers[-1]


def throttling():
    def counts(arguments, replies, number):
        def measure(client):
            server = own_server()
            calls = [script(replies) for _ in range(number)]
            client.run(f"ipv4:127.0.0.1:{server.port}", [{"do": "calls", "requests": [request for request, _ in calls]}],
                       arguments)
            return " ".join(str(len(ARRIVALS.of(name))) for _, name in calls)
        return measure
    tokens = {"maxTokens": 10, "tokenRatio": 0.1}
    each("throttling of 10 tokens: attempts of 8 failing calls", counts(
        config(retry(3, "0.01s"), throttling=tokens), [fail()], 8))
    each("the same with codes that are not listed", counts(
        config(retry(3, "0.01s"), throttling=tokens), [fail(13)], 8))
    each("six calls with push-back −1 and a code that is not listed, then one with UNAVAILABLE",
         mixed(config(retry(3, "0.01s"), throttling=tokens)),
         "A6 counts a push-back that forbids a retry as a failure, whatever the code")
    for ratio, why in ((1.0, None), (1, "C-core reads an integer as thousandths")):
        each(f"throttling of 4 tokens, ratio {ratio}: calls that fail once", counts(config(
            retry(3, "0.01s"), throttling={"maxTokens": 4, "tokenRatio": ratio}), [fail(), OK], 6),
            why)


def mixed(arguments):
    """Six failures that are pushed back, and one call that would be retried."""
    def measure(client):
        server = own_server()
        calls = [script([fail(13, pushback=["-1"])]) for _ in range(6)] + [script([fail()])]
        client.run(f"ipv4:127.0.0.1:{server.port}",
                   [{"do": "calls", "requests": [request for request, _ in calls]}], arguments)
        return " ".join(str(len(ARRIVALS.of(name))) for _, name in calls)
    return measure


# Hedging


NO_HEDGING = "C-core has no hedging: it ignores the policy"


def hedging(target):
    def policy(attempts, delay, codes=("UNAVAILABLE",)):
        return config({"maxAttempts": attempts, "hedgingDelay": delay,
                       "nonFatalStatusCodes": list(codes)}, "hedgingPolicy")
    slow = dict(OK, after=1)
    each("hedging, 3 attempts 0.1 s apart, answers after 1 s",
         attempts(target, policy(3, "0.1s"), [slow]), NO_HEDGING)
    delays("hedging: delays of 0.1 s", target, policy(3, "0.1s"), [slow], [0.1, 0.1], jitter=0,
           why=NO_HEDGING)
    each("hedging without delay, 4 attempts", attempts(target, policy(4, "0s"), [slow]), NO_HEDGING)
    each("hedging, the first attempt fails with a code that is listed",
         attempts(target, policy(2, "10s"), [fail(), OK]), NO_HEDGING)
    each("hedging, the first attempt fails with another code",
         attempts(target, policy(3, "10s"), [fail(13), OK]))
    each("hedging, push-back −1",
         attempts(target, policy(3, "10s"), [fail(pushback=["-1"]), OK]))


# What a server did not process


def transparent():
    for how, what in (("refuse", "REFUSED_STREAM"), ("goaway", "GOAWAY below the stream")):
        for refused, policy in ((1, None), (2, None), (2, retry(2, "0.01s"))):
            text = f"{what}, {refused} time{'s' if refused > 1 else ''}, " + (
                "a policy of 2 attempts" if policy else "no policy")

            def measure(client):
                server = servers.RefusingServer(how, refused, ARRIVALS)
                outcome, name = one_call(
                    client, f"ipv4:127.0.0.1:{server.port}", config(policy), [OK])
                seen = ", ".join(value or "none" for value in ARRIVALS.previous(name))
                return f"{len(ARRIVALS.of(name))}, code {outcome['code']}, header: {seen}"
            each(text, measure, REFUSED if how == "refuse" else None)


REFUSED = "grpcio counts this reset as a failure; by RFC 9113 §8.7 the stream was not processed"


# Several servers


def addresses(ports):
    return "ipv4:" + ",".join(f"127.0.0.1:{port}" for port in ports)


def round_robin(group):
    target = addresses(server.port for server in group)

    def measure(client):
        request, name = script([OK])
        warm, _ = script([OK])
        client.run(target, [
            {"do": "until", "request": warm, "servers": 3},
            {"do": "calls", "requests": [request] * 300},
        ], config(balancing="round_robin"))
        reached = ARRIVALS.servers(name)
        turns = len({tuple(reached[index::3]) for index in range(3)})
        return (" + ".join(str(reached.count(each)) for each in "ABC")
                + (", in turn" if turns == 3 and len(set(reached[:3])) == 3 and all(
                    reached[index] == reached[index % 3] for index in range(300)) else ""))
    each("round_robin: 300 calls over 3 servers", measure)


def dead(group):
    """A server is killed while calls run, and started again."""
    target = addresses(server.port for server in group)
    arguments = {**config(balancing="round_robin"), "grpc.initial_reconnect_backoff_ms": 300,
                 "grpc.max_reconnect_backoff_ms": 300}
    figures = {}

    def measure(client, arguments=arguments):
        request, name = script([OK])
        moments = {}

        def during(begun):
            time.sleep(1)
            moments["killed"] = time.monotonic()
            group[0].stop()
            time.sleep(0.7)
            group[0].start()
            moments["back"] = time.monotonic()

        warm, _ = script([OK])
        outcomes = client.run(target, [
            {"do": "until", "request": warm, "servers": 3},
            {"do": "load", "request": request, "seconds": 4, "interval": 0.005},
        ], arguments, during)[1]
        failed = [outcome for outcome in outcomes if outcome["code"] != 0]
        on_first = [moment for moment, server, _ in ARRIVALS.of(name) if server == "A"]
        left = [moment for moment in on_first if moment < moments["back"]]
        returned = [moment for moment in on_first if moment >= moments["back"]]
        figures[client.name] = (
            f"{max(left) - moments['killed']:+.3f} s after the kill; first call "
            f"{min(returned) - moments['back']:.3f} s after the restart" if returned else "never")
        late = [outcome for outcome in failed if outcome["begun"] > 2]
        return (f"{len(late)} failures later than the kill, "
                + ("back in turn" if returned else "not back"))
    each("round_robin: a server is killed and restarted under calls each 5 ms", measure)
    for name in NAMES:
        measured.append(("last call to the killed server", name, figures[name]))

    each("the same with retries: calls that fail", lambda client: lost(
        client, measure, {**arguments, **config(retry(5, "0.01s"), balancing="round_robin")}))


def lost(client, measure, arguments):
    return measure(client, arguments)


def frozen(group, row, extra, reason, shown):
    """The way to one server stops, and nothing is closed: only keep-alive can tell. `extra` are arguments
    of grpcio."""
    common = {**config(balancing="round_robin"), "grpc.keepalive_time_ms": 10000,
              "grpc.keepalive_timeout_ms": 500, "grpc.http2.max_pings_without_data": 0,
              "grpc.http2.bdp_probe": 0}
    figures = {}

    def measure(client):
        link = servers.Link(group[0].port)
        target = addresses([link.port] + [server.port for server in group[1:]])
        request, name = script([OK])
        moments = {}
        arguments = {**common, **extra} if client.name == NAMES[0] else common

        def during(begun):
            time.sleep(0.5)
            moments["frozen"] = time.monotonic() - begun
            link.freeze()

        warm, _ = script([OK])
        outcomes = client.run(target, [
            {"do": "until", "request": warm, "servers": 3},
            {"do": "load", "request": request, "seconds": 13, "interval": 0.02, "timeout": 20},
        ], arguments, during)[1]
        failed = [outcome for outcome in outcomes if outcome["code"] != 0]
        link.thaw()
        last = max(outcome["begun"] for outcome in failed)
        slowest = max(outcome["seconds"] for outcome in failed)
        figures[client.name] = (
            f"{len(failed)} calls failed, the last of them began {last - moments['frozen']:.2f} s "
            f"after the freeze; the longest took {slowest:.2f} s")
        codes = sorted({outcome["code"] for outcome in failed})
        late = [outcome for outcome in failed if outcome["begun"] - moments["frozen"] > 11.5]
        return f"codes {codes}, {len(late)} failures of calls later than 11.5 s"
    each(row, measure, reason,
         varies="codes [14], 0 failures of calls later than 11.5 s" if reason else None)
    for name in NAMES:
        measured.append((shown, name, figures[name]))


def unreachable():
    port = servers.unused_port()
    target = f"ipv4:127.0.0.1:{port}"
    each("no server, no wait-for-ready", lambda client: one_call(
        client, target, {}, [OK])[0]["code"])
    each("no server, a policy of 3 attempts on UNAVAILABLE", lambda client: one_call(
        client, target, config(retry()), [OK])[0]["code"])
    each("no server, `waitForReady` in the config, 0.5 s", lambda client: one_call(
        client, target, config(waitForReady=True), [OK], timeout=0.5)[0]["code"])


def write_table(file):
    file.write("| What | grpcio | Swiftlet | Why they differ |\n| --- | --- | --- | --- |\n")
    for each_row in rows:
        file.write("| " + " | ".join(each_row) + " |\n")
    file.write("\n| Measured, in seconds | Client | |\n| --- | --- | --- |\n")
    for each_row in measured:
        file.write("| " + " | ".join(each_row) + " |\n")


clients = [
    Client(NAMES[0], [sys.executable, os.path.join(os.path.dirname(__file__), "client.py")]),
    Client(NAMES[1], [sys.argv[1]]),
]
group = [servers.Server(name, ARRIVALS) for name in "ABC"]
first = f"ipv4:127.0.0.1:{group[0].port}"
retries(first)
replays(first)
backoff(first)
throttling()
hedging(first)
transparent()
round_robin(group)
dead(group)
frozen(group, "round_robin, keep-alive of 10 s + 0.5 s: a server freezes", {},
       "C-core waits for the answer to a keep-alive PING as long as `grpc.http2.ping_timeout_ms` says, "
       "60 s by default, whatever `grpc.keepalive_timeout_ms` says; its calls met their deadline of 20 s",
       "a frozen server")
frozen(group, "the same with `grpc.http2.ping_timeout_ms` of 500, which Swiftlet does not have",
       {"grpc.http2.ping_timeout_ms": 500}, None, "the same with that option")
unreachable()
for client in clients:
    if client.end() != 0:
        failures.append(f"{client.name}: the client failed")
write_table(sys.stdout)
for failure in failures:
    print(f"FAILED {failure}", file=sys.stderr)
# Threads of servers that still wait do not hold the process.
sys.stdout.flush()
os._exit(1 if failures else 0)
