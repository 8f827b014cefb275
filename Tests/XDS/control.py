"""A control plane that answers from a set of resources, or exactly as a script says.

A type is answered from the set unless the script has claimed it. All requests are kept, in order.
"""
import itertools
import queue
import threading
import time
from concurrent import futures

import grpc
import envoy.service.discovery.v3.discovery_pb2 as discovery
import envoy.service.load_stats.v3.lrs_pb2 as lrs

import backends
from resources import TYPES, URL

ADS = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources"
LRS = "/envoy.service.load_stats.v3.LoadReportingService/StreamLoadStats"
SHORT = {URL + name: short for short, name in TYPES.items()}
# An absent name in a response of these types means that the resource was deleted.
COMPLETE = ("LDS", "CDS")


class Late(Exception):
    """The limit of a row was reached."""


class Board:
    """What all servers of a row write down. One condition, so that a script waits for anything."""

    def __init__(self, limit):
        self.changed = threading.Condition()
        self.end = time.monotonic() + limit

    def wait(self, found, what):
        """The first value of `found` that is not None or False. Raises `Late` with `what()`."""
        with self.changed:
            while True:
                value = found()
                if value is not None and value is not False:
                    return value
                left = self.end - time.monotonic()
                if left <= 0:
                    raise Late(what() if callable(what) else what)
                self.changed.wait(left)


class Request:
    def __init__(self, stream, message, nonces):
        self.stream = stream.index
        self.type = SHORT.get(message.type_url, message.type_url)
        self.names = tuple(sorted(message.resource_names))
        self.duplicates = len(set(self.names)) != len(self.names)
        self.version = message.version_info
        # 0: none.
        self.nonce = nonces.get(message.response_nonce, 0 if not message.response_nonce else "unknown")
        self.code = message.error_detail.code if message.HasField("error_detail") else 0
        self.error = message.error_detail.message
        self.node = message.node if message.HasField("node") else None

    def __str__(self):
        error = f" error {self.code} {self.error!r}" if self.code else ""
        return (f"{self.stream}: {self.type} {' '.join(self.names) or '(none)'} "
                f"version {self.version!r} nonce {self.nonce}{error}")


class Stream:
    def __init__(self, index):
        self.index = index
        self.begun = time.monotonic()
        self.out = queue.Queue()
        self.names = {}
        # The names that the last response of a type could have had.
        self.answered = {}
        self.open = True


class ControlPlane:
    # Streams at a time.
    WORKERS = 16

    def __init__(self, name, board):
        self.name = name
        self._board = board
        self._port = 0
        self._server = None
        self._nonces = {}
        self._counts = {}
        # Messages, by resource.
        self._made = {}
        self._set = {kind: {} for kind in TYPES}
        self._versions = {kind: 0 for kind in TYPES}
        self.ports = {}
        self.scripted = set()
        self.streams = []
        self.requests = []
        self.taken = {}
        self.reports = []
        self.load_settings = None
        self.start()

    @property
    def uri(self):
        return f"127.0.0.1:{self._port}"

    def start(self):
        def bind():
            server = grpc.server(futures.ThreadPoolExecutor(max_workers=self.WORKERS),
                                 options=[("grpc.so_reuseport", 0), ("grpc.max_send_message_length", -1)])
            server.add_generic_rpc_handlers((Handler(self),))
            address = f"127.0.0.1:{self._port}"
            # The name says the certificate, as for servers.
            self._port = server.add_secure_port(address, backends.credentials(self.name.split("_")[0])) \
                if "_" in self.name else server.add_insecure_port(address)
            return server
        self._server = bind()
        self._server.start()

    def stop(self):
        if self._server:
            with self._board.changed:
                streams = list(self.streams)
            for stream in streams:
                stream.out.put(("end", None, ""))
            self._server.stop(0).wait()
            self._server = None

    # From the set

    def give(self, resources):
        """Adds resources to the set, and sends the new set of each type to the streams that ask for it."""
        with self._board.changed:
            for resource in resources:
                self._set[resource.kind][resource.name] = resource
            self._push({resource.kind for resource in resources})

    def remove(self, kind, names):
        with self._board.changed:
            for name in names:
                del self._set[kind][name]
            self._push({kind})

    def _push(self, kinds):
        for kind in TYPES:
            if kind in kinds:
                self._versions[kind] += 1
        for kind in TYPES:
            for stream in self.streams:
                if kind in kinds and kind not in self.scripted and stream.open and stream.names.get(kind):
                    self._answer(stream, kind, push=True)

    def _answer(self, stream, kind, push=False):
        names = stream.names[kind]
        there = [self._set[kind][name] for name in names if name in self._set[kind]]
        new = set(names) - stream.answered.get(kind, set())
        if push:
            if not there and kind not in COMPLETE:
                return
        elif not any(resource.name in new for resource in there):
            return
        stream.answered[kind] = {resource.name for resource in there}
        self._send(stream, kind, there, str(self._versions[kind]))

    # By the script

    def send(self, kind, resources, version, nonce=None, type_url=None, errors=()):
        with self._board.changed:
            live = [stream for stream in self.streams if stream.open]
            if not live:
                raise AssertionError("no stream is open")
            self._send(live[-1], kind, resources, version, type_url, errors)

    def _send(self, stream, kind, resources, version, type_url=None, errors=()):
        count = self._counts[kind, stream.index] = self._counts.get((kind, stream.index), 0) + 1
        nonce = f"{kind}.{stream.index}.{count}"
        self._nonces[nonce] = count
        response = discovery.DiscoveryResponse(
            version_info=version, nonce=nonce, type_url=type_url or URL + TYPES[kind])
        for resource in resources:
            if resource not in self._made:
                self._made[resource] = resource.any(self.ports)
            response.resources.append(self._made[resource])
        for name, code in errors:
            error = response.resource_errors.add()
            error.resource_name.name = name
            error.error_detail.code = code
            error.error_detail.message = "as asked"
        stream.out.put(("send", response.SerializeToString(), ""))

    def sent(self, kind):
        """The index of the last response of a type on the last stream."""
        return self._counts.get((kind, self.streams[-1].index), 0) if self.streams else 0

    def close(self, code, message):
        with self._board.changed:
            for stream in self.streams:
                if stream.open:
                    stream.out.put(("end", code, message))

    # Streams

    def serve(self, requests, context):
        with self._board.changed:
            stream = Stream(len(self.streams) + 1)
            self.streams.append(stream)
            self._board.changed.notify_all()
        threading.Thread(target=self._read, args=(stream, requests), daemon=True).start()
        while True:
            what, value, message = stream.out.get()
            if what == "send":
                yield value
                continue
            with self._board.changed:
                stream.open = False
                self._board.changed.notify_all()
            if what == "end" and value is not None:
                context.abort(value, message)
            return

    def _read(self, stream, requests):
        try:
            for body in requests:
                message = discovery.DiscoveryRequest.FromString(body)
                with self._board.changed:
                    request = Request(stream, message, self._nonces)
                    self.requests.append(request)
                    if request.type in TYPES:
                        stream.names[request.type] = request.names
                        if request.type not in self.scripted:
                            stream.answered[request.type] = (
                                stream.answered.get(request.type, set()) & set(request.names))
                            self._answer(stream, request.type)
                    self._board.changed.notify_all()
        except Exception:
            # The stream has ended.
            pass
        stream.out.put(("gone", None, ""))

    def serve_load(self, requests, context):
        for body in requests:
            message = lrs.LoadStatsRequest.FromString(body)
            with self._board.changed:
                self.reports.append(message)
                first = message.HasField("node")
                self._board.changed.notify_all()
            if first and self.load_settings is not None:
                yield self.load_settings.SerializeToString()


class Handler(grpc.GenericRpcHandler):
    def __init__(self, plane):
        self._plane = plane

    def service(self, details):
        if details.method == ADS:
            return grpc.stream_stream_rpc_method_handler(self._plane.serve)
        if details.method == LRS:
            return grpc.stream_stream_rpc_method_handler(self._plane.serve_load)
        return None
