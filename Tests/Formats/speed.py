"""Measures messages with a schema at run time beside Python's protobuf, which is upb.

    speed.py DESCRIPTORS PROGRAM

Both decode the same bytes, decode them and read every field, and encode the message. The figures are
nanoseconds for a message.
"""

import subprocess
import sys
import tempfile
import time

from google.protobuf import descriptor_pb2
from google.protobuf.internal import api_implementation

import formats3_pb2
import requests_pb2


def nanoseconds(count, body):
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter_ns()
        for _ in range(count):
            body()
        best = min(best, time.perf_counter_ns() - start)
    return best / count


def value_count(message):
    """How many values a message has, those of messages inside it included."""
    count = 0
    for field, value in message.ListFields():
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            values = [value[key] for key in value]
            is_message = field.message_type.fields_by_name["value"].message_type is not None
        else:
            values = value if field.is_repeated else [value]
            is_message = field.message_type is not None
        count += sum(map(value_count, values)) if is_message else sum(1 for _ in values)
    return count


def messages():
    tiny = requests_pb2.ConformanceRequest(message_type="hello")
    yield "one string", tiny, 100000
    yield "1 KiB of bytes", requests_pb2.ConformanceRequest(protobuf_payload=bytes(1024)), 100000
    every = formats3_pb2.Three(
        a_bool=True, an_int32=-5, an_int64=2**40, a_uint32=7, a_sint64=-9, a_fixed32=1, a_double=1.5,
        a_string="a string", some_bytes=b"bytes", maybe_int32=1, choice_text="text")
    yield "eleven scalars", every, 30000
    lists = formats3_pb2.Three(int64s=range(200), doubles=[0.5] * 200, strings=["word"] * 50)
    yield "lists of 450", lists, 10000
    nested = formats3_pb2.Three()
    for index in range(50):
        child = nested.children.add(an_int32=index, a_string=f"child {index}")
        child.child.open = 1
    for index in range(20):
        nested.by_string[f"key {index}"] = index
        nested.by_int32[index].a_uint64 = index
    yield "messages and maps", nested, 3000
    file = descriptor_pb2.FileDescriptorProto()
    descriptor_pb2.DESCRIPTOR.CopyToProto(file)
    yield "descriptor.proto", file, 500


def main():
    descriptors, program = sys.argv[1:]
    print(f"Python's implementation: {api_implementation.Type()}")
    print("| message | bytes | decode | upb | times | and read | upb | times | encode | upb | times |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, message, count in messages():
        data = message.SerializeToString()
        kind = type(message)
        theirs = (nanoseconds(count, lambda: kind.FromString(data)),
                  nanoseconds(max(count // 10, 10), lambda: value_count(kind.FromString(data))),
                  nanoseconds(count, message.SerializeToString))
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            output = subprocess.run(
                [program, descriptors, message.DESCRIPTOR.full_name, file.name, str(count)],
                stdout=subprocess.PIPE, check=True, text=True).stdout
        ours = [float(word) for word in output.split()]
        columns = [f"{our:,.0f} | {their:,.0f} | {our / their:.1f}"
                   for our, their in zip(ours, theirs)]
        print(f"| {name} | {len(data):,} | {' | '.join(columns)} |")


main()
