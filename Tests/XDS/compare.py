"""Plays each row to grpcio's client and to this library's, and compares what they ask and do.

usage: compare.py [--program PROGRAM] [--client NAME] [--only PATTERN] [--jobs N] [-v]

A row fails where a client does not do what its steps expect, or where the requests of the clients differ
and the row does not say why.
"""
import argparse
import glob
import importlib.util
import os
import re
import sys
import time
from concurrent import futures

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import steps
from play import Run


def load_rows():
    for path in sorted(glob.glob(os.path.join(HERE, "rows", "*.py"))):
        before = len(steps.ROWS)
        spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
        for row in steps.ROWS[before:]:
            row.theme = spec.name
    names = [row.name for row in steps.ROWS]
    twice = {name for name in names if names.count(name) > 1}
    assert not twice, f"rows with the same name: {twice}"
    return steps.ROWS


class Result:
    def __init__(self, row):
        self.row = row
        self.failures = []
        self.reasons = set()
        self.text = []
        self.seconds = 0


def play(row, clients, verbose):
    result = Result(row)
    start = time.monotonic()
    runs = {}
    for name, command in clients.items():
        if row.only and row.only != name:
            continue
        try:
            run = Run(row, name, command)
            wrong = run.play()
            if row.crash and name == "grpcio":
                result.reasons.add("grpcio's process crashes: " + row.crash)
                crashed = wrong and "the client has ended with -11" in wrong
                wrong = None if crashed else f"no crash any more: {wrong or 'all is right'}"
        except Exception as error:
            import traceback
            wrong = f"{type(error).__name__}: {error}\n{traceback.format_exc()}"
        runs[name] = run
        result.reasons |= run.reasons
        if wrong:
            result.failures.append(f"{name}: {wrong}")
        if verbose or wrong:
            result.text.append(f"    {name}")
            for plane in run.planes.values():
                result.text += [f"        {plane.name}{request}"[:240] for request in plane.requests[-40:]]
            result.text += [f"        {note[:400]}" for note in run.notes[-40:]]
    if len(runs) == 2 and not result.failures and not row.crash:
        theirs, ours = (run.requests() for run in runs.values())
        # Where calls or answers differ for a reason, so do the requests.
        if theirs != ours and not row.differs and not result.reasons:
            missing = [line for line in theirs if line not in ours]
            more = [line for line in ours if line not in theirs]
            result.failures.append(f"requests differ: grpcio {missing or theirs}, swiftlet {more or ours}")
        elif theirs == ours and row.differs:
            result.failures.append("the requests are the same, though a reason is given for a difference")
    if row.differs:
        result.reasons.add(row.differs)
    if row.why:
        result.reasons.add(row.why)
    result.seconds = time.monotonic() - start
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="")
    parser.add_argument("--client", choices=("grpcio", "swiftlet"))
    parser.add_argument("--only", default="", help="a regular expression for theme: name")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-v", action="store_true", dest="verbose")
    arguments = parser.parse_args()
    commands = {"grpcio": [sys.executable, "-B", os.path.join(HERE, "client.py")],
                "swiftlet": [arguments.program]}
    clients = {name: command for name, command in commands.items()
               if arguments.client in (None, name)}
    rows = [row for row in load_rows()
            if re.search(arguments.only, f"{row.theme}: {row.name}", re.IGNORECASE)]
    results = []
    # Rows that wait for timers need no processor meanwhile.
    with futures.ThreadPoolExecutor(arguments.jobs) as quick, futures.ThreadPoolExecutor(24) as slow:
        jobs = [(slow if row.slow else quick).submit(play, row, clients, arguments.verbose) for row in rows]
        for job in futures.as_completed(jobs):
            result = job.result()
            results.append(result)
            if result.failures:
                print(f"✘ {result.row.theme}: {result.row.name} ({result.seconds:.1f} s)")
                for failure in result.failures:
                    print(f"    {failure}")
            elif arguments.verbose:
                print(f"✔ {result.row.theme}: {result.row.name} ({result.seconds:.1f} s)")
            for line in result.text:
                print(line)
            sys.stdout.flush()
    summary(rows, results)
    return 1 if any(result.failures for result in results) or not rows else 0


def summary(rows, results):
    print(f"\n| {'rows':18} | passed | failed |\n| --- | --- | --- |")
    for theme in dict.fromkeys(row.theme for row in rows):
        mine = [result for result in results if result.row.theme == theme]
        failed = sum(1 for result in mine if result.failures)
        print(f"| {theme:18} | {len(mine) - failed:6} | {failed:6} |")
    failed = sum(1 for result in results if result.failures)
    print(f"| {'all':18} | {len(results) - failed:6} | {failed:6} |")
    reasons = [(reason, result.row.name) for result in results for reason in result.reasons]
    if reasons:
        print("\nDifferences, and why:")
        for reason, name in sorted(reasons):
            print(f"- {name}: {reason}")


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # Threads of grpcio's servers may still end.
    os._exit(code)
