"""Writes the descriptors of Python's generated modules, with all that they import, as descriptor sets.

    descriptors.py OUTPUT MODULE…
"""

import importlib
import sys

from google.protobuf import descriptor_pb2


def add(file, done, found):
    if file.name in done:
        return
    done.add(file.name)
    for dependency in file.dependencies:
        add(dependency, done, found)
    found.file.append(descriptor_pb2.FileDescriptorProto.FromString(file.serialized_pb))


def main():
    output, *modules = sys.argv[1:]
    done = set()
    found = descriptor_pb2.FileDescriptorSet()
    for name in modules:
        add(importlib.import_module(name).DESCRIPTOR, done, found)
    with open(output, "wb") as file:
        file.write(found.SerializeToString())


main()
