"""Sends the same requests through Envoy, through grpcio's client and through this library's, which have the same
resources, and compares where they arrive.

usage: compare_envoy.py --envoy ENVOY --program PROGRAM [--requests N] [--seed N]

A request whose route, server or fault follows from its path and headers must have the same end in all three.
Where chance decides, the shares must be those of the resources. Fails where they are not.
"""
import argparse
import collections
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import backends
from play import Run
from resources import *
from scripts import Row

FAULT = "envoy.extensions.filters.http.fault.v3.HTTPFault"
UPSTREAM = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"
FOUND = {"header_abort": {}, "percentage": {"numerator": 100}}
# Standard deviations that a share may be away from its probability.
SIGMAS = 5


def matched(pattern):
    return {"google_re2": {}, "regex": pattern}


def hashed(name, **fields):
    return {"header": {"header_name": name, **fields.pop("header", {})}, **fields}


def hashes(*policies, to="ring"):
    return {"to": to, "action": {"hash_policy": list(policies)}}


# Requests that end elsewhere in Envoy, and why.
DIFFERENT = [
    ("Envoy compares each value of a repeated header by itself, gRPC (A28) all of them joined by commas",
     "/h/a", [["x-list", "a"], ["x-list", "b"]], "LISTED", "LAST"),
    ("Envoy compares the values of binary headers in base64, for gRPC (A28) these headers are not there",
     "/h/a", [["x-raw-bin", "00"]], "LAST", "BINARY"),
]

# The routes in the order in which they are tried. Their clusters have one server each but `ring`, `even` and `out`.
ROUTES = [
    route(to="exact", prefix=None, path="/shop.Cart/Add"),
    route(to="folded", prefix="/SHOP.stock/", case_sensitive=False),
    route(to="regex", prefix=None, safe_regex=matched(r"/shop\.[A-Z]\w+/Get.*")),
    route("/h/", to="dev", headers=[header("x-env", string_match={"exact": "dev"})]),
    route("/h/", to="ignoring", headers=[header("x-env", string_match={"exact": "QA", "ignore_case": True})]),
    route("/h/", to="range", headers=[header("x-number", range_match={"start": -10, "end": 20})]),
    route("/h/", to="start", headers=[header("x-env", string_match={"prefix": "stag"})]),
    route("/h/", to="end", headers=[header("x-env", string_match={"suffix": "-eu"})]),
    route("/h/", to="middle", headers=[header("x-env", string_match={"contains": "-or-"})]),
    route("/h/", to="listed", headers=[header("x-list", string_match={"exact": "a,b"})]),
    route("/h/", to="binary", headers=[header("x-raw-bin", present_match=True)]),
    route("/h/", to="pattern", headers=[header("x-env", string_match={"safe_regex": matched("pr.d[0-9]{1,3}")})]),
    route("/h/", to="both", headers=[header("x-a", present_match=True), header("x-b", present_match=True)]),
    route("/h/", to="absent", headers=[header("x-c", present_match=False), header("x-d", present_match=True)]),
    route("/h/", to="inverted", headers=[
        header("x-e", string_match={"exact": "1"}, invert_match=True), header("x-e", present_match=True)]),
    route("/h/", to="grpc", headers=[
        header("content-type", string_match={"exact": "application/grpc"}), header("x-type", present_match=True)]),
    route("/hash/one", **hashes(hashed("x-user"))),
    route("/hash/two", **hashes(hashed("x-user"), hashed("x-tenant"))),
    route("/hash/end", **hashes(hashed("x-user", terminal=True), hashed("x-tenant"))),
    route("/hash/rewrite", **hashes(hashed("x-user", header={"regex_rewrite": {
        "pattern": matched("-.*$"), "substitution": ""}}))),
    route("/chance/fraction", to="quarter",
          runtime_fraction={"default_value": {"numerator": 2500, "denominator": "TEN_THOUSAND"}}),
    route("/chance/fraction", to="rest"),
    route("/chance/weights", to={"ten": 10, "thirty": 30, "sixty": 60}),
    route("/chance/even", to="even"),
    route("/chance/fault", to="rest", typed_per_filter_config={"fault": typed(FAULT, abort={
        "grpc_status": 8, "percentage": {"numerator": 300000, "denominator": "MILLION"}})}),
    route("/out/", to="out"),
    route("/", to="last"),
]
HOSTS = [
    host(*ROUTES, domains=("shop.test",)),
    host(route("/", to="suffix"), domains=("*.shop.test",)),
    host(route("/", to="long"), domains=("*.eu.shop.test",)),
    host(route("/", to="prefix"), domains=("shop.*",)),
    host(route("/", to="any"), domains=("*",)),
]
NAMES = ("shop.test", "a.shop.test", "a.eu.shop.test", "shop.other", "other")
MANY = {"ring": 8, "even": 4, "out": 5}
FIELDS = {
    "ring": {"lb_policy": "RING_HASH", "ring_hash_lb_config": {
        "hash_function": "XX_HASH", "minimum_ring_size": 1024, "maximum_ring_size": 4096}},
    "out": {"outlier_detection": {
        "interval": "1s", "base_ejection_time": "60s", "max_ejection_percent": 50,
        "enforcing_consecutive_5xx": 0, "enforcing_consecutive_gateway_failure": 0, "enforcing_success_rate": 0,
        "failure_percentage_threshold": 50, "enforcing_failure_percentage": 100,
        "failure_percentage_minimum_hosts": 3, "failure_percentage_request_volume": 5}},
}
SHARES = {
    "/chance/fraction": {"QUARTER": 0.25, "REST": 0.75},
    "/chance/weights": {"TEN": 0.1, "THIRTY": 0.3, "SIXTY": 0.6},
    "/chance/even": {f"EVEN{index}": 0.25 for index in range(4)},
    "/chance/fault": {"8": 0.3, "REST": 0.7},
}


def servers(name):
    return [f"{name.upper()}{index}" for index in range(MANY[name])] if name in MANY else [name.upper()]


def everything():
    """The listeners, routes, clusters and endpoints."""
    filters = [extension("fault", FAULT, abort=FOUND), ROUTER]
    names = targets(HOSTS)
    return ([listener(name, filters=filters) for name in NAMES]
            + [routes(*HOSTS)]
            + [cluster(name, **FIELDS.get(name, {})) for name in names]
            + [endpoints(name, group(*servers(name))) for name in names])


class Envoy:
    """A process of Envoy with the same routes, clusters and filters, which a bootstrap states."""

    def __init__(self, binary, folder, resources, ports):
        self.port = backends.unused_port()
        found = {(each.kind, each.name): each.body for each in resources}
        chain = typed(
            HCM, stat_prefix="in", codec_type="HTTP2", route_config=found["RDS", "routes"],
            http_filters=[extension("fault", FAULT, abort=FOUND), ROUTER])
        clusters = []
        for (kind, name), body in found.items():
            if kind == "CDS":
                options = typed(UPSTREAM, explicit_http_config={"http2_protocol_options": {}})
                clusters.append({
                    **{key: value for key, value in body.items() if key != "eds_cluster_config"},
                    "type": "STATIC", "load_assignment": found["EDS", name],
                    "typed_extension_protocol_options": {UPSTREAM: options}})
        address = {"socket_address": {"address": "127.0.0.1", "port_value": self.port}}
        bootstrap = substitute({"static_resources": {
            "listeners": [{"name": "in", "address": address, "filter_chains": [
                {"filters": [{"name": "http", "typed_config": chain}]}]}],
            "clusters": clusters}}, ports)
        path = os.path.join(folder, "envoy.json")
        with open(path, "w") as file:
            json.dump(bootstrap, file)
        self.log = open(os.path.join(folder, "envoy.log"), "w+")
        self.process = subprocess.Popen(
            [binary, "-c", path, "--concurrency", "1", "--use-dynamic-base-id", "-l", "warning"],
            stdout=self.log, stderr=self.log)

    def wait(self, ready):
        for _ in range(300):
            if self.process.poll() is not None:
                self.log.seek(0)
                sys.exit("Envoy has ended: " + self.log.read()[-4000:])
            if ready():
                return
            time.sleep(0.1)
        sys.exit("Envoy does not answer")

    def stop(self):
        self.process.kill()
        self.process.wait()


class Way:
    """One of the three ways of a request."""

    def __init__(self, name, run, target):
        self.name = name
        self.run = run
        for each in NAMES:
            arguments = {} if target is None else {"grpc.default_authority": each}
            run.open(each, target and target(each), arguments=arguments)

    def send(self, name, path, headers):
        outcome = self.run.ask(
            "call", channel=name, path=path, metadata=headers, body="{}", timeout=20)["outcomes"][0]
        return str(outcome["code"]) if outcome["code"] else json.loads(outcome["reply"])["server"]


def requests(count, chance):
    """Random requests: name, path and headers."""
    def header_of(name, *values):
        return [[name, chance.choice(values)]] if chance.random() < 0.3 else []

    methods = ("/shop.Cart/Add", "/shop.Cart/add", "/Shop.Stock/List", "/SHOP.STOCK/L", "/shop.Stocks/List",
               "/shop.Order/GetAll", "/shop.order/GetAll", "/shop.Order/Set", "/x.Y/Z")
    for _ in range(count):
        name = NAMES[0] if chance.random() < 0.9 else chance.choice(NAMES[1:])
        kind = chance.random()
        headers = []
        if kind < 0.15:
            path = chance.choice(methods)
        elif kind < 0.5:
            path = "/h/" + chance.choice("ab")
            headers = (
                header_of("x-env", "dev", "devel", "qa", "Qa", "staging", "stag", "prod-eu", "-or-", "x-or-y", "prod1",
                          "prad1234", "prxd9")
                + header_of("x-number", "-10", "-11", "19", "20", "0x5", "+5", "5 ", "07", "9223372036854775807",
                            "9223372036854775808", "a")
                + header_of("x-list", "a,b", "a", "b") + header_of("x-a", "", "1") + header_of("x-b", "1")
                + header_of("x-c", "1") + header_of("x-d", "1") + header_of("x-e", "1", "2", "")
                + header_of("x-type", "1"))
        elif kind < 0.75:
            path = chance.choice(("/hash/one", "/hash/two", "/hash/end", "/hash/rewrite"))
            headers = [["x-user", f"user{chance.randrange(500)}-{chance.randrange(3)}"]]
            headers += header_of("x-tenant", "t1", "t2")
        elif kind < 0.95:
            path = chance.choice(tuple(SHARES))
        else:
            path = "/fault/F"
            headers = [["x-envoy-fault-abort-grpc-request", str(chance.randrange(1, 17))]]
        yield name, path, headers


def shares(ways, seen):
    """What is wrong with the shares where chance decides."""
    wrong = []
    for path, wanted in SHARES.items():
        for way in ways:
            found = seen[way.name, path]
            total = sum(found.values())
            line = ", ".join(f"{name} {found[name] / max(total, 1):.1%}" for name in wanted)
            print(f"  {path:17} {way.name:9} {total:5} calls: {line}")
            for name, share in wanted.items():
                if abs(found[name] - share * total) > SIGMAS * math.sqrt(total * share * (1 - share)):
                    wrong.append(f"{way.name} sends {found[name]} of {total} calls of {path} to {name}")
            if set(found) - set(wanted):
                wrong.append(f"{way.name}: {path} also went to {set(found) - set(wanted)}")
    return wrong


def outliers(ways):
    """All three stop to use a server that fails."""
    wrong = []
    for way in ways:
        way.run.server("OUT2").code = 14
        end = time.monotonic() + 15
        ejected = False
        while not ejected and time.monotonic() < end:
            ejected = all(way.send(NAMES[0], "/out/O", []) != "14" for _ in range(40))
        again = collections.Counter(way.send(NAMES[0], "/out/O", []) for _ in range(200))
        way.run.server("OUT2").code = 0
        print(f"  {way.name:9} after the ejection: {dict(sorted(again.items()))}")
        if not ejected or set(again) != {f"OUT{index}" for index in (0, 1, 3, 4)}:
            wrong.append(f"{way.name} has not ejected the server that fails: {dict(again)}")
    return wrong


def different(ways):
    """The differences that are known are still there."""
    wrong = []
    for reason, path, headers, ours, envoys in DIFFERENT:
        found = [way.send(NAMES[0], path, headers) for way in ways]
        print(f"  differs: {reason}")
        if found != [ours, ours, envoys]:
            wrong.append(f"{path} {headers}: {found}, but the known difference is {ours} and {envoys}")
    return wrong


def compare(ways, count, seed):
    chance = random.Random(seed)
    seen = collections.defaultdict(collections.Counter)
    differences = collections.Counter()
    ends = collections.Counter()
    example = {}
    for name, path, headers in requests(count, chance):
        found = [way.send(name, path, headers) for way in ways]
        if path in SHARES and name == NAMES[0]:
            for way, end in zip(ways, found):
                seen[way.name, path][end] += 1
            continue
        ends[found[0]] += 1
        if len(set(found)) > 1:
            key = " ".join(f"{way.name}={end}" for way, end in zip(ways, found))
            differences[key] += 1
            example.setdefault(key, (name, path, headers))
    same = sum(ends.values()) - sum(differences.values())
    print(f"{same} of {sum(ends.values())} requests had the same end on {len(ways)} ways; "
          f"{len(ends)} different ends")
    for key, number in differences.most_common(40):
        print(f"  {number:5} × {key}, such as {example[key]}")
    return [f"{number} × {key}" for key, number in differences.items()] + different(ways) + shares(
        ways, seen) + outliers(ways)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--envoy", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    resources = everything()
    python = [sys.executable, os.path.join(HERE, "client.py")]
    ways, runs, envoy = [], [], None
    with tempfile.TemporaryDirectory() as folder:
        try:
            first = None
            for name, command in (("grpcio", python), ("swiftlet", [options.program]), ("envoy", python)):
                run = Run(Row(name, [], {"limit": 3600}), name, command)
                runs.append(run)
                if first is None:
                    first = run
                    run.know(resources)
                # One set of servers, so that the rings have the same addresses.
                run.servers, run.ports = first.servers, first.ports
                run.control.ports = first.ports
                run.control.give(resources)
                target = None
                if name == "envoy":
                    envoy = Envoy(options.envoy, folder, resources, first.ports)
                    target = lambda _: f"127.0.0.1:{envoy.port}"
                ways.append(Way(name, run, target))
            envoy.wait(lambda: ways[2].send("other", "/ready/R", []) == "ANY")
            wrong = compare(ways, options.requests, options.seed)
            for each in wrong:
                print("  wrong: " + each)
        finally:
            if envoy:
                envoy.stop()
            for run in runs:
                run.end()
    sys.exit(1 if wrong else 0)


main()
