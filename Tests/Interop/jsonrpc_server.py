"""A JSON-RPC server of PyPI's jsonrpclib-pelix, which speaks HTTP/1. Prints its port, and serves until its
standard input ends.

  jsonrpc_server.py [HTTP/1.0 | HTTP/1.1]
"""

import sys
import threading

from jsonrpclib.SimpleJSONRPCServer import (
    PooledJSONRPCServer,
    SimpleJSONRPCRequestHandler,
)


class Handler(SimpleJSONRPCRequestHandler):
    protocol_version = sys.argv[1] if len(sys.argv) > 1 else "HTTP/1.1"
    rpc_paths = ()


def fail(*_):
    raise ValueError("asked to fail")


server = PooledJSONRPCServer(
    ("127.0.0.1", 0), requestHandler=Handler, logRequests=False
)
server.register_function(lambda a, b: a + b, "add")
server.register_function(lambda *words: list(words), "echo")
server.register_function(fail, "fail")
server.register_function(lambda *_: None, "note")
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
