"""Compiles the same schema in several forms, and prints what each costs. Tests/Generate/weight runs it.

    weight.py FOLDER SWIFTC VISIBILITY ROUNDS [--swift-protobuf CHECKOUT BUILD]
"""

import importlib.metadata
import pathlib
import re
import resource
import shutil
import subprocess
import sys

import google.api
from google.protobuf import descriptor_pb2

# These have messages that one of the libraries brings with it. Others need Status, so swift-protobuf has this
# one message more than the rest.
STATUS = "google/rpc/status.proto"
LEFT_OUT = {"google/api/service.proto", "google/rpc/error_details.proto", STATUS}
LIBRARY = ["-I", ".build/release/Modules", "-I", "Sources/System"]


def run(*command):
    """The output of a command. Ends this program with the command's errors if it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command[0]} failed:\n{(done.stdout + done.stderr)[:4000]}")
    return done.stdout


def expect(count, expected):
    if count != expected:
        sys.exit(f"{count} messages are generated, {expected} are expected")


def schema(folder):
    """Writes the descriptors of the messages; returns the path, the names of the files, and the messages.

    Services and extensions are left out, because this library generates no extensions and swift-protobuf no
    services.
    """
    root = pathlib.Path(google.api.__path__[0]).parents[1]
    names = sorted(str(path.relative_to(root)) for path in root.glob("google/**/*.proto"))
    names = [name for name in names if not name.startswith("google/protobuf/") and name not in LEFT_OUT]
    path = folder / "schema.binpb"
    run(sys.executable, "-m", "grpc_tools.protoc", "-I", root, "--include_imports",
        f"--descriptor_set_out={path}", *names)
    descriptors = descriptor_pb2.FileDescriptorSet.FromString(path.read_bytes())
    messages = []

    def add(message):
        if not message.options.map_entry:
            messages.append(message)
        for nested in message.nested_type:
            add(nested)

    for file in descriptors.file:
        if file.name in names:
            del file.service[:], file.extension[:]
            for message in file.message_type:
                add(message)
    path.write_bytes(descriptors.SerializeToString())
    return path, names, messages


def plain(source):
    """Generated source with the fields alone: no table, no names, no unknown fields, a derived `==`."""
    members = r"static let layout\b|static var messageName: |var name: String\?|var unknownFields = "
    # A member of one line, or of all lines up to the brace below its first letter.
    source = re.sub(
        rf"^( *)(?:public )?(?:{members}).*?(?:\{{(?: field in)?\n(?:.*\n)*?\1\}})?\n", "", source,
        flags=re.MULTILINE)
    source = source.replace(": Message {", ": Equatable, Sendable {")
    return source.replace(
        ": OpenEnum {",
        ": RawRepresentable, Hashable, Sendable {\n    public init() { rawValue = 0 }")


def message_types(folder):
    """The names of the message types of generated source, this library's or swift-protobuf's."""
    found = []
    for file in sorted(folder.rglob("*.swift")):
        scopes = []
        for line in file.read_text().splitlines():
            if theirs := re.match(r"(?:nonisolated )?extension (\S+): SwiftProtobuf.Message,", line):
                found.append(theirs[1])
            scope = re.match(r"( *)(?:public )?(?:extension|struct|enum) ([\w.`]+)(.*)", line)
            if scope:
                scopes = [outer for outer in scopes if outer[0] < len(scope[1])]
                scopes.append((len(scope[1]), scope[2]))
                if scope[3] == ": Message {":
                    found.append(".".join(name for _, name in scopes))
    return found


def keep(folder, module, protocol, types):
    """Adds a public list of the types. An optimised build drops internal types that nothing uses."""
    lines = "".join(f"        {name}.self,\n" for name in types)
    (folder / "Kept.swift").write_text(
        f"import {module}\n\npublic func kept() -> [any {protocol}.Type] {{\n    [\n{lines}    ]\n}}\n")


def line_count(folder):
    """The lines of generated source without empty ones and comments."""
    files = [file for file in folder.rglob("*.swift") if file.name != "Kept.swift"]
    lines = [line.strip() for file in files for line in file.read_text().splitlines()]
    return sum(line != "" and not line.startswith("//") for line in lines)


def compile_module(swiftc, folder, search):
    """Processor seconds of the compilation of a folder as a module, and the bytes of code and of all sections."""
    output = folder / "module.o"

    def seconds():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = seconds()
    run(swiftc, "-O", "-wmo", "-swift-version", "6", "-parse-as-library", "-module-name", "Weight",
        "-c", "-o", output, *search, *sorted(folder.rglob("*.swift")))
    taken = seconds() - before
    sections = re.findall(r"^(\.text\S*)\s+(\d+)", run("size", "-A", "-d", output), re.MULTILINE)
    text, data, bss = run("size", output).splitlines()[1].split()[:3]
    return taken, sum(int(size) for _, size in sections), int(text) + int(data) + int(bss)


def main():
    folder, swiftc, visibility, rounds, *others = sys.argv[1:]
    folder = pathlib.Path(folder)
    sources = folder / "sources"
    shutil.rmtree(sources, ignore_errors=True)
    path, names, messages = schema(folder)

    ours = sources / "swiftlet"
    run(".build/debug/swiftlet", "generate", "--protoset", path, *names, "--visibility", visibility,
        "--file-naming", "path-to-underscores", "--output", ours)
    variants = {"this library": (ours, LIBRARY)}
    structs = sources / "plain"
    for file in ours.rglob("*.swift"):
        copy = structs / file.relative_to(ours)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(plain(file.read_text()))
    types = message_types(ours)
    expect(len(types), len(messages))
    keep(ours, "Swiftlet", "Message", types)
    keep(structs, "Swiftlet", "Equatable", types)
    variants["plain structs"] = (structs, LIBRARY)
    if others:
        checkout, build = map(pathlib.Path, others[1:])
        theirs = sources / "swift-protobuf"
        theirs.mkdir()
        run(sys.executable, "-m", "grpc_tools.protoc", f"--descriptor_set_in={path}",
            f"--plugin=protoc-gen-swift={build}/protoc-gen-swift", f"--swift_out={theirs}",
            f"--swift_opt=Visibility={visibility.capitalize()}",
            "--swift_opt=FileNaming=PathToUnderscores", *names, STATUS)
        types = message_types(theirs)
        expect(len(types), len(messages) + 1)
        keep(theirs, "SwiftProtobuf", "SwiftProtobuf.Message", types)
        version = re.findall(
            r"let (?:major|minor|revision) = (\d+)",
            (checkout / "Sources/SwiftProtobuf/Version.swift").read_text())
        variants[f"swift-protobuf {'.'.join(version)}"] = (theirs, ["-I", build / "Modules"])

    # In turn, so that a busy minute does not fall on one of them alone.
    best = {}
    for _ in range(int(rounds)):
        for name, (source, search) in variants.items():
            best[name] = min(best.get(name, (float("inf"),)), compile_module(swiftc, source, search))

    fields = sum(len(message.field) for message in messages)
    print(run(swiftc, "--version").splitlines()[0])
    print(f"googleapis-common-protos {importlib.metadata.version('googleapis-common-protos')}:",
          f"{len(messages)} messages, {fields} fields, {visibility} types, the least of {rounds} rounds")
    print("| | processor s | s a message | code KB | KB a field | with data KB | lines |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, (seconds, code, everything) in best.items():
        lines = line_count(variants[name][0])
        print(f"| {name} | {seconds:.1f} | {seconds / len(messages):.3f} | {code / 1000:.0f} |",
              f"{code / 1000 / fields:.2f} | {everything / 1000:.0f} | {lines:,} |")


main()
