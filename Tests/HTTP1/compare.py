"""Compares what the client gets from servers that others wrote with what curl gets from them, has curl
call the test library's server, and soaks the client: compare.py PROGRAM FOLDER SECONDS.

A server that is not installed is skipped by its name. A run without a comparison fails."""

import base64
import gzip
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time

program, folder, seconds = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
certificates = os.path.join(here, "..", "Certificates")
authorities = os.path.join(certificates, "ca.pem")
servers = []
counts = {"compared": 0, "failed": 0}

# What belongs to the connection, or changes from one answer to the next.
NOT_COMPARED = {"date", "connection", "keep-alive", "transfer-encoding", "trailer"}


def request(path, method="GET", headers=None, body=b"", version="http1"):
    return {
        "path": path, "method": method, "headers": headers or {}, "body": body, "version": version
    }


def start(*command, **options):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, **options)
    servers.append(process)
    return process


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(port, process):
    for _ in range(600):
        if process.poll() is not None:
            sys.exit(f"FAILED {process.args[0]} ended with {process.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"FAILED {process.args[0]} does not listen")


def file(*path):
    return os.path.join(folder, *path)


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as output:
        output.write(content)


def report(name, problem):
    counts["compared"] += 1
    if problem:
        counts["failed"] += 1
    print(f"FAILED {name}: {problem}" if problem else f"ok     {name}", flush=True)


# MARK: - The same requests by curl and by the client


def by_curl(base, one):
    head, body, sent = file("head"), file("body"), file("sent")
    for path in (head, body):
        write(path, b"")
    write(sent, one["body"])
    command = ["curl", "-s", "--max-time", "30", "--cacert", authorities, "-D", head, "-o", body]
    command.append("--http2" if one["version"] != "http1" else "--http1.1")
    command += ["--head"] if one["method"] == "HEAD" else ["-X", one["method"]]
    headers = {"accept": "*/*", **one["headers"]}
    if one["body"]:
        command += ["--data-binary", "@" + sent]
        headers.setdefault("content-type", "")
        headers.setdefault("expect", "")
    for name, value in headers.items():
        command += ["-H", f"{name}: {value}" if value else f"{name}:"]
    code = subprocess.run([*command, base + one["path"]]).returncode
    with open(head, "rb") as lines:
        blocks = lines.read().replace(b"\r", b"").split(b"\n\n")
    # The last head that is not of an interim answer. Trailers stand behind it.
    finals = [b for b in blocks if re.match(rb"HTTP/[0-9.]+ [2-5]", b)]
    if not finals:
        return {"status": 0, "headers": [], "body": b"", "error": f"curl ended with {code}"}
    lines = finals[-1].decode("latin-1").split("\n")
    fields = [line.partition(":") for line in lines[1:] if line]
    if one["method"] == "HEAD":
        # curl shows the head in its place.
        write(body, b"")
    with open(body, "rb") as content:
        return {
            "status": int(lines[0].split()[1]),
            "headers": compared([name, value.strip()] for name, _, value in fields),
            "body": content.read(), "error": "",
        }


def compared(fields):
    return sorted((n.lower(), v) for n, v in fields if n.lower() not in NOT_COMPARED)


def by_client(base, requests):
    write(file("requests.json"), json.dumps([
        {
            "url": base + one["path"], "method": one["method"], "headers": one["headers"],
            "body": base64.b64encode(one["body"]).decode(), "version": one["version"],
        } for one in requests
    ]).encode())
    output = subprocess.run(
        [program, "requests", file("requests.json"), authorities], stdout=subprocess.PIPE,
        timeout=120, check=True).stdout
    return [
        {
            "status": one["status"], "headers": compared(one["headers"]),
            "body": base64.b64decode(one["body"]), "error": one["error"],
        } for one in json.loads(output)
    ]


def difference(expected, actual):
    if actual["error"]:
        return actual["error"]
    if expected["error"]:
        return expected["error"]
    for part in ("status", "headers"):
        if expected[part] != actual[part]:
            return f"{part}: curl got {expected[part]}, the client {actual[part]}"
    if expected["body"] != actual["body"]:
        return f"body: {len(expected['body'])} and {len(actual['body'])} bytes that differ"
    return None


def compare(server, base, requests, check=lambda one, answer: None):
    answers = by_client(base, requests)
    if len(answers) != len(requests):
        sys.exit(f"FAILED {server}: {len(answers)} answers to {len(requests)} requests")
    for one, answer in zip(requests, answers):
        name = f"{server}: {one['method']} {one['path']} {one['version']}"
        report(name, difference(by_curl(base, one), answer) or check(one, answer))


# MARK: - nginx

NGINX = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
events {{ worker_connections 512; }}
http {{
  access_log off; default_type application/octet-stream; root {folder}/www;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5; client_max_body_size 1m;
  ssl_certificate {certificates}/server.pem; ssl_certificate_key {certificates}/server.key;
  gzip on; gzip_min_length 100; gzip_types *; gzip_http_version 1.0;
  server {{
    listen 127.0.0.1:{plain}; listen 127.0.0.1:{tls} ssl;
    location /ssi/ {{ ssi on; ssi_types *; }}
    location /empty {{ return 204; }}
    location /moved {{ return 301 /sized.txt; }}
    location /other {{ return 307 https://example.invalid/; }}
    location /said {{ return 200 "said\\n"; }}
    location /broken {{ return 500 "broken\\n"; }}
    location /closed {{ keepalive_timeout 0; return 200 "closed\\n"; }}
    location /cookies {{
      add_header Set-Cookie "a=1"; add_header Set-Cookie "b=2"; return 200 "two\\n";
    }}
  }}
  server {{ listen 127.0.0.1:{limited}; keepalive_requests 3; }}
  server {{ listen 127.0.0.1:{h2} ssl http2; }}
}}
"""


def nginx():
    path = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if not path:
        return skip("nginx", "it is not installed")
    ports = {name: free_port() for name in ("plain", "tls", "limited", "h2")}
    write(file("www", "sized.txt"), b"sized\n")
    write(file("www", "none.txt"), b"")
    write(file("www", "large.bin"), bytes(i * 7 & 0xFF for i in range(3_000_000)))
    write(file("www", "text.txt"), b"0123456789" * 10_000)
    write(file("www", "ssi", "page.txt"), b'before <!--# echo var="uri" --> behind\n' * 500)
    write(file("nginx.conf"), NGINX.format(
        folder=folder, certificates=os.path.abspath(certificates), **ports).encode())
    os.chmod(folder, 0o755)
    process = start(path, "-p", folder, "-c", file("nginx.conf"))
    wait_for(ports["plain"], process)
    cold = [
        request("/sized.txt"), request("/none.txt"), request("/large.bin"),
        request("/ssi/page.txt"), request("/sized.txt", "HEAD"), request("/ssi/page.txt", "HEAD"),
        request("/empty"), request("/empty", "HEAD"), request("/moved"), request("/other"),
        request("/broken"), request("/missing"), request("/cookies"), request("/closed"),
        request("/sized.txt"),
        request("/sized.txt", headers={"if-modified-since": "Fri, 01 Jan 2100 00:00:00 GMT"}),
        request("/large.bin", headers={"range": "bytes=100-199"}),
        request("/text.txt", headers={"accept-encoding": "gzip"}),
        request("/text.txt", "HEAD", headers={"accept-encoding": "gzip"}),
        request("/said", "POST", body=b"x" * 100_000),
        request("/said", "POST", headers={"expect": "100-continue"}, body=b"y" * 1_000),
        request("/said", "PUT", body=b"z"), request("/sized.txt", "DELETE"),
        request("/sized.txt", "POST", body=b"not allowed here"),
        request("/said", "POST", body=b"w" * 2_000_000),
        request("/sized.txt"),
    ]

    def unpacked(one, answer):
        if dict(answer["headers"]).get("content-encoding") != "gzip" or one["method"] == "HEAD":
            return None
        return None if gzip.decompress(answer["body"]) == b"0123456789" * 10_000 else "other text"

    compare("nginx", f"http://127.0.0.1:{ports['plain']}", cold, unpacked)
    compare("nginx over TLS", f"https://localhost:{ports['tls']}", cold, unpacked)
    compare("nginx, ALPN without h2", f"https://localhost:{ports['tls']}", [
        {**one, "version": "negotiated"} for one in cold[:4]
    ])
    compare("nginx, ALPN with h2", f"https://localhost:{ports['h2']}", [
        request(path, method, version=version)
        for version in ("negotiated", "http2", "http1")
        for path, method in (("/sized.txt", "GET"), ("/large.bin", "GET"), ("/sized.txt", "HEAD"))
    ])
    # Three requests to a connection.
    compare("nginx, keepalive_requests 3", f"http://127.0.0.1:{ports['limited']}", [
        request("/sized.txt", method) for method in ("GET", "HEAD", "GET") for _ in range(4)
    ])


# MARK: - Python


def python():
    for protocol in ("HTTP/1.0", "HTTP/1.1"):
        port = free_port()
        write(file("python", "page.html"), b"<p>page</p>\n" * 5_000)
        write(file("python", "sub", "a.txt"), b"a")
        process = start(
            sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "--protocol",
            protocol, "--directory", file("python"), stderr=subprocess.DEVNULL)
        wait_for(port, process)
        compare(f"http.server {protocol}", f"http://127.0.0.1:{port}", [
            request("/page.html"), request("/page.html", "HEAD"), request("/"),
            request("/sub"), request("/missing"), request("/sub/a.txt"),
            request("/page.html", "DELETE"),
            request("/page.html", headers={"if-modified-since": "Fri, 01 Jan 2100 00:00:00 GMT"}),
            request("/page.html"),
        ])


# MARK: - Go


def go():
    path = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if not path:
        return skip("Go's net/http", "there is no Go")
    # Kept for the next time; built from the source as it is now.
    binary = os.path.join(os.path.dirname(folder), "go-server")
    environment = {
        **os.environ, "GO111MODULE": "off", "GOFLAGS": "", "GOTOOLCHAIN": "local",
        "GOCACHE": os.path.join(os.path.dirname(os.path.abspath(folder)), "go-cache"),
    }
    subprocess.run(
        [path, "build", "-o", binary, os.path.join(here, "server.go")], check=True, timeout=600,
        env=environment)
    address = start(binary).stdout.readline().decode().strip()
    base = f"http://{address}"
    compare("net/http", base, [
        request("/sized"), request("/sized", "HEAD"), request("/chunked"),
        request("/chunked", "HEAD"), request("/trailers"), request("/early"),
        request("/close"), request("/echo"), request("/gzip"), request("/redirect"),
        request("/redirect", "POST", body=b"stays here"),
        request("/status/204"), request("/status/304"), request("/status/503"),
        request("/missing"), request("/echo?a=b%20c&d"), request("/echo", "OPTIONS"),
        *[request("/echo", m, body=m.encode()) for m in ("POST", "PUT", "PATCH", "DELETE", "REPORT")],
        request("/echo", "POST", headers={"expect": "100-continue"}, body=b"x" * 300_000),
        request("/echo", "POST", body=bytes(i * 7 & 0xFF for i in range(3_000_000))),
        request("/unread", "POST", body=b"x" * 100_000), request("/echo", "POST", body=b"after"),
    ])
    soak(base)


def soak(base):
    output = subprocess.run(
        [program, "soak", base + "/restless", seconds, "24"], stdout=subprocess.PIPE,
        timeout=int(seconds) + 120)
    print(output.stdout.decode(), end="")
    is_done = output.returncode == 0 and output.stdout.endswith(b"done\n")
    report(f"net/http: {seconds} s of soak", None if is_done else "see above")


# MARK: - curl as the client


def curl_as_client():
    process = start(program, "serve", stdin=subprocess.PIPE)
    base = "http://" + process.stdout.readline().decode().strip()
    large = bytes(i * 7 & 0xFF for i in range(3_000_000))
    write(file("large"), large)

    def check(name, expected, *words, status=200, head=b""):
        command = ["curl", "-s", "--max-time", "30", "-D", file("head"), "-w", "%{http_code}"]
        result = subprocess.run([*command, "-o", file("body"), *words], stdout=subprocess.PIPE)
        with open(file("head"), "rb") as fields, open(file("body"), "rb") as content:
            fields, content = fields.read(), content.read()
        problem = None
        if result.returncode or int(result.stdout[-3:]) != status:
            problem = f"curl ended with {result.returncode}, status {result.stdout}"
        elif expected is not None and content != expected:
            problem = f"{len(content)} bytes instead of {len(expected)}"
        elif head not in fields:
            problem = f"no {head} in {fields}"
        report(f"curl: {name}", problem)

    echo = base + "/echo"
    check("GET", b"", "--http1.1", echo + "?a=b", head=b"x-path: /echo?a=b")
    check("POST with a length", b"abc", "--http1.1", "-d", "abc", echo, head=b"x-method: POST")
    check("POST in chunks", large, "--http1.1", "-H", "Transfer-Encoding: chunked",
          "--data-binary", "@" + file("large"), echo)
    check("PUT that waits for 100", large, "--http1.1", "-H", "Expect: 100-continue", "-T",
          file("large"), echo, head=b"HTTP/1.1 100")
    check("another expectation", b"the expectation 'x' is unknown", "--http1.1", "-H",
          "Expect: x", "-d", "abc", echo, status=417)
    # curl shows the head in place of the body.
    check("HEAD", None, "--http1.1", "--head", base + "/large",
          head=b"content-length: 3000000")
    check("HTTP/1.0", b"abc", "-0", "-d", "abc", echo, head=b"connection: close")
    check("a large body", large, "--http1.1", base + "/large")
    check("compressed", b"abc", "--http1.1", "--compressed", "-d", "abc", echo)
    check("an unknown path", b"there is no handler for this path", "--http1.1", base + "/none",
          status=404)
    for code in (204, 304):
        check(f"status {code}", b"", "--http1.1", f"{base}/status?{code}", status=code)
    check("HTTP/2 with prior knowledge", b"abc", "--http2-prior-knowledge", "-d", "abc", echo)
    check("HTTP/2 by upgrade stays HTTP/1.1", b"abc", "--http2", "-d", "abc", echo,
          head=b"HTTP/1.1 200")
    check("a kept connection", b"b", "--http1.1", "-d", "a", echo, "-o", file("first"), "--next",
          "-s", "-d", "b", "-D", file("head"), "-w", "%{num_connects}%{http_code}", "-o",
          file("body"), echo)
    parallel = subprocess.run(
        ["curl", "-s", "-Z", "--parallel-max", "20", "--max-time", "60", "--http1.1"]
        + [word for number in range(100) for word in ("-o", "/dev/null", f"{echo}?{number}")]
        + ["-w", "%{http_code}\n"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    answers = parallel.stdout.split()
    report("curl: 100 requests, 20 at once",
           None if answers == [b"200"] * 100 else f"{len(answers)} answers: {set(answers)}")


def skip(name, reason):
    print(f"SKIPPED {name}: {reason}", flush=True)


try:
    if not shutil.which("curl"):
        sys.exit("FAILED curl is not installed, and there is nothing to compare with")
    curl_as_client()
    python()
    nginx()
    go()
finally:
    for process in servers:
        process.terminate()
if counts["compared"] == 0:
    sys.exit("FAILED nothing was compared")
if counts["failed"]:
    sys.exit(f"{counts['failed']} of {counts['compared']} comparisons failed")
print(f"{counts['compared']} comparisons")
