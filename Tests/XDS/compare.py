"""Plays each row to grpcio's client and to this library's, and compares what they ask and do.

usage: compare.py [--program PROGRAM] [--client NAME] [--only PATTERN] [--jobs N] [-v]

A row fails where a client does not do what its steps expect, or where the requests of the clients differ
and the row does not say why.
"""
import argparse
import glob
import importlib.util
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent import futures

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import backends
import steps
from control import Board, ControlPlane, Late
from resources import TYPES, substitute


class Child:
    """A client's process."""

    def __init__(self, command, environment):
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment)
        self._lines = queue.Queue()
        self.errors = []
        for target in (self._read, self._read_errors):
            threading.Thread(target=target, daemon=True).start()

    def _read(self):
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _read_errors(self):
        for line in self._process.stderr:
            self.errors.append(line)

    def ask(self, left, what, **command):
        try:
            self._process.stdin.write(json.dumps({"do": what, **command}) + "\n")
            self._process.stdin.flush()
        except OSError:
            raise AssertionError(self._gone())
        try:
            line = self._lines.get(timeout=max(left, 0.01))
        except queue.Empty:
            raise Late(f"no answer to {what} {command.get('path', '')}") from None
        if line is None:
            raise AssertionError(self._gone())
        answer = json.loads(line)
        if "failure" in answer:
            raise AssertionError(answer["failure"])
        return answer

    def _gone(self):
        return f"the client has ended with {self._process.wait()}: " + "".join(self.errors[-5:])

    def end(self):
        self._process.kill()
        self._process.wait()


class Run:
    """One row with one client."""

    def __init__(self, row, client, command):
        self.row = row
        self.client = client
        self.reasons = set()
        self.calls = 0
        self.notes = []
        self.plane = row.servers[0]
        self.board = Board(row.limit)
        self.planes = {name: ControlPlane(name, self.board) for name in row.servers}
        self.servers = {}
        self.ports = {}
        for plane in self.planes.values():
            plane.ports = self.ports
        self._channels = set()
        self._child = None
        self._command = command
        self._taken = {}
        self._folder = tempfile.TemporaryDirectory()
        for name, certificate in row.files.items():
            self.replace(name, certificate)

    @property
    def control(self):
        return self.planes[self.plane]

    def server(self, name):
        if name in self.planes:
            return self.planes[name]
        self.port(name)
        return self.servers[name]

    def port(self, name):
        """Starts a server when its name is used for the first time."""
        if name not in self.ports:
            if name.startswith("dead"):
                self.ports[name] = backends.unused_port()
                return
            made = backends.Hole() if name.startswith("hole") else backends.Backend(
                name, self.board, backends.credentials(name.split("_")[0]) if "_" in name else None)
            self.servers[name] = made
            self.ports[name] = made.port

    def know(self, resources):
        def walk(value):
            if isinstance(value, dict):
                for each in value.values():
                    walk(each)
            elif isinstance(value, list):
                for each in value:
                    walk(each)
            elif isinstance(value, str) and value.startswith("@"):
                self.port(value[1:])
        for resource in resources:
            walk(resource.body)

    def late(self):
        return time.monotonic() > self.board.end

    def ask(self, what, **command):
        if self._child is None:
            self._child = Child(self._command, {
                **os.environ, **self._bootstrap(), **self.row.environment})
        return self._child.ask(self.board.end - time.monotonic(), what, **command)

    def _bootstrap(self):
        """The variables of the environment that say it."""
        text = self.row.bootstrap_text
        if text is None:
            text = self._bootstrap_text()
        if self.row.file is None:
            return {"GRPC_XDS_BOOTSTRAP_CONFIG": text} if text else {}
        path = os.path.join(self._folder.name, "bootstrap.json")
        if self.row.file == "given":
            with open(path, "w") as file:
                file.write(text)
        return {"GRPC_XDS_BOOTSTRAP": path, "GRPC_XDS_BOOTSTRAP_CONFIG": "not read"}

    def replace(self, name, certificate):
        path = os.path.join(self._folder.name, name)
        shutil.copy(os.path.join(backends.CERTIFICATES, certificate), path + ".new")
        os.rename(path + ".new", path)

    def _bootstrap_text(self):
        planes = {name: plane.uri for name, plane in self.planes.items()}
        planes["dir"] = self._folder.name
        planes["dead"] = f"127.0.0.1:{backends.unused_port()}"
        content = {"xds_servers": [{"server_uri": "@" + self.row.servers[0], "channel_creds": [
            {"type": "insecure"}]}], "node": {"id": "n1"}, **self.row.bootstrap}
        content = {name: value for name, value in content.items() if value is not None}
        return json.dumps(substitute(content, planes))

    def open(self, name, target=None, credentials="insecure", arguments=None):
        if name not in self._channels:
            self._channels.add(name)
            self.ask("open", channel=name, target=target or f"xds:///{name}", credentials=credentials,
                     arguments=arguments or {})

    def shut(self, name):
        self._channels.remove(name)
        self.ask("close", channel=name)

    def note(self, outcomes):
        found = {}
        for outcome in outcomes:
            label = steps.key(outcome) + (f" {outcome['message']!r}" if outcome["code"] else "")
            found[label] = found.get(label, 0) + 1
        self.notes.append(", ".join(f"{number} × {label}" for label, number in sorted(found.items())))

    def untaken(self, kind):
        place = self._taken.get((self.plane, kind), 0)
        return [request for request in self.control.requests if request.type == kind][place:]

    def next_request(self, kind, skip):
        def found():
            while left := self.untaken(kind):
                self._taken[self.plane, kind] = self._taken.get((self.plane, kind), 0) + 1
                if not skip(left[0]):
                    return left[0]
            return None
        return self.board.wait(found, f"no request for {kind}")

    def play(self):
        """None, or what is wrong."""
        try:
            for step in self.row.steps:
                try:
                    step.act(self)
                except (AssertionError, Late) as error:
                    late = "time is up: " if isinstance(error, Late) else ""
                    return f"{step.what[:80]}: {late}{error}"
            return self._rules()
        finally:
            if self._child:
                self._child.end()
            self._folder.cleanup()
            for server in [*self.planes.values(), *self.servers.values()]:
                server.stop()

    def _rules(self):
        """What holds in each row."""
        for plane in self.planes.values():
            seen = set()
            for request in plane.requests:
                if (request.node is not None) != (request.stream not in seen):
                    return f"the node belongs into the first request of a stream: {request}"
                seen.add(request.stream)
                if request.duplicates or request.nonce == "unknown":
                    return f"names or nonce: {request}"
        return None

    def requests(self):
        """What is compared between clients. How names are spread over requests depends on the moment: for
        types that the script does not answer, only all names that were ever asked for count, and the
        responses that were refused. Those that it answers, it has compared itself, one by one."""
        found = []
        for plane in self.planes.values():
            for kind in TYPES:
                mine = [request for request in plane.requests if request.type == kind]
                if kind not in plane.scripted and mine:
                    names = sorted({name for request in mine for name in request.names})
                    refused = sorted({request.nonce for request in mine if request.code})
                    found.append(f"{plane.name} {kind} {' '.join(names)}; refused: {refused}")
        return found


def load_rows():
    for path in sorted(glob.glob(os.path.join(HERE, "rows", "*.py"))):
        before = len(steps.ROWS)
        spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
        for row in steps.ROWS[before:]:
            row.theme = spec.name
    names = [row.name for row in steps.ROWS]
    twice = {name for name in names if names.count(name) > 1}
    assert not twice, f"rows with the same name: {twice}"
    return steps.ROWS


class Result:
    def __init__(self, row):
        self.row = row
        self.failures = []
        self.reasons = set()
        self.text = []
        self.seconds = 0


def play(row, clients, verbose):
    result = Result(row)
    start = time.monotonic()
    runs = {}
    for name, command in clients.items():
        if row.only and row.only != name:
            continue
        try:
            run = Run(row, name, command)
            wrong = run.play()
            if row.crash and name == "grpcio":
                result.reasons.add("grpcio's process crashes: " + row.crash)
                crashed = wrong and "the client has ended with -11" in wrong
                wrong = None if crashed else f"no crash any more: {wrong or 'all is right'}"
        except Exception as error:
            import traceback
            wrong = f"{type(error).__name__}: {error}\n{traceback.format_exc()}"
        runs[name] = run
        result.reasons |= run.reasons
        if wrong:
            result.failures.append(f"{name}: {wrong}")
        if verbose or wrong:
            result.text.append(f"    {name}")
            for plane in run.planes.values():
                result.text += [f"        {plane.name}{request}"[:240] for request in plane.requests[-40:]]
            result.text += [f"        {note[:400]}" for note in run.notes[-40:]]
    if len(runs) == 2 and not result.failures and not row.crash:
        theirs, ours = (run.requests() for run in runs.values())
        # Where calls or answers differ for a reason, so do the requests.
        if theirs != ours and not row.differs and not result.reasons:
            missing = [line for line in theirs if line not in ours]
            more = [line for line in ours if line not in theirs]
            result.failures.append(f"requests differ: grpcio {missing or theirs}, swiftlet {more or ours}")
        elif theirs == ours and row.differs:
            result.failures.append("the requests are the same, though a reason is given for a difference")
    if row.differs:
        result.reasons.add(row.differs)
    if row.why:
        result.reasons.add(row.why)
    result.seconds = time.monotonic() - start
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="")
    parser.add_argument("--client", choices=("grpcio", "swiftlet"))
    parser.add_argument("--only", default="", help="a regular expression for theme: name")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-v", action="store_true", dest="verbose")
    arguments = parser.parse_args()
    commands = {"grpcio": [sys.executable, "-B", os.path.join(HERE, "client.py")],
                "swiftlet": [arguments.program]}
    clients = {name: command for name, command in commands.items()
               if arguments.client in (None, name)}
    rows = [row for row in load_rows()
            if re.search(arguments.only, f"{row.theme}: {row.name}", re.IGNORECASE)]
    results = []
    # Rows that wait for timers need no processor meanwhile.
    with futures.ThreadPoolExecutor(arguments.jobs) as quick, futures.ThreadPoolExecutor(24) as slow:
        jobs = [(slow if row.slow else quick).submit(play, row, clients, arguments.verbose) for row in rows]
        for job in futures.as_completed(jobs):
            result = job.result()
            results.append(result)
            if result.failures:
                print(f"✘ {result.row.theme}: {result.row.name} ({result.seconds:.1f} s)")
                for failure in result.failures:
                    print(f"    {failure}")
            elif arguments.verbose:
                print(f"✔ {result.row.theme}: {result.row.name} ({result.seconds:.1f} s)")
            for line in result.text:
                print(line)
            sys.stdout.flush()
    summary(rows, results)
    return 1 if any(result.failures for result in results) or not rows else 0


def summary(rows, results):
    print(f"\n| {'rows':18} | passed | failed |\n| --- | --- | --- |")
    for theme in dict.fromkeys(row.theme for row in rows):
        mine = [result for result in results if result.row.theme == theme]
        failed = sum(1 for result in mine if result.failures)
        print(f"| {theme:18} | {len(mine) - failed:6} | {failed:6} |")
    failed = sum(1 for result in results if result.failures)
    print(f"| {'all':18} | {len(results) - failed:6} | {failed:6} |")
    reasons = [(reason, result.row.name) for result in results for reason in result.reasons]
    if reasons:
        print("\nDifferences, and why:")
        for reason, name in sorted(reasons):
            print(f"- {name}: {reason}")


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # Threads of grpcio's servers may still end.
    os._exit(code)
