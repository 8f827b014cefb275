"""Calls servers through proxies and load balancers that others wrote, while servers and proxies go away.

usage: proxies.py PROGRAM FOLDER

What is not installed is skipped by its name.
"""
import json
import os
import shutil
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Balancing"))

import servers
from driver import OK, Client, config, retry, script

ARRIVALS = servers.Arrivals()
program, folder = sys.argv[1:]
client = Client("Swiftlet", [program])
group = [servers.Server(name, ARRIVALS) for name in "ABC"]
failures = []


def check(what, is_right, text):
    print(f"{'ok    ' if is_right else 'FAILED'} {what}: {text}", flush=True)
    if not is_right:
        failures.append(what)


def write(name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


class Daemon:
    """A program that listens on a port."""

    def __init__(self, port, command, log):
        self._port = port
        self._command = command
        self._log = log
        self.start()

    def start(self):
        with open(self._log, "a") as log:
            self.process = subprocess.Popen(self._command, stdout=log, stderr=log)
        end = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", self._port)).close()
                return
            except ConnectionRefusedError:
                if self.process.poll() is not None or time.monotonic() > end:
                    with open(self._log) as log:
                        sys.exit(f"FAILED {self._command[0]} does not listen: {log.read()}")
                time.sleep(0.02)

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=20)


def codes(outcomes):
    """How many calls ended with which code, and the text of one of those that failed with it."""
    counts, texts = {}, {}
    for outcome in outcomes:
        counts[outcome["code"]] = counts.get(outcome["code"], 0) + 1
        texts[outcome["code"]] = f" ({outcome['message']})" if outcome["code"] else ""
    return ", ".join(f"{count} × code {code}{texts[code]}" for code, count in sorted(counts.items()))


def all_right(what, target, arguments, number=200, **step):
    """Makes calls one after the other, of which none may fail. Returns the servers that they reached."""
    request, name = script([OK])
    steps = [{"do": "calls", "requests": [request] * number, **step}]
    outcomes = client.run(target, steps, arguments)[0]
    check(what, all(outcome["code"] == 0 for outcome in outcomes), codes(outcomes))
    return ARRIVALS.servers(name)


def under_load(what, target, arguments, during, may_fail=()):
    """Makes a call each 5 ms for 4 s. One that fails must do so with a code of `may_fail`, and none of
    the last second may."""
    request, _ = script([OK])
    steps = [{"do": "load", "request": request, "seconds": 4, "interval": 0.005}]
    outcomes = client.run(target, steps, arguments, during)[0]
    is_right = all(
        outcome["code"] == 0 or outcome["code"] in may_fail and outcome["begun"] < 3
        for outcome in outcomes)
    check(what, is_right, codes(outcomes))


def restart_server(_):
    time.sleep(0.5)
    # Calls that run may end.
    group[0].stop(1)
    time.sleep(1)
    group[0].start()


# A proxy does not say whether a server has processed a call that it lost, so the program has to.
RETRIES = config(retry(5, "0.02s"))
# A server of grpcio that stops answers a call that arrives in that moment with CANCELLED.
RESTART_RETRIES = config(retry(5, "0.02s", codes=("UNAVAILABLE", "CANCELLED")))
EXTENSIONS = "type.googleapis.com/envoy.extensions."


def behind(name, port, reload, may_fail=()):
    """Calls servers behind a load balancer that speaks HTTP/2. While it is reloaded, calls may fail with
    the codes of `may_fail`."""
    target = f"127.0.0.1:{port}"
    reached = all_right(f"{name}: 300 calls over three servers", target, {}, 300)
    shares = {each: reached.count(each) for each in "ABC"}
    check(f"{name}: each server gets calls", min(shares.values()) > 0, str(shares))
    all_right(f"{name}: streams of 20 messages of 10 KB", target, {}, 20, more=20, bytes=10_000)
    under_load(f"{name}: a server goes away and comes back", target, RESTART_RETRIES, restart_server)
    under_load(f"{name}: the load balancer is reloaded", target, RETRIES, reload, may_fail)


def nginx():
    port = servers.unused_port()
    upstream = "".join(
        f"server 127.0.0.1:{server.port} max_fails=1 fail_timeout=1s; " for server in group)
    path = write("nginx.conf", f"""
        daemon off; pid {folder}/nginx.pid; worker_processes 2; error_log {folder}/nginx.log;
        events {{ worker_connections 256; }}
        http {{
            access_log off;
            client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
            fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi;
            scgi_temp_path {folder}/scgi;
            # The client meets GOAWAY all the time.
            keepalive_requests 100;
            upstream servers {{ {upstream} }}
            server {{
                listen 127.0.0.1:{port} http2;
                location / {{ grpc_pass grpc://servers; }}
            }}
        }}""")
    daemon = Daemon(port, ["nginx", "-p", folder, "-c", path], f"{folder}/nginx.out")

    def reload(_):
        for _ in range(3):
            time.sleep(0.5)
            subprocess.run(["nginx", "-p", folder, "-c", path, "-s", "reload"], check=True)

    behind("nginx", port, reload)
    daemon.stop()


def haproxy():
    port = servers.unused_port()
    lines = "\n".join(
        f"    server s{server.port} 127.0.0.1:{server.port} proto h2 check inter 100ms"
        for server in group)
    path = write("haproxy.cfg", f"""
global
    maxconn 500
defaults
    mode http
    timeout connect 2s
    timeout client 60s
    timeout server 60s
frontend grpc
    bind 127.0.0.1:{port} proto h2
    default_backend servers
backend servers
    balance roundrobin
{lines}
""")
    daemon = Daemon(port, ["haproxy", "-W", "-f", path], f"{folder}/haproxy.out")

    def reload(_):
        for _ in range(3):
            time.sleep(0.5)
            daemon.process.send_signal(12)

    behind("HAProxy", port, reload)
    daemon.stop()


def envoy():
    port = servers.unused_port()
    endpoints = [
        {"endpoint": {"address": address(server.port)}} for server in group]
    http2 = {"explicit_http_config": {"http2_protocol_options": {}}}
    manager = {
        "@type": EXTENSIONS + "filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "grpc", "codec_type": "HTTP2",
        # The client meets GOAWAY all the time.
        "common_http_protocol_options": {"max_requests_per_connection": 100},
        "route_config": {"virtual_hosts": [{
            "name": "all", "domains": ["*"],
            "routes": [{"match": {"prefix": "/"}, "route": {"cluster": "servers", "timeout": "0s"}}],
        }]},
        "http_filters": [{
            "name": "router",
            "typed_config": {"@type": EXTENSIONS + "filters.http.router.v3.Router"},
        }],
    }
    path = write("envoy.json", json.dumps({"static_resources": {
        "listeners": [{
            "name": "grpc", "address": address(port),
            "filter_chains": [{"filters": [{"name": "http", "typed_config": manager}]}],
        }],
        "clusters": [{
            "name": "servers", "type": "STATIC", "lb_policy": "ROUND_ROBIN",
            "health_checks": [{
                "timeout": "0.1s", "interval": "0.1s", "no_traffic_interval": "0.1s",
                "unhealthy_threshold": 1, "healthy_threshold": 1, "tcp_health_check": {}}],
            "typed_extension_protocol_options": {
                "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
                    "@type": EXTENSIONS + "upstreams.http.v3.HttpProtocolOptions", **http2}},
            "load_assignment": {
                "cluster_name": "servers", "endpoints": [{"lb_endpoints": endpoints}]},
        }],
    }}))
    command = [shutil.which("envoy"), "-c", path, "--concurrency", "2", "--disable-hot-restart",
               "--log-level", "warning"]
    daemon = Daemon(port, command, f"{folder}/envoy.out")

    def restart(_):
        time.sleep(0.5)
        daemon.stop()
        daemon.start()

    behind("Envoy", port, restart, {14})
    daemon.stop()


def address(port):
    return {"socket_address": {"address": "127.0.0.1", "port_value": port}}


def through(name, scheme, make):
    """Calls a server through a proxy that `make` starts, with a user and a password."""
    target = f"127.0.0.1:{group[1].port}"
    port = servers.unused_port()
    daemon = make(port)
    right = {"grpc.http_proxy": f"{scheme}://ada:secret@127.0.0.1:{port}",
             "grpc.initial_reconnect_backoff_ms": 100, "grpc.max_reconnect_backoff_ms": 200}
    wrong = {"grpc.http_proxy": f"{scheme}://ada:wrong@127.0.0.1:{port}"}
    reached = all_right(f"{name}: calls", target, right)
    check(f"{name}: calls reach the server", set(reached) == {"B"}, str(set(reached)))
    all_right(f"{name}: streams of 20 messages of 10 KB", target, right, 20, more=20, bytes=10_000)
    request, call = script([OK])
    outcome = client.run(target, [{"do": "calls", "requests": [request]}], wrong)[0][0]
    check(f"{name}: a wrong password", outcome["code"] == 14 and not ARRIVALS.of(call),
          f"code {outcome['code']}: {outcome['message']}")
    lost = f"127.0.0.1:{servers.unused_port()}"
    outcome = client.run(lost, [{"do": "calls", "requests": [request]}], right)[0][0]
    check(f"{name}: no server behind it", outcome["code"] == 14,
          f"code {outcome['code']}: {outcome['message']}")

    def restart(_):
        time.sleep(0.5)
        daemon.stop()
        time.sleep(1)
        daemon.start()

    # Calls fail while there is no way to the server.
    under_load(f"{name}: the proxy goes away and comes back", target, right, restart, {14})
    daemon.stop()


def tinyproxy(port):
    path = write("tinyproxy.conf", f"""
Port {port}
Listen 127.0.0.1
Timeout 600
LogFile "{folder}/tinyproxy.log"
MaxClients 100
BasicAuth ada secret
""")
    return Daemon(port, ["tinyproxy", "-d", "-c", path], f"{folder}/tinyproxy.out")


def microsocks(port):
    command = ["microsocks", "-i", "127.0.0.1", "-p", str(port), "-u", "ada", "-P", "secret"]
    return Daemon(port, command, f"{folder}/microsocks.out")


for name, run in (
        ("nginx", nginx), ("haproxy", haproxy), ("envoy", envoy),
        ("tinyproxy", lambda: through("tinyproxy", "http", tinyproxy)),
        ("microsocks", lambda: through("microsocks", "socks5", microsocks))):
    if shutil.which(name):
        run()
    else:
        print(f"skipped {name}: it is not installed", flush=True)
if client.end() != 0:
    failures.append("the client failed")
for failure in failures:
    print(f"FAILED {failure}", file=sys.stderr)
sys.stdout.flush()
# Threads of servers that still wait do not hold the process.
os._exit(1 if failures else 0)
