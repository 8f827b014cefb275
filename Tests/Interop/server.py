"""The example services on PyPI's grpcio, for the client to be tried against.

usage: server.py GENERATED [--certificate FILE --key FILE]

GENERATED is the folder with the code that grpc_tools made from Protos/. Listens on the port in the
variable PORT, or on any. Prints the port.
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

# Code made from grpc/testing/*.proto lies in a package of the same name as grpcio's.
grpc.__path__.append(os.path.join(arguments.generated, "grpc"))

import helloworld_pb2
import helloworld_pb2_grpc
import routeguide_pb2
import routeguide_pb2_grpc
from grpc.testing import empty_pb2, messages_pb2, test_pb2_grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

PLACE = routeguide_pb2.Point(latitude=407838351, longitude=-746143763)


class Greeter(helloworld_pb2_grpc.GreeterServicer):
    def SayHello(self, request, context):
        if request.name == "fail":
            context.set_trailing_metadata((("x-why", "asked for"), ("x-why-bin", b"\xab\xab")))
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, "asked to fail: 100 % ☺")
        if request.name == "sleep":
            time.sleep(5)
        if request.name == "trace":
            sent = dict(context.invocation_metadata())
            return helloworld_pb2.HelloReply(message=sent.get("traceparent", "none"))
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


def echo_metadata(context):
    for name, value in context.invocation_metadata():
        if name == "x-grpc-test-echo-initial":
            context.send_initial_metadata(((name, value),))
        if name == "x-grpc-test-echo-trailing-bin":
            context.set_trailing_metadata(((name, value),))


def echo_status(request, context):
    if request.HasField("response_status") and request.response_status.code:
        code = next(
            each for each in grpc.StatusCode if each.value[0] == request.response_status.code)
        context.abort(code, request.response_status.message)


def payload(size):
    return messages_pb2.Payload(body=bytes(size))


class TestService(test_pb2_grpc.TestServiceServicer):
    """As the interop test descriptions ask of a server, but for one thing: grpcio does not tell
    whether a request came compressed, so expectations of that are not looked at."""

    def EmptyCall(self, request, context):
        echo_metadata(context)
        return empty_pb2.Empty()

    def UnaryCall(self, request, context):
        if request.response_compressed.value:
            context.set_compression(grpc.Compression.Gzip)
        echo_metadata(context)
        echo_status(request, context)
        return messages_pb2.SimpleResponse(payload=payload(request.response_size))

    def StreamingInputCall(self, request_iterator, context):
        echo_metadata(context)
        size = sum(len(request.payload.body) for request in request_iterator)
        return messages_pb2.StreamingInputCallResponse(aggregated_payload_size=size)

    def StreamingOutputCall(self, request, context):
        if any(each.compressed.value for each in request.response_parameters):
            context.set_compression(grpc.Compression.Gzip)
        echo_metadata(context)
        yield from self.answers(request, context)

    def FullDuplexCall(self, request_iterator, context):
        echo_metadata(context)
        for request in request_iterator:
            yield from self.answers(request, context)

    def answers(self, request, context):
        for parameters in request.response_parameters:
            time.sleep(parameters.interval_us / 1e6)
            if not parameters.compressed.value:
                context.disable_next_message_compression()
            yield messages_pb2.StreamingOutputCallResponse(payload=payload(parameters.size))
        echo_status(request, context)


server = grpc.server(futures.ThreadPoolExecutor(max_workers=8))
helloworld_pb2_grpc.add_GreeterServicer_to_server(Greeter(), server)
routeguide_pb2_grpc.add_RouteGuideServicer_to_server(RouteGuide(), server)
test_pb2_grpc.add_TestServiceServicer_to_server(TestService(), server)
status = health.HealthServicer()
status.set("helloworld.Greeter", health_pb2.HealthCheckResponse.SERVING)
status.set("routeguide.RouteGuide", health_pb2.HealthCheckResponse.NOT_SERVING)
health_pb2_grpc.add_HealthServicer_to_server(status, server)
reflection.enable_server_reflection(
    ("helloworld.Greeter", "grpc.testing.TestService", reflection.SERVICE_NAME), server)
address = "127.0.0.1:" + os.environ.get("PORT", "0")
if arguments.certificate:
    with open(arguments.key, "rb") as key, open(arguments.certificate, "rb") as certificate:
        credentials = grpc.ssl_server_credentials([(key.read(), certificate.read())])
    port = server.add_secure_port(address, credentials)
else:
    port = server.add_insecure_port(address)
server.start()
print(port, flush=True)
try:
    # The parent closes our standard input when it is done.
    sys.stdin.read()
finally:
    server.stop(0)
