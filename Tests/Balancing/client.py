"""grpcio's client for compare.py, in the same terms as Program/Main.swift.

Each line of standard input is a session: a target, channel arguments and steps on one channel. The
answer is a line with the outcomes of each step.
"""
import json
import sys
import threading
import time

import grpc

PATH = "/balancing.Test/Call"


class Session:
    def __init__(self, line):
        self._session = json.loads(line)
        options = [(name, int(value) if isinstance(value, bool) else value)
                   for name, value in self._session["arguments"].items()]
        self._channel = grpc.insecure_channel(self._session["target"], options)
        self._call = self._channel.stream_stream(PATH)

    def run(self):
        with self._channel:
            return [getattr(self, "do_" + step["do"])(step) for step in self._session["steps"]]

    def do_calls(self, step):
        outcomes = [None] * len(step["requests"])

        def run(index):
            outcomes[index] = self._outcome(step, step["requests"][index])

        threads = [threading.Thread(target=run, args=(index,)) for index in range(len(outcomes))]
        for thread in threads:
            thread.start()
            if not step.get("concurrent"):
                thread.join()
        for thread in threads:
            thread.join()
        return outcomes

    def do_until(self, step):
        """Calls until all servers have answered."""
        seen = set()
        end = time.monotonic() + 20
        while len(seen) < step["servers"] and time.monotonic() < end:
            seen.add(self._outcome(step, step["request"])["reply"])
        return []

    def do_load(self, step):
        """Begins a call at each interval, whatever became of those before."""
        outcomes = []
        threads = []

        def run(begun):
            outcome = self._outcome(step, step["request"])
            outcomes.append(dict(outcome, begun=begun))

        print("load", flush=True)
        start = time.monotonic()
        for index in range(round(step["seconds"] / step["interval"])):
            pause = start + index * step["interval"] - time.monotonic()
            if pause > 0:
                time.sleep(pause)
            threads.append(threading.Thread(target=run, args=(time.monotonic() - start,)))
            threads[-1].start()
        for thread in threads:
            thread.join()
        return outcomes

    def _outcome(self, step, request):
        messages = [request.encode()] + [b"x" * step.get("bytes", 0)] * step.get("more", 0)
        start = time.monotonic()
        replies = []
        code, message = 0, ""
        try:
            for reply in self._call(
                    iter(messages), timeout=step.get("timeout", 20),
                    wait_for_ready=step.get("waitForReady")):
                replies.append(reply.decode())
        except grpc.RpcError as error:
            code, message = error.code().value[0], error.details()
        return {"code": code, "message": message, "reply": " ".join(replies),
                "seconds": time.monotonic() - start}


for line in sys.stdin:
    print(json.dumps(Session(line).run()), flush=True)
