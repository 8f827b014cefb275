"""Compares JSON and text of random messages with Python's json_format and text_format."""

import json
import math
import random
import struct
import subprocess
import sys

from google.protobuf import any_pb2, descriptor, json_format, text_format

import formats2_pb2
import formats3_pb2
import requests_pb2

FIELD = descriptor.FieldDescriptor
FORMATS = requests_pb2.WireFormat


class Swiftlet:
    """The program under test. It answers one request after another."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, message_type, output, **payload):
        request = requests_pb2.ConformanceRequest(
            message_type=message_type, requested_output_format=output, **payload)
        data = request.SerializeToString()
        self.process.stdin.write(struct.pack("<I", len(data)) + data)
        self.process.stdin.flush()
        (size,) = struct.unpack("<I", self.process.stdout.read(4))
        response = requests_pb2.ConformanceResponse.FromString(self.process.stdout.read(size))
        kind = response.WhichOneof("result")
        return kind, getattr(response, kind)

    def close(self):
        self.process.stdin.close()
        return self.process.wait(timeout=30)


# Random values.

TEXT = ["", "a", "é", "e\u0301", "😀", '"\\/', "\x00\x1f\x7f", "\u2028\n\t\r", "<&>'", "key.with[x]"]
DOUBLES = [0.0, -0.0, 1.0, 0.1, 1e300, 5e-324, 2.0**53, -1.5, 1e21, 123456789.125]


def number(bits, signed):
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return random.choice([low, high, 0, 1, random.randint(low, high)])


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def double():
    special = [math.inf, -math.inf, math.nan]
    return random.choice(DOUBLES + special + [random.uniform(-1e6, 1e6), random.gauss(0, 1e-9)])


def flt():
    value = double()
    return single(value) if abs(value) < 3e38 or not math.isfinite(value) else 0.5


def scalar(field):
    integers = {
        FIELD.TYPE_INT32: (32, True), FIELD.TYPE_SINT32: (32, True),
        FIELD.TYPE_SFIXED32: (32, True), FIELD.TYPE_INT64: (64, True),
        FIELD.TYPE_SINT64: (64, True), FIELD.TYPE_SFIXED64: (64, True),
        FIELD.TYPE_UINT32: (32, False), FIELD.TYPE_FIXED32: (32, False),
        FIELD.TYPE_UINT64: (64, False), FIELD.TYPE_FIXED64: (64, False),
    }
    if field.type in integers:
        return number(*integers[field.type])
    if field.type == FIELD.TYPE_BOOL:
        return random.random() < 0.5
    if field.type == FIELD.TYPE_DOUBLE:
        return double()
    if field.type == FIELD.TYPE_FLOAT:
        return flt()
    if field.type == FIELD.TYPE_STRING:
        return random.choice(TEXT) + random.choice(TEXT)
    if field.type == FIELD.TYPE_BYTES:
        return random.randbytes(random.randint(0, 7))
    numbers = [value.number for value in field.enum_type.values]
    is_open = field.enum_type.name == "Open"
    return random.choice(numbers + ([random.randint(-9, 99)] if is_open else []))


def plain(depth):
    """A value of plain JSON."""
    kind = random.randint(0, 5 if depth else 3)
    if kind == 4:
        return [plain(depth - 1) for _ in range(random.randint(0, 3))]
    if kind == 5:
        return {random.choice(TEXT): plain(depth - 1) for _ in range(random.randint(0, 3))}
    return [None, True, random.choice(TEXT), random.choice(DOUBLES)][kind]


def fill_well_known(message, depth):
    """Fills a message whose JSON has a form of its own. Returns false for an ordinary one."""
    name = message.DESCRIPTOR.full_name
    if name == "google.protobuf.Timestamp":
        message.seconds = random.choice(
            [-62135596800, 253402300799, 0, -1, random.randint(-62135596800, 253402300799)])
        message.nanos = random.choice([0, 1, 1000, 5000000, 999999999])
    elif name == "google.protobuf.Duration":
        sign = random.choice([-1, 1])
        message.seconds = sign * random.choice([0, 1, 315576000000, random.randint(0, 10**9)])
        limit = 0 if abs(message.seconds) == 315576000000 else 999999999
        message.nanos = sign * random.choice([0, min(1, limit), limit])
    elif name == "google.protobuf.FieldMask":
        paths = ["a", "foo_bar", "a.b_c.d", "x1_y"]
        message.paths.extend(random.sample(paths, random.randint(0, 3)))
    elif name == "google.protobuf.Struct":
        json_format.ParseDict({random.choice(TEXT): plain(depth) for _ in range(2)}, message)
    elif name == "google.protobuf.Value":
        json_format.ParseDict(plain(depth), message)
    elif name == "google.protobuf.ListValue":
        json_format.ParseDict([plain(depth) for _ in range(2)], message)
    elif name == "google.protobuf.Any":
        inner = random.choice([formats3_pb2.Three, formats2_pb2.Two])()
        fill(inner, min(depth, 1))
        message.Pack(inner)
    else:
        return False
    return True


def fill(message, depth):
    if fill_well_known(message, depth):
        return
    if isinstance(message, formats2_pb2.Two):
        message.id = random.randint(0, 5)
        if random.random() < 0.2:
            message.Extensions[formats2_pb2.note] = random.choice(TEXT)
            message.Extensions[formats2_pb2.codes].extend([1, 2**32 - 1])
        if random.random() < 0.1:
            message.Extensions[formats2_pb2.more].id = 4
    fields = list(message.DESCRIPTOR.fields)
    for field in random.sample(fields, random.randint(0, min(len(fields), 12))):
        is_message = field.message_type is not None
        if field.message_type and field.message_type.GetOptions().map_entry:
            fill_map(message, field, depth)
        elif field.is_repeated:
            values = getattr(message, field.name)
            for _ in range(random.randint(0, 3)):
                if not is_message:
                    values.append(scalar(field))
                elif depth > 0:
                    fill(values.add(), depth - 1)
        elif not is_message:
            setattr(message, field.name, scalar(field))
        elif depth > 0:
            child = getattr(message, field.name)
            child.SetInParent()
            fill(child, depth - 1)
            if field.message_type.full_name == "google.protobuf.Value":
                if child.WhichOneof("kind") is None:
                    child.null_value = 0


def fill_map(message, field, depth):
    key = field.message_type.fields_by_name["key"]
    value = field.message_type.fields_by_name["value"]
    for _ in range(random.randint(0, 3)):
        if value.message_type is None:
            getattr(message, field.name)[scalar(key)] = scalar(value)
        elif depth > 0:
            fill(getattr(message, field.name)[scalar(key)], depth - 1)


# Comparison.


def same_json(one, other):
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        # Python shortens a float to eight or nine digits in its own way.
        return one == other or math.isclose(one, other, rel_tol=1e-7)
    return one == other


def encoded(message):
    """Equal bytes are equal messages, also where a NaN is not equal to itself."""
    sort_any(message)
    return message.SerializeToString(deterministic=True)


def sort_any(message):
    """Encodes the contents of each Any again, with its maps sorted."""
    if isinstance(message, any_pb2.Any) and message.type_url:
        kind = formats2_pb2.Two if message.type_url.endswith("Two") else formats3_pb2.Three
        inner = kind.FromString(message.value)
        message.value = encoded(inner)
        return
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        if field.message_type.GetOptions().map_entry:
            if field.message_type.fields_by_name["value"].message_type is not None:
                for each in value.values():
                    sort_any(each)
        elif field.is_repeated:
            for each in value:
                sort_any(each)
        else:
            sort_any(value)


def check(condition, what, message, answer):
    if not condition:
        sys.exit(f"FAILED {what}\nmessage: {text_format.MessageToString(message)}\ngot: {answer}")


def compare(swiftlet, message):
    name = message.DESCRIPTOR.full_name
    kind = type(message)
    binary = message.SerializeToString()
    expected = encoded(kind.FromString(binary))

    outcome, answer = swiftlet.ask(name, FORMATS.PROTOBUF, protobuf_payload=binary)
    check(outcome == "protobuf_payload" and encoded(kind.FromString(answer)) == expected,
          "binary to binary", message, answer)

    outcome, answer = swiftlet.ask(name, FORMATS.JSON, protobuf_payload=binary)
    check(outcome == "json_payload", "binary to JSON", message, answer)
    theirs = json.loads(json_format.MessageToJson(message))
    check(same_json(json.loads(answer), theirs), "JSON unlike Python's", message, answer)
    check(encoded(json_format.Parse(answer, kind())) == expected,
          "Python reads other JSON", message, answer)

    ours = json_format.MessageToJson(message)
    outcome, answer = swiftlet.ask(name, FORMATS.PROTOBUF, json_payload=ours)
    check(outcome == "protobuf_payload", f"Python's JSON {ours}", message, answer)
    check(encoded(kind.FromString(answer)) == encoded(json_format.Parse(ours, kind())),
          f"another message from Python's JSON {ours}", message, answer)

    outcome, answer = swiftlet.ask(name, FORMATS.TEXT_FORMAT, protobuf_payload=binary)
    check(outcome == "text_payload", "binary to text", message, answer)
    check(encoded(text_format.Parse(answer, kind())) == expected,
          "Python reads other text", message, answer)

    text = text_format.MessageToString(message, as_one_line=random.random() < 0.5)
    outcome, answer = swiftlet.ask(name, FORMATS.PROTOBUF, text_payload=text)
    check(outcome == "protobuf_payload", f"Python's text {text}", message, answer)
    check(encoded(kind.FromString(answer)) == encoded(text_format.Parse(text, kind())),
          f"another message from Python's text {text}", message, answer)


def main():
    count, seed, *command = sys.argv[1:]
    random.seed(int(seed))
    swiftlet = Swiftlet(command)
    for index in range(int(count)):
        message = (formats3_pb2.Three, formats2_pb2.Two)[index % 4 == 3]()
        fill(message, 3)
        compare(swiftlet, message)
    if swiftlet.close() != 0:
        sys.exit("FAILED swiftlet-conformance ended with an error")
    print(f"ok     {count} random messages, seed {seed}")


if __name__ == "__main__":
    main()
