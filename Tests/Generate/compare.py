"""Compares generated Swift source with Python's protobuf for random messages.

Python makes and encodes messages. The program of generated source decodes them and encodes them again,
without unknown fields. Python compares the result by value, and with its own deterministic encoding where
that has an order for all of the message.

Arguments: the count of messages of each type, the seed, the descriptors that protoc wrote, the program
and the name of the module of generated source.
"""

import math
import random
import struct
import subprocess
import sys

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format
from google.protobuf.descriptor import FieldDescriptor as FIELD

SIGNED = {FIELD.TYPE_INT32: 32, FIELD.TYPE_SINT32: 32, FIELD.TYPE_SFIXED32: 32,
          FIELD.TYPE_INT64: 64, FIELD.TYPE_SINT64: 64, FIELD.TYPE_SFIXED64: 64}
UNSIGNED = {FIELD.TYPE_UINT32: 32, FIELD.TYPE_FIXED32: 32,
            FIELD.TYPE_UINT64: 64, FIELD.TYPE_FIXED64: 64}
TEXT = ["", "a", "äöü", "🎈🏳️‍🌈", "\0", "long " * 50]
NUMBERS = [0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan, 1e30, 2.0**-20]


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def scalar(field):
    if field.type in SIGNED:
        limit = 2 ** (SIGNED[field.type] - 1)
        return random.choice([0, 1, -1, limit - 1, -limit, random.randint(-limit, limit - 1)])
    if field.type in UNSIGNED:
        limit = 2 ** UNSIGNED[field.type]
        return random.choice([0, 1, limit - 1, random.randrange(limit)])
    if field.type == FIELD.TYPE_BOOL:
        return random.random() < 0.5
    if field.type == FIELD.TYPE_DOUBLE:
        return random.choice(NUMBERS + [random.uniform(-1e6, 1e6)])
    if field.type == FIELD.TYPE_FLOAT:
        return single(random.choice(NUMBERS + [random.uniform(-1e6, 1e6)]))
    if field.type == FIELD.TYPE_STRING:
        return random.choice(TEXT) + random.choice(TEXT)
    if field.type == FIELD.TYPE_BYTES:
        return random.randbytes(random.randint(0, 9))
    numbers = [value.number for value in field.enum_type.values]
    # A closed enum has no other numbers.
    return random.choice(numbers if field.enum_type.is_closed else numbers + [12345, -7])


def is_map(field):
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def fill(message, depth):
    fields = list(message.DESCRIPTOR.fields)
    chosen = random.sample(fields, random.randint(0, len(fields)))
    for field in fields:
        if not (field in chosen or field.is_required):
            continue
        if is_map(field):
            fill_map(getattr(message, field.name), field, depth)
        elif field.is_repeated:
            values = getattr(message, field.name)
            for _ in range(random.randint(0, 3)):
                if field.message_type is None:
                    values.append(scalar(field))
                elif depth > 0:
                    fill(values.add(), depth - 1)
        elif field.message_type is None:
            setattr(message, field.name, scalar(field))
        elif depth > 0 or field.is_required:
            child = getattr(message, field.name)
            child.SetInParent()
            fill(child, depth - 1)


def fill_map(entries, field, depth):
    key = field.message_type.fields_by_name["key"]
    value = field.message_type.fields_by_name["value"]
    for _ in range(random.choice([0, 1, 1, 1, 4])):
        if value.message_type is None:
            entries[scalar(key)] = scalar(value)
        elif depth > 0:
            fill(entries[scalar(key)], depth - 1)


def has_order(message):
    """Whether no map has two entries: Python sorts them in an order of its own."""
    for field, value in message.ListFields():
        if is_map(field):
            if len(value) > 1:
                return False
            if field.message_type.fields_by_name["value"].message_type is None:
                continue
            children = value.values()
        elif field.message_type is None:
            continue
        else:
            children = value if field.is_repeated else [value]
        if not all(map(has_order, children)):
            return False
    return True


def framed(data):
    return struct.pack("<I", len(data)) + data


def exchange(program, module, messages):
    """The messages as the program encodes them."""
    request = b"".join(
        framed(message.DESCRIPTOR.full_name.encode()) + framed(message.SerializeToString())
        for message in messages)
    output = subprocess.run(
        [program, "encode", module], input=request, stdout=subprocess.PIPE, check=True).stdout
    answers = []
    while output:
        count = struct.unpack("<I", output[:4])[0]
        answers.append(output[4:4 + count])
        output = output[4 + count:]
    return answers


def compare(message, answer):
    kind = type(message)
    expected = message.SerializeToString(deterministic=True)
    # NaN is not equal to itself, so that the text is compared and not the message.
    ours = text_format.MessageToString(message)
    theirs = text_format.MessageToString(kind.FromString(answer))
    if ours != theirs:
        sys.exit(f"FAILED another value\nexpected: {ours}\ngot: {theirs}")
    exact = has_order(message)
    same = answer if exact else kind.FromString(answer).SerializeToString(deterministic=True)
    if same != expected or len(answer) != len(expected):
        sys.exit(f"FAILED other bytes of\n{ours}\n{expected.hex()}\n{answer.hex()}")
    return exact


def main():
    count, seed, descriptors, program, module = int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]
    random.seed(seed)
    pool = descriptor_pool.DescriptorPool()
    with open(descriptors, "rb") as file:
        for each in descriptor_pb2.FileDescriptorSet.FromString(file.read()).file:
            pool.Add(each)
    names = subprocess.run(
        [program, "names", module], stdout=subprocess.PIPE, check=True, text=True).stdout.split()
    messages = []
    for name in names:
        kind = message_factory.GetMessageClass(pool.FindMessageTypeByName(name))
        for _ in range(count):
            message = kind()
            fill(message, 3)
            messages.append(message)
    answers = exchange(program, module, messages)
    if len(answers) != len(messages):
        sys.exit(f"FAILED {len(answers)} answers to {len(messages)} messages")
    exact = sum(compare(message, answer) for message, answer in zip(messages, answers))
    print(f"ok     {module}: {len(messages)} random messages of {len(names)} types through generated "
          f"source, {exact} of them compared byte for byte, seed {seed}")


main()
