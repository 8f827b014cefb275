"""Compares swiftlet-regex with google-re2: compare_regex.py PROGRAM PAIRS SEED."""

import random
import subprocess
import sys

import re2

RE2 = re2._re2.RE2
OPTIONS = re2.Options()
OPTIONS.log_errors = False
TEXTS_EACH = 5

LITERALS = list("abcXYZkKsS019_- .,/:") + ["é", "É", "ß", "ж", "Ж", "\u212a", "ſ", "€", "\n", "😀", "µ"]
ESCAPES = r"""\d \D \s \S \w \W \b \B \A \z \. \\ \n \t \x41 \x{e9} \x{1F600} \052 \07 \a \v \- \/ \_
    \pL \PL \p{Lu} \p{^Lu} \P{^Ll} \pN \p{Any} \Qa.b\E \Q*""".split()
WRONG = r"""\1 \8 \Z \q \x \xg1 \x{} \x{110000} \p{Foo} \p (?=a) (?!a) (?<=a) (?<!a) \ ( ) [ [a [z-a] [a-\d]
    [[:foo:]] (?P<n (?P<>a) (?P<a-b>x) (?z) (?-) (?i-) (? ** a++ {1} a{2,1} a{1001} a{1000,1001} (a{100}){11}
    (a{10,}){101} + |* (*) (?i)* \é [\b] (?P<x>a)(?P<x>b) (?P=x) a{1}{2} a**?""".split()
REPETITIONS = """* + ? *? +? ?? {2} {0} {1,3} {2,} {0,2}? {,2} {01} {a {1 {1, { {1000} {3,5}? {99999999999} {0,}
    {1,}""".split()
MEMBERS = r"""a b z 0-9 a-c ^ - ] \] \d \W \pL [:alpha:] [:^digit:] [:word:] \- \x41 é-ж k S \n . * [ [: : A-Z \Pn
    [:punct:] ſ \p{Lu}""".split()
GROUPS = ["(", "(?:", "(?i:", "(?s:", "(?m:", "(?U:", "(?-i:", "(?P<n>", "(?<m>", "(?is-m:", "(?i)(", "(?)("]


class Generator:
    def __init__(self, seed):
        self.chance = random.Random(seed)

    def members(self):
        count = self.chance.randint(1, 4)
        start = self.chance.choice(["[", "[^", "[]", "[^]"])
        return start + "".join(self.chance.choices(MEMBERS, k=count)) + "]"

    def atom(self, depth):
        place = self.chance.random()
        if place < 0.45:
            return self.chance.choice(LITERALS)
        if place < 0.55:
            return self.chance.choice(ESCAPES)
        if place < 0.62:
            return self.members()
        if place < 0.68:
            return self.chance.choice(".^$.")
        if place < 0.70:
            return self.chance.choice(WRONG)
        if depth == 0:
            return self.chance.choice(LITERALS)
        return self.chance.choice(GROUPS) + self.expression(depth - 1) + ")"

    def sequence(self, depth):
        count = self.chance.randint(0 if self.chance.random() < 0.1 else 1, 4)
        atoms = []
        for _ in range(count):
            repetition = self.chance.choice(REPETITIONS) if self.chance.random() < 0.3 else ""
            atoms.append(self.atom(depth) + repetition)
        return "".join(atoms)

    def expression(self, depth=3):
        count = 1 if self.chance.random() < 0.75 else self.chance.randint(2, 3)
        return "|".join(self.sequence(depth) for _ in range(count))

    def pattern(self):
        if self.chance.random() < 0.25:
            count = self.chance.randint(1, 9)
            return "".join(self.chance.choices("ab()[]{}|*+?\\^$.-:i<>P=1,0Qx", k=count))
        return ("(?i)" if self.chance.random() < 0.1 else "") + self.expression()

    def text(self, pattern):
        place = self.chance.random()
        if place < 0.5:
            return "".join(self.chance.choices(LITERALS, k=self.chance.randint(0, 8)))
        if place < 0.7:
            return "".join(self.chance.choices("ab", k=self.chance.randint(0, 12)))
        # A text that looks like the pattern often matches it.
        text = [character for character in pattern if character not in "()[]{}|*+?\\^$"]
        text = "".join(text[: self.chance.randint(0, len(text))])
        return text.swapcase() if self.chance.random() < 0.3 else text


def expected(expression, text):
    """What swiftlet-regex should answer."""
    whole = expression.Match(RE2.Anchor.ANCHOR_BOTH, text, 0, len(text))
    first = expression.Match(RE2.Anchor.UNANCHORED, text, 0, len(text))
    groups = "none"
    if first and first[0] != (-1, -1):
        groups = ";".join("-" if span == (-1, -1) else "%d,%d" % span for span in first)
    return "%d %s" % (bool(whole and whole[0] != (-1, -1)), groups)


def is_known(pattern, expression, text, answer):
    """Differences that are meant: the limits of both, and positions inside a code point, at which RE2 can match."""
    if "\\B" in pattern and not text.isascii():
        return True
    if answer.startswith("refused"):
        return "too large" in answer or "'\\C'" in answer or "scripts" in answer
    return not expression.ok() and b"pattern too large" in expression.error()


def main(program, count, seed):
    generator = Generator(seed)
    pairs = []
    while len(pairs) < count:
        pattern = generator.pattern()
        pairs += [(pattern, generator.text(pattern)) for _ in range(TEXTS_EACH)]
    lines = "".join(f"{pattern.encode().hex()} {text.encode().hex()}\n" for pattern, text in pairs)
    run = subprocess.run([program], input=lines.encode(), capture_output=True, check=True)
    answers = run.stdout.decode().splitlines()
    assert len(answers) == len(pairs), (len(answers), len(pairs))

    compiled = {}
    counts = dict.fromkeys(["accepted", "refused", "whole matches", "known differences", "differences"], 0)
    for (pattern, text), answer in zip(pairs, answers):
        if pattern not in compiled:
            compiled[pattern] = RE2(pattern.encode(), OPTIONS)
        expression = compiled[pattern]
        right = expected(expression, text.encode()) if expression.ok() else "refused"
        counts["accepted" if expression.ok() else "refused"] += 1
        counts["whole matches"] += right.startswith("1")
        if answer == right or right == "refused" and answer.startswith("refused"):
            continue
        if is_known(pattern, expression, text, answer):
            counts["known differences"] += 1
            continue
        counts["differences"] += 1
        if counts["differences"] <= 20:
            print(f"{pattern!r} {text!r}: {answer}, RE2 says {right} {expression.error().decode()}")
    print(f"{len(pairs)} pairs,", ", ".join(f"{value} {name}" for name, value in counts.items()))
    return counts["differences"] == 0 and counts["whole matches"] > 0


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])) else 1)
