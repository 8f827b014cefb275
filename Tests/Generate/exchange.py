"""Writes the lists of message types for the program in Exchange, from the sources that were generated.

    exchange.py OUTPUT_FOLDER FOLDER…

A folder has the name of its module.
"""

import pathlib
import re
import sys

DECLARATION = re.compile(
    r"^( *)(?:public |package )?(?:indirect )?(?:extension|struct|enum|protocol) ([\w.`]+).*\{$")
NAME = re.compile(r"^( *).*static var messageName: String \{")


def message_types(source):
    """The Swift names of the messages. The sources are formatted, so that the indentation tells what is
    inside of what."""
    open_types = []
    for line in source.splitlines():
        if declaration := DECLARATION.match(line):
            indentation = len(declaration[1])
            while open_types and open_types[-1][0] >= indentation:
                open_types.pop()
            open_types.append((indentation, declaration[2]))
        elif name := NAME.match(line):
            yield ".".join(word for depth, word in open_types if depth < len(name[1]))


def write(path, lines):
    path.write_text("\n".join(lines + [""]), encoding="utf-8")


def write_types(output, module, folder):
    """A file for each module: the same name can mean another type in another module."""
    names = [name for path in sorted(folder.glob("*.swift"))
             for name in message_types(path.read_text(encoding="utf-8"))]
    if not names:
        sys.exit(f"{folder} has no messages")
    write(output / f"Types+{module}.swift", [
        f"import {module}", "import Swiftlet", "", "extension TypeList {",
        f"    static func of{module}() -> TypeList {{", "        var types = TypeList()",
        *[f"        types.add({name}.self)" for name in names],
        "        return types", "    }", "}"])


def main():
    output, *folders = map(pathlib.Path, sys.argv[1:])
    for folder in folders:
        write_types(output, folder.name, folder)
    write(output / "Types.swift", [
        "extension TypeList {", "    init(of module: String) {", "        switch module {",
        *[f'        case "{folder.name}": self = .of{folder.name}()' for folder in folders],
        "        default: fatalError(\"no module '\\(module)'\")", "        }", "    }", "}"])


main()
