"""Servers that answer with their name and with what they received.

A call's message is a script in JSON: `codes`, the codes of its attempts; `after`, seconds before the answer.
"""
import json
import os
import socket
import threading
from concurrent import futures

import grpc


CERTIFICATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Certificates")


def code_of(number):
    return next(each for each in grpc.StatusCode if each.value[0] == number)


class Backend(grpc.GenericRpcHandler):
    def __init__(self, name, board, credentials=None, port=0):
        self.name = name
        self._board = board
        self._credentials = credentials
        self._port = port
        self._attempts = {}
        self.peers = set()
        self.running = 0
        self.ended = 0
        self.arrivals = 0
        # The code of all calls, from now on.
        self.code = 0
        # A load report (ORCA) that each answer of this server carries.
        self.load = None
        self.address = "127.0.0.1"
        self.start()

    def start(self):
        self._server = grpc.server(futures.ThreadPoolExecutor(max_workers=256),
                                   options=[("grpc.so_reuseport", 0)])
        self._server.add_generic_rpc_handlers((self,))
        if self._credentials:
            self.port = self._server.add_secure_port(f"127.0.0.1:{self._port}", self._credentials)
        else:
            self.port = self._server.add_insecure_port(f"127.0.0.1:{self._port}")
        self._port = self.port
        self._server.start()

    def stop(self):
        if self._server:
            self._server.stop(0).wait()
            self._server = None

    def service(self, details):
        def call(requests, context):
            yield from self._call(details.method, requests, context)
        return grpc.stream_stream_rpc_method_handler(call)

    def _call(self, method, requests, context):
        script = json.loads(next(requests) or b"{}")
        metadata = {}
        for name, value in context.invocation_metadata():
            metadata.setdefault(name, []).append(value if isinstance(value, str) else value.hex())
        with self._board.changed:
            self.peers.add(context.peer())
            self.arrivals += 1
            self.running += 1
            number = self._attempts.get(script.get("call"), 0)
            self._attempts[script.get("call")] = number + 1
            code = self.code
            self._board.changed.notify_all()
        try:
            codes = script.get("codes", [])
            if codes:
                # A call's attempts may arrive at several servers, so the number is the client's.
                previous = int(metadata.get("grpc-previous-rpc-attempts", ["0"])[0])
                code = code or codes[min(previous, len(codes) - 1)]
            if script.get("after"):
                # Ends early when the client cancels.
                over = threading.Event()
                if context.add_callback(over.set):
                    over.wait(script["after"])
            if self.load is not None:
                context.set_trailing_metadata((("endpoint-load-metrics-bin", self.load.SerializeToString()),))
            if code:
                context.abort(code_of(code), f"{self.name}: as asked")
            left = context.time_remaining()
            event = getattr(context, "_rpc_event")
            yield json.dumps({
                "server": self.name, "metadata": metadata, "method": method,
                # None for a call without a deadline, which the server sees as one far away.
                "timeout": None if left is None or left > 1e6 else left,
                "authority": event.call_details.host.decode(),
                "peer": context.peer(),
                "identity": [each.decode() for each in context.peer_identities() or []],
            }).encode()
            for _ in requests:
                pass
        finally:
            with self._board.changed:
                self.running -= 1
                self.ended += 1
                self._board.changed.notify_all()


def credentials(certificate):
    """Those of a TLS server. The one that is called `mtls` wants a certificate of its clients."""
    def read(name):
        with open(os.path.join(CERTIFICATES, name), "rb") as file:
            return file.read()
    mutual = certificate == "mtls"
    pair = "server" if mutual else certificate
    return grpc.ssl_server_credentials(
        [(read(pair + ".key"), read(pair + ".pem"))], read("ca.pem") if mutual else None, mutual)


class Hole:
    """A port that accepts connections, and sends nothing."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]

    def stop(self):
        self._listener.close()


class Proxy:
    """An HTTP proxy that knows only CONNECT."""

    def __init__(self):
        self.targets = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            # Byte by byte: what follows belongs to the server.
            byte = client.recv(1)
            if not byte:
                return client.close()
            head += byte
        method, target, _ = head.split(b"\r\n")[0].decode().split(" ")
        self.targets.append(f"{method} {target}")
        host, _, port = target.rpartition(":")
        server = socket.create_connection((host.strip("[]"), int(port)))
        client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        threading.Thread(target=self._pass, args=(server, client), daemon=True).start()
        self._pass(client, server)

    def _pass(self, source, sink):
        try:
            while data := source.recv(65_536):
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            end.close()

    def stop(self):
        self._listener.close()


def unused_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
