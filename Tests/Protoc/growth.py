"""Writes an input of a kind and a size for the count of the compiler's steps.

    growth.py FOLDER KIND SIZE
"""

import os
import sys

OPTIONS = 'import "google/protobuf/descriptor.proto";\n'


def numbered(count, text):
    return "".join(text.replace("#", str(index)) for index in range(count))


def lines(kind, size):
    """The files of an input, by name. The first that is compiled is main.proto."""
    if kind == "empty":
        return {"main.proto": ""}
    if kind == "messages":
        return {"main.proto": numbered(size, "message M# { optional M# m = 1; }\n")}
    if kind == "fields":
        return {"main.proto": "message M {" + "".join(
            f"optional int32 f{n} = {n + 1};\n" for n in range(size)) + "}"}
    if kind == "values":
        return {"main.proto": "enum E {" + numbered(size, "V# = #;\n") + "}"}
    if kind == "imports":
        files = {f"i{n}.proto": f"message M{n} {{}}" for n in range(size)}
        main = numbered(size, 'import "i#.proto";\n')
        return {"main.proto": main + "message A {" + "".join(
            f"optional M{n} m{n} = {n + 1};" for n in range(size)) + "}", **files}
    if kind == "public-imports":
        # A chain in which each file sees the next through all before it.
        files = {f"i{n}.proto": f'import public "i{n + 1}.proto"; message M{n} {{}}'
                 for n in range(size)}
        return {"main.proto": f'import "i0.proto"; message A {{ optional M{size} m = 1; }}',
                **files, f"i{size}.proto": f"message M{size} {{}}"}
    if kind == "public-stars":
        # Many files that import the same chain.
        files = {f"s{n}.proto": 'import "all.proto"; ' + f"message S{n} {{}}" for n in range(size)}
        leaves = {f"l{n}.proto": f"message L{n} {{}}" for n in range(10)}
        every = "".join(f'import public "l{n}.proto";\n' for n in range(10))
        return {"main.proto": numbered(size, 'import "s#.proto";\n'), **files, **leaves,
                "all.proto": every}
    if kind == "import-cycle":
        files = {f"i{n}.proto": f'import "i{(n + 1) % size}.proto";' for n in range(size)}
        return {"main.proto": 'import "i0.proto";', **files}
    if kind == "nesting":
        return {"main.proto": "message M {" * size + "}" * size}
    if kind == "aggregate":
        # Within the depth that is allowed, but wide.
        return {"main.proto": OPTIONS + "message B { repeated B b = 1; optional int32 x = 2; }\n"
                "extend google.protobuf.FileOptions { optional B o = 50000; }\n"
                "option (o) = {" + "b { b { x: 1 } x: 2 }\n" * size + "};"}
    if kind == "option-chain":
        # One message field in another, named part by part.
        return {"main.proto": OPTIONS + "message B { optional B b = 1; optional int32 x = 2; }\n"
                "extend google.protobuf.FileOptions { optional B o = 50000; }\n"
                "option (o)" + ".b" * size + ".x = 1;"}
    if kind == "options":
        return {"main.proto": OPTIONS + "message B { repeated int32 x = 1; }\n"
                "extend google.protobuf.FileOptions { repeated int32 o = 50000; }\n"
                + "option (o) = 1;\n" * size}
    if kind == "extensions":
        return {"main.proto": "message M { extensions 1 to max; }\nextend M {" + "".join(
            f"optional int32 e{n} = {n + 1};\n" for n in range(size)) + "}"}
    if kind == "ranges":
        return {"main.proto": "message M { reserved " + ", ".join(
            str(2 * n + 1) for n in range(size)) + '; reserved ' + ", ".join(
            f'"n{n}"' for n in range(size)) + "; }"}
    if kind == "strings":
        return {"main.proto": "option java_package = " + '"ab\\n" ' * size + ";"}
    if kind == "comments":
        return {"main.proto": "// A line.\n" * size + "message M {}\n" + "/* a */\n\n" * size}
    if kind == "mistakes":
        return {"main.proto": numbered(size, "message M# { optional Nothing# n = 1 }\n")}
    if kind == "scopes":
        # Names that are looked up through many scopes.
        package = ".".join(f"p{n}" for n in range(size))
        return {"main.proto": f"package {package}; message M {{}} message A {{ optional M m = 1; }}"}
    if kind == "services":
        return {"main.proto": "message M {} service S {" + numbered(
            size, "rpc R#(M) returns (M);\n") + "}"}
    raise ValueError(kind)


def main():
    folder, kind, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
    os.makedirs(folder)
    for name, text in lines(kind, size).items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


main()
