"""Solve random small problems in every way there is, and check every promise.

    PYTHONPATH=tests python -m fuzz.solver --seed 0 --count 50000
    PYTHONPATH=tests python -m fuzz.solver --seed 0 --only 1234

Problems are numbered, and each depends on the seed and its number alone. They are solved in
processes of their own: one that crashes or hangs is a failure like any other.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection, wait

from fuzz.checks import Failure, check_number

# Everything that is wrong with a problem: of a seed, a number, and whether to show it.
Check = Callable[..., list[Failure]]

# No problem takes more than a few seconds, but sanitizers and other work may slow them down.
HANGS_AFTER = 600.0
# A problem that takes longer than this is named while it runs.
SLOW_AFTER = 20.0


def _work(check: Check, seed: int, numbers: list[int], results: Connection) -> None:
    for number in numbers:
        results.send(number)
        try:
            results.send(check(seed, number))
        except Exception:
            # A fault of this program rather than of the solver, and just as much to be mended.
            results.send([Failure("the check itself broke", traceback.format_exc(), number)])
    results.send(None)


class _Worker:
    def __init__(self, check: Check, seed: int, numbers: list[int]) -> None:
        self.check, self.seed, self.numbers = check, seed, numbers
        self.begin()

    def begin(self) -> None:
        self.at = -1
        self.since = time.monotonic()
        self.results, theirs = multiprocessing.Pipe(duplex=False)
        context = multiprocessing.get_context("spawn")
        given = (self.check, self.seed, self.numbers, theirs)
        self.process = context.Process(target=_work, args=given)
        self.process.start()
        theirs.close()

    def go_on_after(self, kind: str, detail: str) -> tuple[Failure, bool]:
        """The failure that ended the process, and whether there is more to do."""
        self.process.kill()
        self.process.join()
        failure = Failure(kind, detail, self.at)
        self.numbers = self.numbers[self.numbers.index(self.at) + 1 :] if self.at >= 0 else []
        if self.numbers:
            self.begin()
        return failure, bool(self.numbers)


def fuzz(
    seed: int,
    numbers: Iterable[int],
    jobs: int,
    progress: bool = False,
    check: Check = check_number,
) -> list[Failure]:
    """Check these problems and return what failed."""
    numbers = list(numbers)
    failures: list[Failure] = []
    workers = [_Worker(check, seed, numbers[k::jobs]) for k in range(jobs) if numbers[k::jobs]]
    done, shown = 0, time.monotonic()
    while workers:
        ready = wait([worker.results for worker in workers], timeout=5)
        for worker in list(workers):
            more = True
            try:
                while worker.results in ready and worker.results.poll():
                    message = worker.results.recv()
                    worker.since = time.monotonic()
                    if message is None:
                        worker.process.join()
                        more = False
                        break
                    if isinstance(message, int):
                        worker.at = message
                    else:
                        done += 1
                        failures += message
            except EOFError:
                worker.process.join()
                ended = f"exit status {worker.process.exitcode}"
                failure, more = worker.go_on_after("process died", ended)
                failures.append(failure)
            if more and time.monotonic() - worker.since > HANGS_AFTER:
                failure, more = worker.go_on_after("hangs", f"for {HANGS_AFTER:g} s")
                failures.append(failure)
            if not more:
                workers.remove(worker)
        if progress and time.monotonic() - shown > 10:
            shown = time.monotonic()
            slow = [w.at for w in workers if shown - w.since > SLOW_AFTER]
            waiting = f", waiting for problem {', '.join(map(str, slow))}" if slow else ""
            print(f"{done} of {len(numbers)}, {len(failures)} failures{waiting}", flush=True)
    return failures


def report(failures: list[Failure], seed: int, target: str = "fuzz") -> str:
    """A table of the kinds of failures, and the smallest problem of each kind."""
    by_kind: dict[str, list[Failure]] = defaultdict(list)
    for failure in failures:
        by_kind[failure.kind].append(failure)
    lines = [f"{'failure':36} {'times':>6} {'problems':>8}  methods"]
    ranked = sorted(by_kind.items(), key=lambda item: -len(item[1]))
    for kind, members in ranked:
        methods = Counter(f.method for f in members if f.method)
        named = ", ".join(f"{name} {count}" for name, count in methods.most_common(4))
        problems = len({f.number for f in members})
        lines.append(f"{kind:36} {len(members):6} {problems:8}  {named}")
    for kind, members in ranked:
        smallest = min(members, key=lambda f: (f.size, f.number))
        lines += ["", f"{kind}: problem {smallest.number} is the smallest, {smallest.detail}"]
        for tag in ("topology", "prior", "costs", "dtype", "weights", "engine", "RANGEMOVES_SIMD"):
            common = Counter(f.tags.get(tag, "") for f in members).most_common(5)
            lines.append(f"    {tag:16} " + ", ".join(f"{v or '-'} {n}" for v, n in common))
        lines.append(f"    again: make {target} SEED={seed} ONLY={smallest.number}")
    return "\n".join(lines)


def main(
    check: Check = check_number,
    name: str = "solver",
    doc: str = __doc__,
    count: int = 50_000,
    target: str = "fuzz",
) -> int:
    """Do what the command line asks for; a fuzzer of other problems brings its own check."""
    parser = argparse.ArgumentParser(prog=f"fuzz.{name}", description=doc.split("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=count, help="how many problems")
    parser.add_argument("--first", type=int, default=0, help="the number of the first problem")
    parser.add_argument("--only", type=int, help="this problem alone, shown in full")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    begin = time.monotonic()
    if asked.only is not None:
        failures = check(asked.seed, asked.only, verbose=True)
        print(f"# problem {asked.only}: {len(failures)} failures")
        return 1 if failures else 0
    numbers = range(asked.first, asked.first + asked.count)
    failures = fuzz(asked.seed, numbers, asked.jobs, progress=True, check=check)
    seconds = time.monotonic() - begin
    if failures:
        print(report(failures, asked.seed, target))
    print(
        f"seed {asked.seed}: {asked.count} problems in {seconds:.0f} s, {len(failures)} failures",
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
