"""Measures clients of a control plane with many endpoints, targets and routes: grpcio's and this library's.

usage: measure_scale.py --program PROGRAM [--client NAME] [--endpoints N] [--seconds N] [--targets N] [--routes N]
       measure_scale.py --program PROGRAM --client NAME --server PORT [--path PATH] [--rounds N] [--on-queue]

All endpoints are one server, at addresses of 127.0.0.0/8. Fails where a call fails. The second form measures calls to a
server that is running already, through round_robin and through the whole tree, and with --on-queue on the thread of the
connections.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import threading
import time
from concurrent import futures

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import grpc

from control import ControlPlane
from play import Run
from resources import *
from scripts import Row

PATH = "/scale.Service/Call"
TICK = os.sysconf("SC_CLK_TCK")


class Service(grpc.GenericRpcHandler):
    def service(self, details):
        return grpc.unary_unary_rpc_method_handler(lambda request, context: b"{}")


def serve():
    """A server at every address of this machine, in a process of its own, which prints its port."""
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=8))
    server.add_generic_rpc_handlers((Service(),))
    print(server.add_insecure_port("0.0.0.0:0"), flush=True)
    server.start()
    sys.stdin.read()


class Server:
    def __init__(self):
        self._process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), "--serve"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.port = int(self._process.stdout.readline())

    def stop(self):
        self._process.kill()
        self._process.wait()


class Client:
    """A client's process with its control plane."""

    def __init__(self, name, command, port):
        self.name = name
        self.run = Run(Row(name, [], {"limit": 3600}), name, command)
        self.run.ports["S"] = port

    def processor(self):
        """Seconds that the process has used."""
        with open(f"/proc/{self.run.process}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def memory(self):
        """MB of the process that are in memory."""
        with open(f"/proc/{self.run.process}/status") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))

    def idle(self):
        """Waits until the process has nothing to do. Returns the processor seconds until then."""
        start = last = self.processor()
        quiet = 0
        while quiet < 5:
            time.sleep(0.2)
            now = self.processor()
            quiet = quiet + 1 if now == last else 0
            last = now
        return last - start

    def load(self, channel, seconds, count, path=PATH, **more):
        found = self.run.ask("load", channel=channel, path=path, seconds=seconds, count=count, timeout=30, **more)["load"]
        for text, number in found["failures"].items():
            print(f"  failed: {number} × {text}")
            FAILED.append(text)
        return found

    def end(self):
        self.run.end()


FAILED = []


def address(number):
    return f"127.{1 + number // (254 * 256)}.{number // 254 % 256}.{1 + number % 254}"


def all_endpoints(numbers):
    """Endpoints in ten localities."""
    zones = [[endpoint("S", address=address(number)) for number in numbers[index::10]] for index in range(10)]
    return endpoints("a", *[group(*zone, zone=f"z{index}") for index, zone in enumerate(zones)])


def replaced(numbers, fresh):
    """A hundredth of the endpoints goes, and as many others come."""
    count = max(len(numbers) // 100, 1)
    return numbers[count:] + list(range(fresh, fresh + count)), fresh + count


def many_endpoints(client, count, seconds):
    print(f"{client.name}: {count} endpoints, round robin")
    numbers, fresh = list(range(count)), count
    client.run.control.give([listener(), routes(route()), cluster(), all_endpoints(numbers)])
    client.run.open("svc")
    start = time.monotonic()
    client.load("svc", 0.1, 1)
    client.idle()
    print(f"  start: {client.processor():.2f} s of processor time, {time.monotonic() - start:.1f} s, "
          f"{client.memory():.0f} MB")

    used = []
    for _ in range(10):
        numbers, fresh = replaced(numbers, fresh)
        before = client.processor()
        client.run.control.give([all_endpoints(numbers)])
        client.idle()
        used.append((client.processor() - before) * 1000)
    print(f"  an update of {count // 100} endpoints: {min(used):.0f} to {max(used):.0f} ms of processor time")
    before = client.processor()
    for _ in range(10):
        client.run.control.give([all_endpoints(numbers)])
        client.idle()
    print(f"  the same resource again: {(client.processor() - before) * 100:.0f} ms of processor time")

    alone = client.load("svc", 5, 1)
    print(f"  one task, no updates: {alone['calls'] / 5:.0f} calls a second, slowest {alone['slowest'] * 1000:.1f} ms")
    for tasks in (1, 100):
        memory = {}
        over = threading.Event()

        def update():
            nonlocal numbers, fresh
            begun = time.monotonic()
            while not over.wait(1):
                numbers, fresh = replaced(numbers, fresh)
                client.run.control.give([all_endpoints(numbers)])
                memory[round(time.monotonic() - begun)] = client.memory()
        thread = threading.Thread(target=update)
        thread.start()
        found = client.load("svc", seconds, tasks)
        over.set()
        thread.join()
        early = [value for at, value in memory.items() if at >= min(10, seconds / 2)]
        print(f"  {tasks} tasks, an update each second: {found['calls'] / seconds:.0f} calls a second, slowest "
              f"{found['slowest'] * 1000:.1f} ms, memory {early[0]:.0f} to {early[-1]:.0f} MB")


def many_targets(client, count):
    print(f"{client.name}: {count} targets, each with a stream of its own")
    plane = client.run.control
    names = [f"t{index}" for index in range(count)]
    plane.give([listener(name, routes=f"routes-{name}") for name in names]
               + [routes(route(to=name), name=f"routes-{name}") for name in names]
               + [cluster(name) for name in names]
               + [endpoints(name, group("S")) for name in names])
    client.run.open(names[0])
    client.load(names[0], 0.1, 1)
    memory, used, start = client.memory(), client.processor(), time.monotonic()
    for name in names[1:]:
        client.run.open(name)
    for name in names[1:]:
        client.load(name, 0, 1)
    print(f"  a call on each after {time.monotonic() - start:.1f} s, {client.processor() - used:.2f} s of processor "
          f"time; {(client.memory() - memory) * 1024 / (count - 1):.0f} kB for each")


def many_routes(client, count):
    print(f"{client.name}: {count} routes")
    cost = {}
    plain = [route("/", to="a")]
    # Each has the path of the call, so that its headers are compared, too.
    long = [route(PATH, to="a", headers=[
        header("x-one", string_match={"exact": f"value-{index}"}), header("x-two", string_match={"prefix": "v"})])
        for index in range(count)] + plain
    client.run.control.give([cluster(), endpoints("a", group("S"))])
    for name, what in (("one route", plain), ("all routes", long)):
        key = name.replace(" ", "-")
        client.run.control.give([listener(key, routes=key), routes(*what, name=key)])
        client.run.open(key)
        more = {"metadata": [["x-one", "value"], ["x-two", "v"]]}
        client.load(key, 0.5, 1, **more)
        before = client.processor()
        found = client.load(key, 5, 1, **more)
        cost[name] = (client.processor() - before) / found["calls"] * 1e6
    print("  " + ", ".join(f"{name}: {value:.1f} µs of processor time a call" for name, value in cost.items()))


def through_the_tree(client, path, rounds, more):
    """The processor time of a call through round_robin alone and through the tree, in turn."""
    port = client.run.ports["S"]
    client.run.control.give([
        listener(), routes(route()), cluster(lrs_server={"self": {}}, outlier_detection={}), endpoints("a", group("S"))])
    client.run.open("svc")
    client.run.open("plain", target=f"ipv4:127.0.0.1:{port}", arguments={
        "grpc.service_config": '{"loadBalancingConfig":[{"round_robin":{}}]}'})
    for count in (1, 100):
        cost = {"plain": [], "svc": []}
        for number in range(rounds + 1):
            for channel, found in sorted(cost.items(), reverse=number % 2 == 1):
                before = client.processor()
                calls = client.load(channel, 1, count, path=path, body="", **more)["calls"]
                found.append((client.processor() - before) / calls * 1e6)
        # The first round connects.
        plain, tree = cost["plain"][1:], cost["svc"][1:]
        parts = [after / before - 1 for before, after in zip(plain, tree)]
        print(f"  {count} at a time, µs of processor time a call in {rounds} pairs of rounds: round_robin {statistics.mean(plain):.2f}, "
              f"the tree {statistics.mean(tree):.2f}; more in a pair: {statistics.mean(parts):.1%} (± "
              f"{statistics.stdev(parts) / rounds ** 0.5:.1%}), median {statistics.median(parts):.1%}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--program")
    parser.add_argument("--client", choices=("grpcio", "swiftlet"))
    parser.add_argument("--endpoints", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--targets", type=int, default=1_000)
    parser.add_argument("--routes", type=int, default=1_000)
    parser.add_argument("--server", type=int, metavar="PORT")
    parser.add_argument("--path", default="/grpc.testing.BenchmarkService/UnaryCall")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--on-queue", action="store_true")
    options = parser.parse_args()
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    if options.serve:
        return serve()
    ControlPlane.WORKERS = options.targets + 16
    commands = {"swiftlet": [options.program], "grpcio": [sys.executable, os.path.join(HERE, "client.py")]}
    for name, command in commands.items():
        if options.client not in (None, name):
            continue
        if options.server:
            print(f"{name}: calls through the tree")
            client = Client(name, command, options.server)
            try:
                through_the_tree(client, options.path, options.rounds, {"onQueue": True} if options.on_queue else {})
            finally:
                client.end()
            continue
        for work, value in ((lambda client: many_endpoints(client, options.endpoints, options.seconds), options.endpoints),
                            (lambda client: many_targets(client, options.targets), options.targets),
                            (lambda client: many_routes(client, options.routes), options.routes)):
            if not value:
                continue
            server = Server()
            client = Client(name, command, server.port)
            try:
                work(client)
            finally:
                client.end()
                server.stop()
    sys.exit(1 if FAILED else 0)


main()
