"""The unary call and the endless stream of gRPC's benchmark service on PyPI's grpcio, for long runs of
many streams beside unary calls. Needs no generated code.

usage: benchmark_server.py [--certificate FILE --key FILE]

Prints the port. Each stream occupies a thread, so it serves up to 200 streams at a time.
"""
import argparse
from concurrent import futures

import grpc

parser = argparse.ArgumentParser()
parser.add_argument("--certificate")
parser.add_argument("--key")
arguments = parser.parse_args()


def varint(value):
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def read_varint(request, index):
    value = shift = 0
    while True:
        value |= (request[index] & 0x7F) << shift
        index += 1
        if request[index - 1] < 0x80:
            return value, index
        shift += 7


def response_size(request):
    """Field 2 of a SimpleRequest, whose other fields are numbers or have a length."""
    index = size = 0
    while index < len(request):
        tag, index = read_varint(request, index)
        value, index = read_varint(request, index)
        if tag & 7 == 2:
            index += value
        elif tag == 2 << 3:
            size = value
    return size


def response(request):
    """A SimpleResponse with a payload of the size that the request asks for."""
    body = bytes(response_size(request))
    payload = b"\x12" + varint(len(body)) + body
    return b"\x0a" + varint(len(payload)) + payload


def stream(request, context):
    encoded = response(request)
    while context.is_active():
        yield encoded


server = grpc.server(futures.ThreadPoolExecutor(max_workers=216))
server.add_generic_rpc_handlers((
    grpc.method_handlers_generic_handler("grpc.testing.BenchmarkService", {
        "UnaryCall": grpc.unary_unary_rpc_method_handler(lambda request, _: response(request)),
        "StreamingFromServer": grpc.unary_stream_rpc_method_handler(stream),
    }),))
if arguments.certificate:
    with open(arguments.key, "rb") as key, open(arguments.certificate, "rb") as certificate:
        credentials = grpc.ssl_server_credentials([(key.read(), certificate.read())])
    port = server.add_secure_port("127.0.0.1:0", credentials)
else:
    port = server.add_insecure_port("127.0.0.1:0")
server.start()
print(port, flush=True)
server.wait_for_termination()
