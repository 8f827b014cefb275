"""Builds the scratch copy with all mutants in it, tries each of them, and lists the survivors."""

import argparse
import concurrent.futures
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import time

import schemata

SWIFT = os.environ.get("SWIFT", "swift").split()
# A change may make a test wait for ever.
LEAST_SILENCE = 30
# More tests at once would wait for each other so long that deadlines pass.
WIDTH = ("--experimental-maximum-parallelization-width", "8")


def swift_files(paths: list[str]) -> list[str]:
    files = []
    for path in map(pathlib.Path, paths):
        files += sorted(path.rglob("*.swift")) if path.is_dir() else [path]
    return [str(file) for file in files]


def write(scratch: pathlib.Path, module: str, mutants: list[schemata.Mutant], files: list[str]) -> None:
    for file in files:
        source = pathlib.Path(file).read_text()
        own = [mutant for mutant in mutants if mutant.file == file]
        update(scratch / file, schemata.rewritten(source, own))
    operators = [schemata.declaration(mutant) for mutant in mutants if mutant.kind == "operator"]
    update(scratch / module / "Mutants.swift", schemata.PRELUDE + "".join(operators))


def update(file: pathlib.Path, text: str) -> None:
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


def built(scratch: pathlib.Path, module: str, mutants: list[schemata.Mutant], files: list[str]):
    """The mutants that compile, once the scratch copy is built with them."""
    while True:
        write(scratch, module, mutants, files)
        build = subprocess.run(
            [*SWIFT, "build", "--build-tests", "--package-path", str(scratch)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if build.returncode == 0:
            return mutants
        errors = re.findall(r"^(/[^\n:]+\.swift):(\d+):\d+: error: (.*)$", build.stdout, re.M)
        refused = refused_mutants(scratch, mutants, errors)
        if not refused:
            sys.exit(build.stdout[-4_000:])
        print(f"{len(refused)} changes do not compile", file=sys.stderr)
        mutants = [mutant for mutant in mutants if mutant.number not in refused]


def refused_mutants(scratch, mutants, errors) -> set[int]:
    """The mutants on the lines of errors. Where there is none, those next to an error: of an expression of
    several lines, or a variable without a value, the place is elsewhere. Only then, because most errors
    without a mutant on their line are consequences of others."""
    on_line, near = set(), set()
    for path, line, _ in errors:
        file = os.path.relpath(path, scratch.resolve())
        own = [(abs(mutant.line - int(line)), mutant.number) for mutant in mutants if mutant.file == file]
        nearest = min(own, default=(0, 0))[0]
        (near if nearest else on_line).update(number for distance, number in own if distance == nearest)
    return on_line or near


def trial(bundle: pathlib.Path, number: int, silence: float, *options: str) -> tuple[str, float]:
    """`passed`, `failed` or `timed out`, and the longest time without a line of output. Ends with the
    first failure, and when nothing is written for `silence` seconds."""
    process = subprocess.Popen(
        [str(bundle), "--testing-library", "swift-testing", *WIDTH, *options],
        env={**os.environ, "MUTANT": str(number)},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    longest, verdict = 0.0, None
    while verdict is None:
        began = time.monotonic()
        is_ready = select.select([process.stderr], [], [], silence)[0]
        longest = max(longest, time.monotonic() - began)
        output = os.read(process.stderr.fileno(), 65_536) if is_ready else b""
        if "✘".encode() in output:
            verdict = "failed"
        elif not is_ready and process.poll() is None:
            verdict = "timed out"
        elif not output:
            verdict = "passed" if process.wait() == 0 else "failed"
    process.stderr.close()
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return verdict, longest


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("module")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--slow", required=True)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()

    files = swift_files(options.files)
    mutants: list[schemata.Mutant] = []
    for file in files:
        mutants += schemata.find(file, pathlib.Path(file).read_text(), len(mutants) + 1)
    print(f"{len(mutants)} changes in {len(files)} files", file=sys.stderr)
    mutants = built(options.scratch, options.module, mutants[:: options.every], files)

    bundle = options.scratch / ".build/debug/swiftletPackageTests.xctest"
    def silence(*options: str) -> float:
        """After which a trial has hung, from the longest silence of the unchanged code."""
        verdict, longest = trial(bundle, 0, 600, *options)
        if verdict != "passed":
            sys.exit("the tests fail without any change")
        return max(LEAST_SILENCE, 3 * longest)

    fast = ("--skip", options.slow)
    fast_silence, whole_silence = silence(*fast), silence()
    end = time.monotonic() + options.minutes * 60

    def judge(mutant):
        if time.monotonic() > end:
            return mutant, "not tried"
        verdict, _ = trial(bundle, mutant.number, fast_silence, *fast)
        # The slow tests are run only where the others pass.
        if verdict == "passed":
            verdict, _ = trial(bundle, mutant.number, whole_silence)
        return mutant, verdict

    counts: dict[str, int] = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for mutant, verdict in pool.map(judge, mutants):
            counts[verdict] = counts.get(verdict, 0) + 1
            if verdict == "passed":
                print(f"{mutant.file}:{mutant.line}:{mutant.start + 1}: survived: {mutant.change}: {mutant.text}",
                      flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())), file=sys.stderr)


if __name__ == "__main__":
    main()
