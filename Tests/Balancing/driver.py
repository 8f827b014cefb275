"""Drives a client process, and writes the service configs and requests that it is given."""
import json
import subprocess
import sys
import time


class Client:
    """One of the clients, as a process."""

    def __init__(self, name, command):
        self.name = name
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, target, steps, arguments=None, during=None):
        """The outcomes of each step. `during` runs while the load does."""
        session = {"target": target, "arguments": arguments or {}, "steps": steps}
        self._process.stdin.write(json.dumps(session) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if line == "load\n":
            begun = time.monotonic()
            during(begun)
            line = self._process.stdout.readline()
        if not line:
            sys.exit(f"FAILED {self.name}: the client ended")
        return json.loads(line)

    def end(self):
        self._process.stdin.close()
        return self._process.wait(timeout=20)


count = 0


def script(replies):
    """The request of a call with these replies, and the call's name."""
    global count
    count += 1
    name = f"call {count}"
    return json.dumps({"call": name, "replies": replies}), name


def config(policy=None, kind="retryPolicy", balancing=None, throttling=None, **method):
    value = {"methodConfig": [{"name": [{}], **method}]}
    if policy is not None:
        value["methodConfig"][0][kind] = policy
    if balancing:
        value["loadBalancingConfig"] = [{balancing: {}}]
    if throttling:
        value["retryThrottling"] = throttling
    return {"grpc.service_config": json.dumps(value)}


def retry(attempts=3, initial="0.05s", longest="1s", multiplier=2, codes=("UNAVAILABLE",)):
    return {"maxAttempts": attempts, "initialBackoff": initial, "maxBackoff": longest,
            "backoffMultiplier": multiplier, "retryableStatusCodes": list(codes)}


def fail(code=14, **more):
    return {"code": code, **more}


OK = {"code": 0}
