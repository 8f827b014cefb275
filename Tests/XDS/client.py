"""grpcio's client for compare.py, in the same terms as Client/Main.swift.

Each line of standard input is a command, and each has an answer of one line.
"""
import json
import sys
import threading
import time

import grpc
import grpc.experimental

METHODS = {}


def outcome_of(call, start):
    """The outcome of a call that has ended, except for its reply."""
    code, message = call.code().value[0], call.details() or ""
    return {"code": code, "message": message if code else "", "seconds": time.monotonic() - start,
            "headers": [[name, value] for name, value in call.initial_metadata()]}


class Held:
    """A call whose end the script decides."""

    def __init__(self, client, command):
        self._close = threading.Event()
        self._start = time.monotonic()
        body = command.get("body", "{}").encode()

        def requests():
            yield body
            self._close.wait()
        self._call = client.begin(command, requests())

    def first(self):
        try:
            self._reply = next(self._call).decode()
            return {"code": 0, "reply": self._reply, "message": "", "seconds": time.monotonic() - self._start}
        except StopIteration:
            return self.finish()
        except grpc.RpcError:
            self._reply = ""
            return self.finish()

    def finish(self):
        self._close.set()
        try:
            for _ in self._call:
                pass
        except grpc.RpcError:
            pass
        return dict(outcome_of(self._call, self._start), reply=self._reply)

    def cancel(self):
        self._call.cancel()
        self._close.set()
        return {}


class Client:
    def __init__(self):
        self._channels = {}
        self._held = {}
        self._waiting = {}

    def do_open(self, command):
        options = [(name, value) for name, value in command.get("arguments", {}).items()]
        credentials = command.get("credentials", "insecure")
        if credentials == "xds":
            fallback = grpc.experimental.insecure_channel_credentials()
            channel = grpc.secure_channel(
                command["target"], grpc.xds_channel_credentials(fallback), options)
        else:
            channel = grpc.insecure_channel(command["target"], options)
        self._channels[command["channel"]] = channel
        return {}

    def begin(self, command, requests):
        method = self._channels[command["channel"]].stream_stream(command["path"])
        return method(requests, timeout=command.get("timeout"), wait_for_ready=command.get("wait"),
                      metadata=[(name, bytes.fromhex(value) if name.endswith("-bin") else value)
                                for name, value in command.get("metadata", [])])

    def _one(self, command):
        start = time.monotonic()
        call = self.begin(command, iter([command.get("body", "{}").encode()]))
        reply = ""
        try:
            for message in call:
                reply = message.decode()
        except grpc.RpcError:
            pass
        return dict(outcome_of(call, start), reply=reply)

    def do_call(self, command):
        count = command.get("count", 1)
        if not command.get("together"):
            return {"outcomes": [self._one(command) for _ in range(count)]}
        outcomes = [None] * count

        def run(index):
            outcomes[index] = self._one(command)
        threads = [threading.Thread(target=run, args=(index,)) for index in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {"outcomes": outcomes}

    def do_hold(self, command):
        self._held[command["id"]] = held = Held(self, command)
        return {"outcomes": [held.first()]}

    def do_begin(self, command):
        """A call that runs while other commands do."""
        outcomes = []
        thread = threading.Thread(target=lambda: outcomes.append(self._one(command)))
        thread.start()
        self._waiting[command["id"]] = (thread, outcomes)
        return {}

    def do_finish(self, command):
        if command["id"] in self._held:
            return {"outcomes": [self._held.pop(command["id"]).finish()]}
        thread, outcomes = self._waiting.pop(command["id"])
        thread.join()
        return {"outcomes": outcomes}

    def do_cancel(self, command):
        return self._held.pop(command["id"]).cancel()

    def do_load(self, command):
        """What threads saw that sent calls, one after the other, for some time."""
        method = self._channels[command["channel"]].unary_unary(command["path"])
        body = command.get("body", "{}").encode()
        loads = []

        def run():
            load = {"calls": 0, "failures": {}, "slowest": 0}
            end = time.monotonic() + command["seconds"]
            now = 0
            while now < end:
                start = time.monotonic()
                try:
                    method(body, timeout=command.get("timeout"), metadata=[tuple(pair) for pair in command.get("metadata", [])])
                except grpc.RpcError as error:
                    text = f"{error.code()}: {error.details()}"
                    load["failures"][text] = load["failures"].get(text, 0) + 1
                now = time.monotonic()
                load["calls"] += 1
                load["slowest"] = max(load["slowest"], now - start)
            loads.append(load)
        threads = [threading.Thread(target=run) for _ in range(command.get("count", 1))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        failures = {}
        for load in loads:
            for text, number in load["failures"].items():
                failures[text] = failures.get(text, 0) + number
        return {"load": {"calls": sum(load["calls"] for load in loads), "failures": failures,
                         "slowest": max(load["slowest"] for load in loads)}}

    def do_close(self, command):
        self._channels.pop(command["channel"]).close()
        return {}

    def do_status(self, command):
        """What CSDS says: target, type, name, state, version and error of each resource."""
        from grpc._cython import cygrpc
        import envoy.service.status.v3.csds_pb2 as csds
        response = csds.ClientStatusResponse.FromString(cygrpc.dump_xds_configs())
        return {"resources": sorted(
            [config.client_scope, each.type_url, each.name, each.client_status, each.version_info,
             each.error_state.details]
            for config in response.config for each in config.generic_xds_configs)}


client = Client()
for line in sys.stdin:
    command = json.loads(line)
    try:
        answer = getattr(client, "do_" + command["do"])(command)
    except Exception as error:
        answer = {"failure": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
