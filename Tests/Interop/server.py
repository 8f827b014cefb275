"""The example services on PyPI's grpcio, for the client to be tried against.

usage: server.py GENERATED [--certificate FILE --key FILE]

GENERATED is the folder with the code that grpc_tools made from Protos/. Prints the port.
"""
import argparse
import os
import sys
import time
from concurrent import futures

parser = argparse.ArgumentParser()
parser.add_argument("generated")
parser.add_argument("--certificate")
parser.add_argument("--key")
arguments = parser.parse_args()
sys.path.insert(0, arguments.generated)

import grpc
import helloworld_pb2
import helloworld_pb2_grpc
import routeguide_pb2
import routeguide_pb2_grpc

PLACE = routeguide_pb2.Point(latitude=407838351, longitude=-746143763)


class Greeter(helloworld_pb2_grpc.GreeterServicer):
    def SayHello(self, request, context):
        if request.name == "fail":
            context.set_trailing_metadata((("x-why", "asked for"), ("x-why-bin", b"\xab\xab")))
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, "asked to fail: 100 % ☺")
        if request.name == "sleep":
            time.sleep(5)
        return helloworld_pb2.HelloReply(message=f"Hello {request.name}")


class RouteGuide(routeguide_pb2_grpc.RouteGuideServicer):
    def GetFeature(self, request, context):
        return routeguide_pb2.Feature(name="somewhere", location=request)

    def ListFeatures(self, request, context):
        for index in range(1000):
            yield routeguide_pb2.Feature(name=f"feature {index}", location=PLACE)

    def RecordRoute(self, request_iterator, context):
        count = sum(1 for _ in request_iterator)
        return routeguide_pb2.RouteSummary(point_count=count)

    def RouteChat(self, request_iterator, context):
        for note in request_iterator:
            yield note


server = grpc.server(futures.ThreadPoolExecutor(max_workers=8))
helloworld_pb2_grpc.add_GreeterServicer_to_server(Greeter(), server)
routeguide_pb2_grpc.add_RouteGuideServicer_to_server(RouteGuide(), server)
if arguments.certificate:
    with open(arguments.key, "rb") as key, open(arguments.certificate, "rb") as certificate:
        credentials = grpc.ssl_server_credentials([(key.read(), certificate.read())])
    port = server.add_secure_port("127.0.0.1:0", credentials)
else:
    port = server.add_insecure_port("127.0.0.1:0")
server.start()
print(port, flush=True)
try:
    # The parent closes our standard input when it is done.
    sys.stdin.read()
finally:
    server.stop(0)
