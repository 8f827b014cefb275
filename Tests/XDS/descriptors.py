"""Writes the descriptors of all packages of xds-protos, and of what they import, as a FileDescriptorSet."""

import importlib
import os
import sys

import envoy
from google.protobuf import descriptor_pb2

ROOT = os.path.dirname(list(envoy.__path__)[0])


def modules():
    for package in "envoy", "udpa", "xds":
        for folder, _, files in os.walk(os.path.join(ROOT, package)):
            for file in sorted(files):
                if file.endswith("_pb2.py"):
                    path = os.path.relpath(os.path.join(folder, file), ROOT)
                    yield path[: -len(".py")].replace(os.sep, ".")


def add(descriptor, written, output):
    """Appends a file behind the files that it imports."""
    if descriptor.name in written:
        return
    written.add(descriptor.name)
    for imported in descriptor.dependencies:
        add(imported, written, output)
    descriptor.CopyToProto(output.file.add())


output = descriptor_pb2.FileDescriptorSet()
written = set()
for name in modules():
    try:
        add(importlib.import_module(name).DESCRIPTOR, written, output)
    except (ImportError, TypeError) as error:
        # Some files import packages that xds-protos does not have. No message of the client is in one of them:
        # the check would not find it.
        print("left out:", name, error, file=sys.stderr)
with open(sys.argv[1], "wb") as file:
    file.write(output.SerializeToString())
print(len(output.file), "files")
