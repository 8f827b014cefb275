"""Finds the places of a Swift file that can be changed, and writes the file with all changes in it.

Each change is guarded by its number, so that one build serves all of them. Operators become operators of
their own, which behave as before unless their change is in effect. No line is added or removed: errors of
the compiler name the lines of the original.
"""

import dataclasses
import re

# Operator, its replacement, and how both are declared.
OPERATORS = {
    "<": ("<=", "comparison"), "<=": ("<", "comparison"), ">": (">=", "comparison"),
    ">=": (">", "comparison"), "==": ("!=", "equality"), "!=": ("==", "equality"),
    "+": ("-", "sum"), "-": ("+", "sum"), "&&": ("||", "and"), "||": ("&&", "or"),
}
DECLARATIONS = {
    "comparison": ("ComparisonPrecedence", "<T: Comparable>(a: T, b: T) -> Bool", "b"),
    "equality": ("ComparisonPrecedence", "<T: Equatable>(a: T, b: T) -> Bool", "b"),
    "sum": ("AdditionPrecedence", "<T: AdditiveArithmetic>(a: T, b: T) -> T", "b"),
    "and": ("LogicalConjunctionPrecedence",
            "(a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool", "(try b())"),
    "or": ("LogicalDisjunctionPrecedence",
           "(a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool", "(try b())"),
}
PRELUDE = """#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@usableFromInline package let activeMutant = unsafe getenv("MUTANT").flatMap { unsafe Int(String(cString: $0)) } ?? 0
@inlinable package func mutant(_ number: Int) -> Bool { activeMutant == number }
"""

OPERATOR_SITE = re.compile(r"(?<= )(<=|>=|==|!=|&&|\|\||<|>|\+|-)(?= )")
LITERAL_SITE = re.compile(r"\b(true|false)\b")
CONDITION_SITE = re.compile(r"\b(?:if|guard|while) ([^,{}]+?)(?= else \{| \{)")
STATEMENT_SITE = re.compile(r"^ +([A-Za-z_][\w.?\[\]$]*(?: [-+|&]?= .+|\(.*\)))$")
KEYWORD = re.compile(
    r"(?:let|var|func|case|return|if|guard|for|while|switch|else|throw|defer|init|super|precondition|assert"
    r"|private|fileprivate|package|public)\b")


@dataclasses.dataclass
class Mutant:
    number: int
    file: str
    line: int
    start: int
    end: int
    text: str
    kind: str
    change: str


def masked(source: str) -> str:
    """The source with spaces in place of comments and of string literals."""
    pattern = re.compile(r'/\*.*?\*/|//[^\n]*|"""(?:\\.|.)*?"""|"(?:\\.|[^"\\\n])*"', re.S)
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), source)


def find(file: str, source: str, number: int) -> list[Mutant]:
    """The mutants of a file, numbered from `number`, none of which overlaps another."""
    found = []
    lines = source.split("\n")
    previous = "{"
    hidden = masked(source).split("\n")
    for index, code in enumerate(hidden):
        following = hidden[index + 1].strip() if index + 1 < len(hidden) else ""
        sites = []
        statement = STATEMENT_SITE.match(code.rstrip())
        if statement and is_whole(statement.group(1), previous, following):
            sites.append((*statement.span(1), "statement", "without the statement"))
        for site in OPERATOR_SITE.finditer(code):
            if code[: site.start()].strip() and not re.search(r"\b(func|operator|import) ", code):
                other = OPERATORS[site.group()][0]
                sites.append((*site.span(), "operator", f"{site.group()} becomes {other}"))
        for site in LITERAL_SITE.finditer(code):
            other = {"true": "false", "false": "true"}[site.group()]
            sites.append((*site.span(), "literal", f"{site.group()} becomes {other}"))
        for site in CONDITION_SITE.finditer(code):
            condition = site.group(1)
            if not re.match(r"(let|var|case|try|#|unsafe)\b", condition) and not OPERATOR_SITE.search(condition):
                sites.append((*site.span(1), "condition", f"not {condition}"))
        for start, end, kind, change in sites:
            text = lines[index][start:end]
            found.append(Mutant(number + len(found), file, index + 1, start, end, text, kind, change))
        if code.strip():
            previous = code.strip()
    return found


def is_whole(text: str, previous: str, following: str) -> bool:
    """Whether a line is a statement from its beginning to its end."""
    balanced = all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}"))
    begins = previous[-1] in "{}):" or previous.endswith("in") or re.search(r"[\w\]]$", previous)
    goes_on = re.match(r"[.?:&|+*/<>=-]|\{|else\b", following)
    return bool(balanced and begins and not goes_on and not KEYWORD.match(text))


def operator(mutant: Mutant) -> str:
    digits = f"{mutant.number:o}".translate(str.maketrans("01234567", "⊕⊖⊗⊘⊙⊚⊛⊜"))
    return mutant.text + digits


def declaration(mutant: Mutant) -> str:
    other, kind = OPERATORS[mutant.text]
    precedence, signature, right = DECLARATIONS[kind]
    name, attempt = operator(mutant), "try " if kind in ("and", "or") else ""
    return (
        f"infix operator {name}: {precedence}\n"
        f"@inlinable package func {name} {signature} {{\n"
        f"    mutant({mutant.number}) ? {attempt}a {other} {right} : {attempt}a {mutant.text} {right}\n}}\n")


def rewritten(source: str, mutants: list[Mutant]) -> str:
    """The source with all of its mutants in it."""
    lines = source.split("\n")
    # From the right to the left, and the inner one first where one lies within another.
    grown: dict[int, list[tuple[int, int]]] = {}
    for mutant in sorted(mutants, key=lambda m: (m.line, -m.start, m.end)):
        line = lines[mutant.line - 1]
        changes = grown.setdefault(mutant.line, [])
        end = mutant.end + sum(growth for start, growth in changes if start < mutant.end)
        changed = replacement(mutant, line[mutant.start:end])
        changes.append((mutant.start, len(changed) - (end - mutant.start)))
        lines[mutant.line - 1] = line[: mutant.start] + changed + line[end:]
    return "\n".join(lines)


def replacement(mutant: Mutant, code: str) -> str:
    match mutant.kind:
        case "operator": return operator(mutant)
        case "statement": return f"if !mutant({mutant.number}) {{ {code} }}"
        case _: return f"(mutant({mutant.number}) != ({code}))"
