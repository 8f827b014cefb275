"""One row with one client: its process, its control planes and its servers."""
import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
import time

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
        self.process = self._process.pid
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
            made = backends.Hole() if name.startswith("hole") else \
                backends.Proxy() if name.startswith("proxy") else backends.Backend(
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

    @property
    def process(self):
        return self._child.process

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
            self.end()

    def end(self):
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
        types that the script does not answer, only all names that were ever asked for count, and
        whether a response was refused. Those that it answers, it has compared itself, one by one."""
        found = []
        for plane in self.planes.values():
            for kind in TYPES:
                mine = [request for request in plane.requests if request.type == kind]
                if kind not in plane.scripted and mine:
                    names = sorted({name for request in mine for name in request.names})
                    refused = "; refused" if any(request.code for request in mine) else ""
                    found.append(f"{plane.name} {kind} {' '.join(names)}{refused}")
        return found
