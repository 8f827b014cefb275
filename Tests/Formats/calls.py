"""Compares what `swiftlet call` prints with Python's json_format and text_format.

The messages are random, and come from a server of grpcio with reflection. Usage:
calls.py COUNT SEED SWIFTLET
"""

import concurrent.futures
import json
import random
import subprocess
import sys

import grpc
from google.protobuf import json_format, text_format
from grpc_reflection.v1alpha import reflection

import calls_pb2
import calls_pb2_grpc
import compare
import formats2_pb2
import formats3_pb2

SERVICE = calls_pb2.DESCRIPTOR.services_by_name["Messages"].full_name


class Messages(calls_pb2_grpc.MessagesServicer):
    def __init__(self, threes, twos):
        self.threes, self.twos, self.received = threes, twos, []

    def GetThree(self, request, context):
        return self.threes[request.first]

    def GetThrees(self, request, context):
        yield from self.threes[request.first : request.first + request.count]

    def GetTwos(self, request, context):
        yield from self.twos[request.first : request.first + request.count]

    def EchoThrees(self, requests, context):
        for request in requests:
            self.received.append(request)
            yield request


def made(kind, count):
    messages = [kind() for _ in range(count)]
    for message in messages:
        compare.fill(message, 3)
    return messages


class Caller:
    def __init__(self, program, address):
        self.program, self.address = program, address

    def call(self, method, *options, data):
        run = subprocess.run(
            [self.program, "call", self.address, f"{SERVICE}/{method}", "-d", "@", *options],
            input=data.encode(), capture_output=True, timeout=300)
        if run.returncode != 0:
            sys.exit(f"FAILED {method} {options}: status {run.returncode}: {run.stderr.decode()}")
        return run.stdout.decode()


def split(text):
    """The JSON values of a text, which follow one another."""
    decoder, start, values = json.JSONDecoder(), 0, []
    while start < len(text):
        value, start = decoder.raw_decode(text, start)
        values.append(value)
        # A newline follows each.
        start += 1
    return values


def check_json(printed, messages, **options):
    values = split(printed)
    if len(values) != len(messages):
        sys.exit(f"FAILED {len(values)} messages were printed, and {len(messages)} sent")
    for value, message in zip(values, messages):
        theirs = json.loads(json_format.MessageToJson(message, **options))
        compare.check(compare.same_json(value, theirs), f"JSON unlike {theirs}", message, value)


def check_text(printed, messages):
    texts = printed.split("\x1e\n")
    if texts.pop() or len(texts) != len(messages):
        sys.exit(f"FAILED {len(texts)} texts were printed, and {len(messages)} messages sent")
    for text, message in zip(texts, messages):
        read = text_format.Parse(text, type(message)())
        compare.check(
            compare.encoded(read) == compare.encoded(message), "another text", message, text)


def run(caller, service):
    threes, twos = service.threes, service.twos
    everything = json.dumps({"count": len(threes)})
    check_json(caller.call("GetThrees", data=everything), threes)
    check_json(caller.call("GetTwos", data=everything), twos)
    check_json(
        caller.call("GetThrees", "--emit-defaults", data=everything), threes,
        always_print_fields_with_no_presence=True)
    check_json(
        caller.call("GetTwos", "--emit-defaults", data=everything), twos,
        always_print_fields_with_no_presence=True)
    for index in range(5):
        check_json(caller.call("GetThree", data=json.dumps({"first": index})), [threes[index]])
    text = f"count: {len(threes)}"
    check_text(caller.call("GetThrees", "--format", "text", data=text), threes)
    check_text(caller.call("GetTwos", "--format", "text", data=text), twos)

    sent = [json_format.MessageToJson(message) for message in threes]
    check_json(caller.call("EchoThrees", data="\n".join(sent)), threes)
    if len(service.received) != len(threes):
        sys.exit(f"FAILED the server received {len(service.received)} of {len(threes)} messages")
    for text, message, received in zip(sent, threes, service.received):
        expected = json_format.Parse(text, formats3_pb2.Three())
        compare.check(
            compare.encoded(received) == compare.encoded(expected),
            f"another message was sent for {text}", message, received)


def main():
    count, seed, program = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    random.seed(seed)
    service = Messages(made(formats3_pb2.Three, count), made(formats2_pb2.Two, count))
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(4))
    calls_pb2_grpc.add_MessagesServicer_to_server(service, server)
    reflection.enable_server_reflection([SERVICE, reflection.SERVICE_NAME], server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    run(Caller(program, f"127.0.0.1:{port}"), service)
    server.stop(0)
    print(f"ok     {2 * count} random messages of a grpcio server, seed {seed}")


main()
