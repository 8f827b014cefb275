"""Compares the compiler of .proto files with protoc where the words of the language are names.

    words.py COMPILER

Each word is put in each place where a name can be: protoc accepts the file or refuses it, and so must the
compiler. Files that both accept have equal descriptors.
"""

import os
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2
from grpc_tools import protoc

import compare

WORDS = """syntax edition import weak public option package message enum service extend extensions
    reserved rpc returns stream oneof map group optional required repeated to max inf nan true false
    default json_name export local features double float int32 int64 uint32 uint64 sint32 sint64
    fixed32 fixed64 sfixed32 sfixed64 bool string bytes word Message Inf self key value""".split()

# L is the label of a field where the syntax needs one, P the package of the file, W the word.
PLACES = {
    "a message": "message W {}",
    "a nested message": "message A { message W {} L W f = 1; }",
    "a message with a label": "message W {} message A { optional W f = 1; }",
    "a message repeated": "message W {} message A { repeated W f = 1; }",
    "a message without a label": "message W {} message A { W f = 1; }",
    "a message and its part": "message W { message B {} } message A { L W.B f = 1; }",
    "a message without a label and its part": "message W { message B {} } message A { W.B f = 1; }",
    "a part": "message B { message W {} } message A { L B.W f = 1; }",
    "a message by its full name": "message W {} message A { L .P.W f = 1; }",
    "a message in a oneof": "message W {} message A { oneof o { W f = 1; } }",
    "a message after another field": "message W {} message A { L int32 a = 1; W f = 2; }",
    "a message in a map": "message W {} message A { map<string, W> f = 1; }",
    "a key of a map": "message A { map<W, string> f = 1; }",
    "a field": "message A { L int32 W = 1; }",
    "a field without a label": "message A { int32 W = 1; }",
    "a field of its own name": "message W {} message A { L W W = 1; }",
    "a repeated field": "message A { repeated int32 W = 1; }",
    "a field in a oneof": "message A { oneof o { int32 W = 1; } }",
    "a oneof": "message A { oneof W { int32 a = 1; } }",
    "a map": "message A { map<string, string> W = 1; }",
    "a group": "message A { L group W = 1 {} }",
    "an enum": "enum W { A_ZERO = 0; } message A { L W f = 1; }",
    "an enum's value": "enum E { W = 0; }",
    "a further value": "enum E { A = 0; W = 1; }",
    "a default": "enum E { W = 0; B = 1; } message A { optional E f = 1 [default = W]; }",
    "a reserved name in quotes": 'message A { reserved "W"; }',
    "a reserved name": "message A { reserved W; }",
    "a reserved value": "enum E { A = 0; reserved W; }",
    "a service": "service W {}",
    "a method": "message M {} service S { rpc W(M) returns (M); }",
    "a request": "message W {} service S { rpc A(W) returns (W); }",
    "a streamed request": "message W {} service S { rpc A(stream W) returns (stream W); }",
    "a request in full": "message W {} service S { rpc A(.P.W) returns (P.W); }",
    "an extension": "message A { extensions 1 to max; } extend A { L int32 W = 1; }",
    "an extension without a label": "message A { extensions 1 to max; } extend A { int32 W = 1; }",
    "what is extended": "message W { extensions 1 to max; } extend W { L int32 a = 1; }",
    "an extended type in full": "message W { extensions 1 to 9; } extend .P.W { L int32 a = 1; }",
    "an extension's type": "message W {} message A { extensions 1 to 9; } extend A { L W a = 1; }",
    "a standard option": "option W = true;",
    "an option": "EXTEND { L int32 W = 50000; } option (W) = 1;",
    "an option in full": "EXTEND { L int32 W = 50000; } option (.P.W) = 1;",
    "an option's scope": "message W { EXTEND { L int32 b = 50000; } } option (W.b) = 1;",
    "an option's last part": "message B { EXTEND { L int32 W = 50000; } } option (B.W) = 1;",
    "an option's field": "message B { L int32 W = 1; } EXTEND { L B o = 50000; } option (o).W = 1;",
    "a field of a value": "message B { L int32 W = 1; } EXTEND { L B o = 50000; } option (o) = { W: 1 };",
    "a message in a value":
        "message B { L B W = 1; } EXTEND { L B o = 50000; } option (o) = { W { W { } } };",
    "an extension in a value": "message B { extensions 1 to 9; } extend B { L int32 W = 1; } "
        "EXTEND { L B o = 50000; } option (o) = { [P.W]: 1 };",
    "an enum in a value": "enum E { Z = 0; W = 1; } message B { L E e = 1; } "
        "EXTEND { L B o = 50000; } option (o) = { e: W };",
    "an enum of an option": "enum E { Z = 0; W = 1; } EXTEND { L E o = 50000; } option (o) = W;",
    "a number of an option": "EXTEND { L double o = 50000; } option (o) = W;",
    "a minus before a number": "EXTEND { L double o = 50000; } option (o) = -W;",
    "a truth": "EXTEND { L bool o = 50000; } option (o) = W;",
    "a default number": "message A { optional double f = 1 [default = W]; }",
    "a default truth": "message A { optional bool f = 1 [default = W]; }",
    "an option of a field": "message A { L int32 f = 1 [W = true]; }",
    "an option of a value": "enum E { A = 0 [W = true]; }",
    "a package's part": "PACKAGE P.W; message M {} message A { L P.W.M f = 1; L .P.W.M g = 2; }",
    "a package's first part": "PACKAGE W.P; message M {} message A { L W.P.M f = 1; }",
    "a kind of import": 'import W "google/protobuf/empty.proto";',
    "an end of a range": "message A { reserved 1 to W; }",
    "an end of an enum's range": "enum E { A = 0; reserved 1 to W; }",
    "a visibility": "W message A {}",
    "a nested visibility": "message A { W enum E { Z = 0; } }",
}
SYNTAXES = {"": "optional", 'syntax = "proto3";': "", 'edition = "2023";': "",
            'edition = "2024";': ""}
NESTED_EXTENSION = 'import "google/protobuf/descriptor.proto";\n'


def source(syntax, label, place, word, index):
    """The text of a file. Its package and the number of its extension are its own."""
    package = f"p{index}"
    text = place.replace("50000", str(50000 + index))
    imports = ""
    if "EXTEND" in text:
        imports = NESTED_EXTENSION
        text = text.replace("EXTEND", "extend google.protobuf.FileOptions")
    if "PACKAGE" in text:
        text = text.replace("PACKAGE", "package")
    else:
        text = f"package {package};\n" + text
    # Upper-case letters stand for the parts; words of the text have others.
    for old, new in (("L", label), ("P", package), ("W", word)):
        text = replaced(text, old, new)
    return f"{syntax}\n{imports}{text}\n"


def replaced(text, letter, value):
    """The text with the letter replaced where it is a word of its own."""
    result = ""
    for index, character in enumerate(text):
        around = text[index - 1:index] + text[index + 1:index + 2]
        is_alone = not any(other.isalnum() or other == "_" for other in around)
        result += value if character == letter and is_alone else character
    return result


def verdicts_of_protoc(root, names):
    """The files that protoc accepts. Its messages are not shown."""
    accepted = set()
    silence = os.open(os.devnull, os.O_WRONLY)
    kept = os.dup(2)
    os.dup2(silence, 2)
    try:
        for name in names:
            arguments = ["protoc", f"-I{root}", f"-I{compare.WELL_KNOWN}",
                         f"--descriptor_set_out={os.devnull}", name]
            if protoc.main(arguments) == 0:
                accepted.add(name)
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(silence)
    return accepted


def main():
    compiler = sys.argv[1]
    cases = {}
    with tempfile.TemporaryDirectory() as root:
        for syntax, label in SYNTAXES.items():
            for description, place in PLACES.items():
                for word in WORDS:
                    name = f"case{len(cases)}.proto"
                    text = source(syntax, label, place, word, len(cases))
                    cases[name] = (f"'{word}' as {description} in {syntax or 'proto2'}", text)
                    with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                        file.write(text)
        theirs = verdicts_of_protoc(root, cases)
        output = subprocess.run(
            [compiler, "--each", f"-I{root}", f"-I{compare.WELL_KNOWN}", *cases],
            stdout=subprocess.PIPE, text=True, check=True).stdout
        count = compare.Count()
        accepted = []
        for line in output.splitlines():
            name, verdict, *reason = line.split("\t")
            description, text = cases.pop(name)
            if (verdict == "ok") != (name in theirs):
                count.fail(f"{description}: {verdict} {''.join(reason)}\n{text}")
            elif verdict == "ok":
                accepted.append(name)
            else:
                count.refused += 1
        if cases:
            count.fail(f"no verdict for {len(cases)} files")
        # Each has a package of its own, so that they are compiled together.
        for start in range(0, len(accepted), 500):
            (expected, _), (found, ours) = compare.both(
                compiler, [root], accepted[start:start + 500])
            if expected is None or found is None:
                count.fail(f"files that are accepted alone are refused together: {ours}")
            else:
                count.compare(expected, found)
    print(f"words of the language as names: {len(count.equal)} files equal, "
          f"{count.refused} refused by both, {len(count.failures)} failures")
    sys.exit(1 if count.failures or not count.equal else 0)


if __name__ == "__main__":
    main()
