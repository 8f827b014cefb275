"""A server that tries a client's HTTP/2, one case of gRPC's http2-interop-test-descriptions each.

usage: http2_server.py GENERATED CASE

Prints the port; when its standard input ends, says whether the client has kept its side, as its
exit status. It speaks through PyPI's h2, so that client and server cannot be wrong in one way.
"""
import os
import socket
import struct
import sys
import threading
import traceback

import grpc

generated, case = sys.argv[1:]
grpc.__path__.append(os.path.join(generated, "grpc"))

from grpc.testing import messages_pb2

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import h2.settings

CASES = ["goaway", "rst_after_header", "rst_during_data", "rst_after_data", "ping", "max_streams",
         "data_frame_padding", "no_df_padding_sanity_test"]
if case not in CASES:
    sys.exit(f"there is no case '{case}'")

lock = threading.Lock()
connection_count = 0
complaints = []


def complain(text):
    with lock:
        complaints.append(text)


class Connection:
    """One client. Answers are pumped out as the client's windows allow."""

    def __init__(self, sock):
        self.socket = sock
        self.h2 = h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        self.requests = {}
        self.answers = {}
        self.outstanding_pings = 0
        self.ping_count = 0
        self.concurrent = 0
        self.has_left = False

    def run(self):
        if case == "max_streams":
            self.h2.local_settings = h2.settings.Settings(
                client=False,
                initial_values={h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 1})
        try:
            self.h2.initiate_connection()
            self.flush()
            while received := self.socket.recv(65536):
                for event in self.h2.receive_data(received):
                    self.handle(event)
                self.pump()
        except h2.exceptions.ProtocolError as error:
            complain(f"the client broke the protocol: {error!r}")
            self.say_why()
        except ConnectionError:
            pass
        except Exception:
            # A mistake of the server's own would otherwise look like a client that left.
            complain(f"the server failed: {traceback.format_exc()}")
        self.socket.close()
        if self.outstanding_pings:
            complain(f"{self.outstanding_pings} of {self.ping_count} PINGs were not answered")
        if case == "ping" and self.ping_count == 0:
            complain("no PING was sent")

    def say_why(self):
        """Sends the GOAWAY that h2 has prepared, to a client that may be gone."""
        try:
            self.flush()
        except OSError:
            pass

    def flush(self):
        pending = self.h2.data_to_send()
        if pending:
            self.socket.sendall(pending)

    def ping(self):
        if case == "ping":
            self.ping_count += 1
            self.outstanding_pings += 1
            self.h2.ping(struct.pack(">Q", self.ping_count))

    def handle(self, event):
        if isinstance(event, h2.events.RequestReceived):
            self.requests[event.stream_id] = bytearray()
            self.concurrent += 1
            if case == "max_streams" and self.concurrent > 1:
                complain(f"{self.concurrent} streams at once, though one is allowed")
            self.ping()
            if case == "goaway" and not self.has_left:
                self.has_left = True
                # By hand: h2 takes its own GOAWAY for the end of the connection, where the call
                # that it came for is still under way.
                self.flush()
                self.socket.sendall(struct.pack(">IBIII", 8 << 8 | 7, 0, 0, event.stream_id, 0))
            if case == "rst_after_header":
                self.send_headers(event.stream_id)
                self.reset(event.stream_id)
        elif isinstance(event, h2.events.DataReceived):
            self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            if event.stream_id in self.requests:
                self.requests[event.stream_id] += event.data
        elif isinstance(event, h2.events.StreamEnded):
            if event.stream_id in self.requests:
                self.answer(event.stream_id, self.requests[event.stream_id])
        elif isinstance(event, h2.events.StreamReset):
            self.forget(event.stream_id)
        elif isinstance(event, h2.events.PingAckReceived):
            self.outstanding_pings -= 1

    def send_headers(self, stream):
        self.h2.send_headers(stream, [(":status", "200"), ("content-type", "application/grpc")])
        self.ping()

    def answer(self, stream, request):
        asked = messages_pb2.SimpleRequest.FromString(bytes(request[5:]))
        body = messages_pb2.SimpleResponse(
            payload=messages_pb2.Payload(body=bytes(asked.response_size))).SerializeToString()
        message = struct.pack(">BI", 0, len(body)) + body
        if case == "rst_during_data":
            message = message[:len(message) // 2]
        self.send_headers(stream)
        self.answers[stream] = memoryview(message)

    def pump(self):
        """Sends what the windows have room for, a piece of each answer in turn."""
        progress = True
        while progress:
            progress = False
            for stream in list(self.answers):
                progress = self.send_some(stream) or progress
            self.flush()

    def send_some(self, stream):
        left = self.answers[stream]
        small = case in ("data_frame_padding", "no_df_padding_sanity_test")
        padding = 255 if case == "data_frame_padding" else None
        room = self.h2.local_flow_control_window(stream)
        if padding is not None:
            room -= padding + 1
        count = min(room, self.h2.max_outbound_frame_size, len(left), 5 if small else 1 << 20)
        if count > 0:
            self.h2.send_data(stream, bytes(left[:count]), pad_length=padding)
            self.answers[stream] = left = left[count:]
        if len(left) > 0:
            return count > 0
        self.finish(stream)
        return False

    def finish(self, stream):
        if case in ("rst_during_data", "rst_after_data"):
            return self.reset(stream)
        self.ping()
        self.h2.send_headers(stream, [("grpc-status", "0")], end_stream=True)
        self.forget(stream)

    def reset(self, stream):
        self.h2.reset_stream(stream)
        self.forget(stream)

    def forget(self, stream):
        self.answers.pop(stream, None)
        if self.requests.pop(stream, None) is not None:
            self.concurrent -= 1


def serve(listener):
    global connection_count
    while True:
        sock, _ = listener.accept()
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with lock:
            connection_count += 1
        thread = threading.Thread(target=Connection(sock).run, daemon=True)
        thread.start()
        with lock:
            threads.append(thread)


threads = []
listener = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=serve, args=(listener,), daemon=True).start()
print(listener.getsockname()[1], flush=True)
# The parent closes our standard input when the client is done; its connections have ended then.
sys.stdin.read()
with lock:
    waiting = list(threads)
for thread in waiting:
    thread.join(timeout=10)
    if thread.is_alive():
        complain("a connection has not ended, though the client is done")
if connection_count == 0:
    complain("no client has connected")
if case == "goaway" and connection_count != 2:
    complain(f"{connection_count} connections, where there should be 2")
if case == "max_streams" and connection_count != 1:
    complain(f"{connection_count} connections, where calls should wait for their turn on one")
for complaint in complaints:
    print(f"{case}: {complaint}", file=sys.stderr)
# Threads that hang in a system call do not hold the process.
os._exit(1 if complaints else 0)
