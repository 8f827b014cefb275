"""Calls the library's own test server with PyPI's grpcio: all four shapes of call.

usage: client.py GENERATED TARGET
"""
import sys

sys.path.insert(0, sys.argv[1])

import grpc
import helloworld_pb2
import helloworld_pb2_grpc
import routeguide_pb2
import routeguide_pb2_grpc

with grpc.insecure_channel(sys.argv[2]) as channel:
    greeter = helloworld_pb2_grpc.GreeterStub(channel)
    for index in range(200):
        reply = greeter.SayHello(helloworld_pb2.HelloRequest(name=f"{index}"), timeout=10)
        assert reply.message == f"Hello {index}", reply
    big = "x" * 3_000_000
    assert greeter.SayHello(helloworld_pb2.HelloRequest(name=big), timeout=10).message == f"Hello {big}"

    guide = routeguide_pb2_grpc.RouteGuideStub(channel)
    area = routeguide_pb2.Rectangle(
        lo=routeguide_pb2.Point(latitude=400000000, longitude=-750000000),
        hi=routeguide_pb2.Point(latitude=420000000, longitude=-730000000))
    assert len(list(guide.ListFeatures(area, timeout=10))) == 4
    points = (routeguide_pb2.Point(latitude=i, longitude=i) for i in range(1000))
    assert guide.RecordRoute(points, timeout=10).point_count == 1000
    notes = [routeguide_pb2.RouteNote(message=str(i)) for i in range(3)]
    assert [n.message for n in guide.RouteChat(iter(notes), timeout=10)] == ["0", "0", "1"]

    unknown = channel.unary_unary("/helloworld.Greeter/NoSuchMethod")
    try:
        unknown(b"", timeout=10)
        raise AssertionError("a method that is not there answered")
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.UNIMPLEMENTED, error
print("grpcio's client against the loopback server: ok")
