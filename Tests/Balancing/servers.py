"""Servers that misbehave as each call asks, and that count what they receive.

A request is JSON: the name of the call and one reply per attempt, of which the last one repeats. The
servers measure both clients, so that both are measured in the same way.
"""
import json
import os
import socket
import struct
import threading
import time
from concurrent import futures

import grpc
import h2.config
import h2.connection
import h2.errors
import h2.events

PATH = "/balancing.Test/Call"


class Arrivals:
    """The attempts of each call in the order in which they reached a server."""

    def __init__(self):
        self._lock = threading.Lock()
        self._of_call = {}

    def add(self, call, server, previous):
        """Returns how many attempts of the call came before."""
        with self._lock:
            arrivals = self._of_call.setdefault(call, [])
            arrivals.append((time.monotonic(), server, previous))
            return len(arrivals) - 1

    def of(self, call):
        with self._lock:
            return list(self._of_call.get(call, []))

    def times(self, call):
        return [moment for moment, _, _ in self.of(call)]

    def delays(self, call):
        times = self.times(call)
        return [after - before for before, after in zip(times, times[1:])]

    def servers(self, call):
        return [server for _, server, _ in self.of(call)]

    def previous(self, call):
        return [previous for _, _, previous in self.of(call)]


class ScriptedHandler(grpc.GenericRpcHandler):
    def __init__(self, name, arrivals):
        self._name = name
        self._arrivals = arrivals

    def service(self, details):
        return grpc.stream_stream_rpc_method_handler(self._call) if details.method == PATH else None

    def _call(self, requests, context):
        metadata = dict(context.invocation_metadata())
        script = json.loads(next(requests))
        index = self._arrivals.add(
            script["call"], self._name, metadata.get("grpc-previous-rpc-attempts"))
        replies = script["replies"]
        reply = replies[min(index, len(replies) - 1)]
        count = 1
        if reply.get("drains"):
            count += sum(1 for _ in requests)
        if reply.get("headers"):
            context.send_initial_metadata((("x-server", self._name),))
        if reply.get("message"):
            yield self._name.encode()
        # Ends early when the client cancels.
        ended = threading.Event()
        if context.add_callback(ended.set):
            ended.wait(reply.get("after", 0))
        context.set_trailing_metadata(
            tuple(("grpc-retry-pushback-ms", value) for value in reply.get("pushback", [])))
        if reply["code"] != 0:
            code = next(each for each in grpc.StatusCode if each.value[0] == reply["code"])
            context.abort(code, "as asked")
        for _ in requests:
            pass
        if not reply.get("message"):
            yield f"{self._name} {count}".encode() if reply.get("drains") else self._name.encode()


class Server:
    """A server that can be killed and started again on its port."""

    def __init__(self, name, arrivals, port=0):
        self._name = name
        self._arrivals = arrivals
        self.port = port
        self.start()

    def start(self):
        self._server = grpc.server(
            futures.ThreadPoolExecutor(max_workers=32),
            options=[("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", -1)])
        self._server.add_generic_rpc_handlers((ScriptedHandler(self._name, self._arrivals),))
        self.port = self._server.add_insecure_port(f"127.0.0.1:{self.port}")
        self._server.start()

    def stop(self, grace=None):
        """Without `grace`, in seconds, calls that run are answered with CANCELLED or UNAVAILABLE."""
        self._server.stop(grace).wait()


class Link:
    """A TCP forwarder to a server. While it is frozen nothing passes, and nothing is closed."""

    def __init__(self, port):
        self._target = port
        self._moves = threading.Event()
        self._moves.set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def freeze(self):
        self._moves.clear()

    def thaw(self):
        self._moves.set()

    def _accept(self):
        while True:
            near, _ = self._listener.accept()
            threading.Thread(target=self._connect, args=(near,), daemon=True).start()

    def _connect(self, near):
        self._moves.wait()
        far = socket.create_connection(("127.0.0.1", self._target))
        for side in (near, far):
            side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=self._copy, args=(near, far), daemon=True).start()
        self._copy(far, near)

    def _copy(self, source, sink):
        try:
            while received := source.recv(65536):
                self._moves.wait()
                sink.sendall(received)
        except OSError:
            # The other direction has closed both ends.
            pass
        for side in (source, sink):
            try:
                side.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class RefusingServer:
    """An HTTP/2 server that does not process the first streams of a call, and answers the others.

    How it refuses: `refuse` resets the stream with REFUSED_STREAM, `goaway` sends a GOAWAY whose last
    stream is lower.
    """

    def __init__(self, how, count, arrivals):
        self._how = how
        self._left = count
        self._arrivals = arrivals
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            near, _ = self._listener.accept()
            threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def _serve(self, near):
        connection = h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        connection.initiate_connection()
        near.sendall(connection.data_to_send())
        bodies = {}
        try:
            while received := near.recv(65536):
                for event in connection.receive_data(received):
                    if isinstance(event, h2.events.RequestReceived):
                        previous = dict(event.headers).get("grpc-previous-rpc-attempts")
                        bodies[event.stream_id] = (bytearray(), previous)
                    elif isinstance(event, h2.events.DataReceived):
                        bodies[event.stream_id][0].extend(event.data)
                        connection.acknowledge_received_data(
                            event.flow_controlled_length, event.stream_id)
                    elif isinstance(event, h2.events.StreamEnded):
                        self._answer(near, connection, event.stream_id, *bodies[event.stream_id])
                near.sendall(connection.data_to_send())
        except OSError:
            # The client has closed the connection.
            pass
        near.close()

    def _answer(self, near, connection, stream, body, previous):
        script = json.loads(bytes(body[5:]))
        self._arrivals.add(script["call"], self._how, previous)
        with self._lock:
            refuses = self._left > 0
            self._left -= 1
        if refuses and self._how == "refuse":
            connection.reset_stream(stream, h2.errors.ErrorCodes.REFUSED_STREAM)
        elif refuses:
            # By hand: h2 takes its own GOAWAY for the end of the connection.
            near.sendall(connection.data_to_send())
            near.sendall(struct.pack(">IBIII", 8 << 8 | 7, 0, 0, max(stream - 2, 0), 0))
        else:
            connection.send_headers(
                stream, [(":status", "200"), ("content-type", "application/grpc")])
            connection.send_data(stream, struct.pack(">BI", 0, 2) + b"ok")
            connection.send_headers(stream, [("grpc-status", "0")], end_stream=True)


def unused_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
