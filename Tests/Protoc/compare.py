"""Compares the descriptors of .proto files with those that protoc writes for them.

    compare.py COMPILER ROOT[:ROOT…]…      files below the first root; the others are for imports
    compare.py COMPILER --tables FOLDER    legal.txt and illegal.txt
"""

import difflib
import os
import re
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2, text_format
import grpc_tools

WELL_KNOWN = os.path.join(os.path.dirname(grpc_tools.__file__), "_proto")
PROTOC = [sys.executable, "-m", "grpc_tools.protoc", "--include_imports", "--include_source_info",
          "--retain_options"]


def run(command):
    """The descriptors that the compiler writes, by name; nothing when it refuses the files."""
    with tempfile.NamedTemporaryFile() as output:
        result = subprocess.run(
            command[0] + [f"--descriptor_set_out={output.name}"] + command[1],
            capture_output=True, text=True)
        if result.returncode != 0:
            return None, result.stderr
        files = descriptor_pb2.FileDescriptorSet.FromString(output.read()).file
        return {file.name: file for file in files}, [file.name for file in files]


def both(compiler, roots, names):
    # The well-known types are in the compiler without comments, so both read them from files.
    places = [f"-I{root}" for root in roots + [WELL_KNOWN]]
    return run((PROTOC + places, names)), run(([compiler] + places, names))


def difference(expected, found):
    lines = difflib.unified_diff(
        text_format.MessageToString(expected).splitlines(),
        text_format.MessageToString(found).splitlines(), "protoc", "swiftlet", n=4, lineterm="")
    return "\n".join(list(lines)[:40]) or "equal as text, but not as bytes"


class Count:
    def __init__(self):
        self.equal = set()
        self.refused = 0
        self.failures = []

    def fail(self, text):
        self.failures.append(text)
        print(text, file=sys.stderr)

    def compare(self, expected, found):
        for name, file in expected.items():
            if name not in found:
                self.fail(f"{name}: missing")
            elif file.SerializeToString(deterministic=True) != found[name].SerializeToString(
                    deterministic=True):
                self.fail(f"{name}: differs\n{difference(file, found[name])}")
            else:
                self.equal.add(name)


def compare_folder(compiler, roots, count):
    names = sorted(
        os.path.relpath(os.path.join(folder, name), roots[0])
        for folder, _, files in os.walk(roots[0]) for name in files if name.endswith(".proto"))
    pending = [names]
    while pending:
        batch = pending.pop()
        (expected, order), (found, ours) = both(compiler, roots, batch)
        if expected is not None and found is not None:
            if order != ours:
                count.fail(f"{batch[0]}…: the order of the files differs")
            count.compare(expected, found)
        elif len(batch) > 1:
            # Files that are illegal, or that declare the same names, are looked at alone.
            half = len(batch) // 2
            pending += [batch[half:], batch[:half]]
        elif expected is None and found is None:
            count.refused += 1
        elif found is None:
            count.fail(f"{batch[0]}: refused, but protoc accepts it\n{ours}")
        else:
            count.fail(f"{batch[0]}: accepted, but protoc refuses it\n{order}")


def table(path):
    """The cases of a table: a line `=== NAME` before each, `--- FILE` before further files of it."""
    with open(path, encoding="utf-8") as file:
        parts = re.split(r"^=== (.*)\n", file.read(), flags=re.M)[1:]
    for name, text in zip(parts[::2], parts[1::2]):
        files = re.split(r"^--- (.*)\n", text, flags=re.M)
        yield name, {"case.proto": files[0], **dict(zip(files[1::2], files[2::2]))}


# The place of an error. protoc writes some files with their folder.
PLACE = re.compile(r"^(?:.*/)?([^/\n]+\.proto):(\d+):\d+: ", re.M)

# Cases in which protoc names another line: the one after the declaration.
OTHER_LINE = {"an enum with aliases and none used", "an enum with aliases forbidden"}


def have_one_place(name, theirs, ours):
    """Whether our first error is on a line where protoc reports one. protoc reports some errors without
    a line."""
    expected, found = PLACE.findall(theirs), PLACE.findall(ours)
    if not found:
        return False
    return not expected or (found[0] in expected) != (name in OTHER_LINE)


def compare_tables(compiler, folder, count):
    for kind in ("legal", "illegal"):
        for name, files in table(os.path.join(folder, kind + ".txt")):
            with tempfile.TemporaryDirectory() as root:
                for file, text in files.items():
                    os.makedirs(os.path.dirname(os.path.join(root, file)), exist_ok=True)
                    with open(os.path.join(root, file), "w", encoding="utf-8") as target:
                        target.write(text)
                (expected, order), (found, ours) = both(compiler, [root], ["case.proto"])
            if kind == "legal" and expected is not None and found is not None:
                count.compare({name: expected["case.proto"]}, {name: found["case.proto"]})
            elif (kind == "illegal" and expected is None and found is None
                    and have_one_place(name, order, ours)):
                count.refused += 1
            else:
                count.fail(f"{kind} case '{name}':\nprotoc: {order}\nswiftlet: {ours}")


def main():
    compiler, arguments = sys.argv[1], sys.argv[2:]
    count = Count()
    if arguments[0] == "--tables":
        compare_tables(compiler, arguments[1], count)
    else:
        for roots in arguments:
            compare_folder(compiler, roots.split(":"), count)
    print(f"{len(count.equal)} files equal, {count.refused} refused by both, "
          f"{len(count.failures)} failures")
    sys.exit(1 if count.failures or not count.equal else 0)


if __name__ == "__main__":
    main()
