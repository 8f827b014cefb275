#!/usr/bin/env python3
"""Checks the Messages module against Python's protobuf package.

Random messages of protobuf's own TestAllTypesProto3, and broken ones, are sent to swiftlet-conformance,
which decodes them and encodes them again. What it answers must be what Python would have written; what
one refuses, the other must refuse.

    pip install protobuf && swift build --product swiftlet-conformance
    Tests/Interop/messages_crosscheck.py [COUNT] [SEED]
"""

import os
import random
import struct
import subprocess
import sys
import tempfile

from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool, duration_pb2, field_mask_pb2
from google.protobuf import message, message_factory, struct_pb2, timestamp_pb2, wrappers_pb2

F = descriptor_pb2.FieldDescriptorProto
SCALARS = [
    "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32",
    "sfixed64", "float", "double", "bool", "string", "bytes",
]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get("CONFORMANCE", os.path.join(ROOT, ".build/debug/swiftlet-conformance"))
NAME = "protobuf_test_messages.proto3.TestAllTypesProto3"
PACKAGE = ".google.protobuf."
# Selects the half of the work that a child process runs. The package's own variable is not used for this:
# if a user had set it, the program would run one half and report it as the whole.
PART = "MESSAGES_CROSSCHECK_PART"


def type_of(name):
    """The type's number, and its name when it is no scalar."""
    if name in SCALARS:
        return getattr(F, "TYPE_" + name.upper()), None
    kind = F.TYPE_ENUM if name.endswith(("Enum", "NullValue")) else F.TYPE_MESSAGE
    if name.startswith("."):
        return kind, name
    outer = "." + NAME if name in ("NestedMessage", "NestedEnum", "AliasedEnum") else ""
    if name == "TestAllTypesProto3":
        return kind, "." + NAME
    return kind, (outer or ".protobuf_test_messages.proto3") + "." + name


def add(parent, number, name, type_name, label=F.LABEL_OPTIONAL, packed=None, oneof=None):
    field = parent.field.add(name=name, number=number, label=label)
    field.type, full = type_of(type_name)
    if full:
        field.type_name = full
    if packed is not None:
        field.options.packed = packed
    if oneof is not None:
        field.oneof_index = oneof


def add_map(parent, number, key, value, name=None):
    name = name or f"map_{key}_{value}"
    entry = "".join(part.capitalize() for part in name.split("_")) + "Entry"
    nested = parent.nested_type.add(name=entry)
    nested.options.map_entry = True
    add(nested, 1, "key", key)
    add(nested, 2, "value", value)
    field = parent.field.add(name=name, number=number, label=F.LABEL_REPEATED, type=F.TYPE_MESSAGE)
    field.type_name = f".{NAME}.{entry}"


def describe():
    file = descriptor_pb2.FileDescriptorProto(
        name="all_types.proto", package="protobuf_test_messages.proto3", syntax="proto3")
    for module in (any_pb2, duration_pb2, field_mask_pb2, struct_pb2, timestamp_pb2, wrappers_pb2):
        file.dependency.append(module.DESCRIPTOR.name)
    foreign = file.message_type.add(name="ForeignMessage")
    add(foreign, 1, "c", "int32")
    enum = file.enum_type.add(name="ForeignEnum")
    for number in range(3):
        enum.value.add(name=f"FOREIGN_{number}", number=number)
    all_types = file.message_type.add(name="TestAllTypesProto3")
    nested = all_types.nested_type.add(name="NestedMessage")
    add(nested, 1, "a", "int32")
    add(nested, 2, "corecursive", "TestAllTypesProto3")
    for name in ("NestedEnum", "AliasedEnum"):
        enum = all_types.enum_type.add(name=name)
        for number in (0, 1, 2, -1):
            enum.value.add(name=f"{name}_{number}".replace("-", "MINUS_"), number=number)

    many = F.LABEL_REPEATED
    for index, scalar in enumerate(SCALARS):
        add(all_types, 1 + index, "optional_" + scalar, scalar)
        add(all_types, 31 + index, "repeated_" + scalar, scalar, many)
        if index < 13:
            add(all_types, 75 + index, "packed_" + scalar, scalar, many, packed=True)
            add(all_types, 89 + index, "unpacked_" + scalar, scalar, many, packed=False)
        if index < 10:
            add_map(all_types, 56 + index, scalar, scalar)
    add(all_types, 88, "packed_nested_enum", "NestedEnum", many, packed=True)
    add(all_types, 102, "unpacked_nested_enum", "NestedEnum", many, packed=False)
    single = [(18, "NestedMessage"), (19, "ForeignMessage"), (21, "NestedEnum"),
              (22, "ForeignEnum"), (23, "AliasedEnum"), (24, "string"), (25, "string"),
              (27, "TestAllTypesProto3")]
    for number, name in single:
        add(all_types, number, f"one_{number}", name)
    for number, name in [(48, "NestedMessage"), (49, "ForeignMessage"), (51, "NestedEnum"),
                         (52, "ForeignEnum"), (54, "string"), (55, "string")]:
        add(all_types, number, f"many_{number}", name, many)
    pairs = [("int32", "float"), ("int32", "double"), ("bool", "bool"), ("string", "string"),
             ("string", "bytes"), ("string", "NestedMessage"), ("string", "ForeignMessage"),
             ("string", "NestedEnum"), ("string", "ForeignEnum")]
    for index, (key, value) in enumerate(pairs):
        add_map(all_types, 66 + index, key, value, f"map_{66 + index}")
    all_types.oneof_decl.add(name="oneof_field")
    choices = ["uint32", "NestedMessage", "string", "bytes", "bool", "uint64", "float", "double",
               "NestedEnum", PACKAGE + "NullValue"]
    for index, name in enumerate(choices):
        add(all_types, 111 + index, f"oneof_{index}", name, oneof=0)
    wrappers = ["Bool", "Int32", "Int64", "UInt32", "UInt64", "Float", "Double", "String", "Bytes"]
    for index, name in enumerate(wrappers):
        add(all_types, 201 + index, f"one_{201 + index}", f"{PACKAGE}{name}Value")
        add(all_types, 211 + index, f"many_{211 + index}", f"{PACKAGE}{name}Value", many)
    known = [("Duration", 301, 311), ("Timestamp", 302, 312), ("FieldMask", 303, 313),
             ("Struct", 304, 324), ("Any", 305, 315), ("Value", 306, 316), ("NullValue", 307, 0),
             ("ListValue", 0, 317)]
    for name, one, some in known:
        if one:
            add(all_types, one, f"one_{one}", PACKAGE + name)
        if some:
            add(all_types, some, f"many_{some}", PACKAGE + name, many)
    for number in range(401, 419):
        add(all_types, number, f"field_{number}", "int32")
    all_types.field.sort(key=lambda field: field.number)
    return file


def all_types():
    pool = descriptor_pool.Default()
    pool.Add(describe()) if hasattr(pool, "Add") else pool.AddSerializedFile(
        describe().SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(NAME))


INTEGERS = {
    F.TYPE_INT32: (-2**31, 2**31 - 1), F.TYPE_SINT32: (-2**31, 2**31 - 1),
    F.TYPE_SFIXED32: (-2**31, 2**31 - 1), F.TYPE_UINT32: (0, 2**32 - 1),
    F.TYPE_FIXED32: (0, 2**32 - 1), F.TYPE_INT64: (-2**63, 2**63 - 1),
    F.TYPE_SINT64: (-2**63, 2**63 - 1), F.TYPE_SFIXED64: (-2**63, 2**63 - 1),
    F.TYPE_UINT64: (0, 2**64 - 1), F.TYPE_FIXED64: (0, 2**64 - 1), F.TYPE_ENUM: (-2**31, 2**31 - 1),
}


def scalar(field, rng):
    if field.type in INTEGERS:
        low, high = INTEGERS[field.type]
        value = rng.choice([low, high, 0, 1, rng.getrandbits(rng.randrange(1, 64)), -rng.getrandbits(
            rng.randrange(1, 63))])
        return max(low, min(high, value))
    if field.type == F.TYPE_BOOL:
        return rng.random() < 0.5
    if field.type in (F.TYPE_FLOAT, F.TYPE_DOUBLE):
        return rng.choice([0.0, -0.0, 1.5, -2.25, float("inf"), rng.randrange(1 << 20) / 64])
    if field.type == F.TYPE_BYTES:
        return rng.randbytes(rng.randrange(0, 200))
    # Precomposed letters alone: Swift takes strings for equal whose accents are composed otherwise.
    return "".join(rng.choice("aZ0 \u00e9\u6f22\U0001f600\0") for _ in range(rng.randrange(0, 24)))


def fill(target, rng, depth, density):
    for field in target.DESCRIPTOR.fields:
        if rng.random() > density:
            continue
        entry = field.message_type
        if entry is not None and entry.GetOptions().map_entry:
            key, value = entry.fields
            container = getattr(target, field.name)
            for _ in range(rng.randrange(1, 5)):
                if value.message_type is None:
                    container[scalar(key, rng)] = scalar(value, rng)
                else:
                    fill(container[scalar(key, rng)], rng, depth + 1, density)
        elif entry is not None:
            if depth > 3:
                continue
            if field.is_repeated:
                for _ in range(rng.randrange(1, 4)):
                    fill(getattr(target, field.name).add(), rng, depth + 1, density / 3)
            else:
                getattr(target, field.name).SetInParent()
                fill(getattr(target, field.name), rng, depth + 1, density / 3)
        elif field.is_repeated:
            getattr(target, field.name).extend(scalar(field, rng) for _ in range(rng.randrange(1, 9)))
        else:
            setattr(target, field.name, scalar(field, rng))


def varint(value):
    data = bytearray()
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    data.append(value)
    return bytes(data)


def read_varint(data, index):
    value = shift = 0
    while True:
        byte = data[index]
        index += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, index


class Conformance:
    """swiftlet-conformance, asked over a pipe."""

    def __init__(self):
        self.process = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, payload):
        """What it writes of `payload`, or None when it refuses it."""
        request = b"\x0a" + varint(len(payload)) + payload + b"\x18\x01"
        request += b"\x22" + varint(len(NAME)) + NAME.encode()
        self.process.stdin.write(struct.pack("<I", len(request)) + request)
        self.process.stdin.flush()
        size = self.process.stdout.read(4)
        if len(size) < 4:
            sys.exit("swiftlet-conformance has ended")
        answer = self.process.stdout.read(struct.unpack("<I", size)[0])
        tag, index = read_varint(answer, 0)
        length, index = read_varint(answer, index)
        if tag == 1 << 3 | 2:
            return None
        assert tag == 3 << 3 | 2, answer
        return answer[index:index + length]


def stop(seed, turn, what, data, answer=b""):
    path = os.path.join(tempfile.gettempdir(), "messages_crosscheck")
    for name, content in (("python", data), ("swift", answer or b"")):
        with open(f"{path}.{name}", "wb") as file:
            file.write(content)
    sys.exit(f"seed {seed}, message {turn}: {what}; see {path}.*")


def check_equal(kind, swift, rng, count, seed):
    """Messages come back byte for byte."""
    for turn in range(count):
        sample = kind()
        fill(sample, rng, 0, rng.choice([0.02, 0.1, 0.5]))
        data = sample.SerializeToString(deterministic=True)
        answer = swift.ask(data)
        if answer != data:
            stop(seed, turn, "not what Python writes", data, answer)
    print(f"{count} messages came back byte for byte")


def strip(target):
    """Clears maps and unknown fields at every depth.

    upb takes an entry of a map with a field that it does not know for an unknown field as a whole;
    C++ and this library take the entry and drop that field.
    """
    target.DiscardUnknownFields()
    for field, value in target.ListFields():
        if field.message_type is None:
            continue
        if field.message_type.GetOptions().map_entry:
            target.ClearField(field.name)
        elif field.is_repeated:
            for each in value:
                strip(each)
        else:
            strip(value)
    return target


def check_damaged(kind, swift, rng, count, seed):
    """Damaged messages are refused by both, or read alike."""
    refused = 0
    for turn in range(count):
        sample = kind()
        fill(sample, rng, 0, rng.choice([0.02, 0.1, 0.5]))
        data = bytearray(sample.SerializeToString())
        for _ in range(rng.randrange(1, 4) if data else 0):
            data[rng.randrange(len(data))] = rng.randrange(256)
        data = bytes(data)
        answer = swift.ask(data)
        try:
            expected = kind.FromString(data)
        except message.DecodeError:
            if answer is not None:
                stop(seed, turn, "Swift accepts what Python refuses", data, answer)
            refused += 1
            continue
        if answer is None:
            stop(seed, turn, "Python accepts what Swift refuses", data)
        again = kind.FromString(answer)
        if again.SerializeToString(deterministic=True) != expected.SerializeToString(
                deterministic=True) and strip(again) != strip(expected):
            stop(seed, turn, "Swift reads another message than Python", data, answer)
    print(f"{count - refused} damaged messages were read alike, {refused} refused by both")


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rng = random.Random(seed)
    part = os.environ.get(PART)
    if part is None:
        # Of the package's two implementations, the one in Python sorts the keys of maps by their
        # values but lets varints pass that are too long; upb is strict, but puts unsigned keys in an
        # order of its own.
        for each in ("python", "upb"):
            environment = dict(
                os.environ, PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=each, **{PART: each})
            subprocess.run([sys.executable, *sys.argv], env=environment, check=True)
    elif part == "python":
        check_equal(all_types(), Conformance(), rng, count, seed)
    else:
        check_damaged(all_types(), Conformance(), rng, count, seed)


if __name__ == "__main__":
    main()
