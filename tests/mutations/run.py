"""Put faults into a copy of the core, one at a time, and see whether its tests notice.

    PYTHONPATH=tests python -m mutations.run --folder build/mutations
    PYTHONPATH=tests python -m mutations.run --folder build/mutations --only 3

The copy and what was built of it stay, so that only files that change are compiled again. Ends with
1 where a fault survives, and with 2 where the tests fail without one.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

from mutations.catalogue import MUTATIONS, Mutation

ROOT = Path(__file__).parents[2]
# Those that notice most of it in the least time first.
TESTS = (
    "test_slack",
    "test_better_labels",
    "test_reduced_costs",
    "test_mini_buckets",
    "test_layered_search",
    "test_table_search",
    "test_islands",
    "test_elimination",
    "test_certify",
    "test_certificate",
    "test_lazy_messages",
    "test_node_rows",
    "test_branch_and_bound",
    "test_proof",
)
# A fault may make a search endless, and let it take all memory on the way.
HANGS_AFTER = 120.0
MOST_BYTES = 4 << 30


class BuildError(Exception):
    """The copy does not compile: a fault is not well put."""


def sources() -> dict[Path, bytes]:
    """All that the core is built from, by its path in the tree. Compiled with little effort."""
    cmake = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    for effort in ("-O2", "-O3"):
        cmake = cmake.replace(effort, "-O1")
    files = {Path("CMakeLists.txt"): cmake.encode()}
    for path in sorted((ROOT / "core").rglob("*")):
        if path.is_file():
            files[path.relative_to(ROOT)] = path.read_bytes()
    return files


def mutated(files: dict[Path, bytes], mutation: Mutation) -> dict[Path, bytes]:
    path = Path(mutation.file)
    text = files[path].decode()
    if text.count(mutation.old) != 1:
        raise ValueError(f"not once in {mutation.file}: {mutation.old!r}")
    return {**files, path: text.replace(mutation.old, mutation.new).encode()}


def write(files: dict[Path, bytes], tree: Path) -> None:
    """Make the tree this one. Files that are as they should be are not touched."""
    for path in tree.rglob("*"):
        if path.is_file() and path.relative_to(tree) not in files:
            path.unlink()
    for name, content in files.items():
        path = tree / name
        if path.is_file() and path.read_bytes() == content:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def tool(name: str) -> str:
    """The one of the interpreter's environment, else that of the machine."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"needs {name}")
    return found


def build(tree: Path, folder: Path, jobs: int) -> None:
    cmake = tool("cmake")
    configure = [cmake, "-S", str(tree), "-B", str(folder), "-G", "Ninja"]
    configure += [f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}", "-DRANGEMOVES_BUILD_TESTS=ON"]
    # No build type: it would add options of its own.
    configure += ["-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O1 -w"]
    compile_all = [cmake, "--build", str(folder), "--parallel", str(jobs), "--target", *TESTS]
    for command in (configure, compile_all):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise BuildError(done.stdout[-3000:] + done.stderr[-3000:])


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


def first_failure(folder: Path) -> str | None:
    """Which test fails first, and with what words."""
    for name in TESTS:
        try:
            done = subprocess.run(
                [str(folder / name)],
                capture_output=True,
                text=True,
                timeout=HANGS_AFTER,
                preexec_fn=_limit_memory,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"{name}: does not end"
        if done.returncode != 0:
            words = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
            return f"{name}: {words.removeprefix('failed: ')}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True, help="where the copy is built")
    parser.add_argument("--jobs", type=int, default=1, help="of the compiler, at once")
    parser.add_argument("--only", type=int, help="the number of one fault")
    given = parser.parse_args()
    tree, folder = given.folder / "tree", given.folder / "build"
    files = sources()
    write(files, tree)
    build(tree, folder, given.jobs)
    if failure := first_failure(folder):
        print(f"without any fault: {failure}")
        return 2
    survived = 0
    numbers = range(len(MUTATIONS)) if given.only is None else [given.only]
    for number in numbers:
        mutation, start = MUTATIONS[number], time.monotonic()
        write(mutated(files, mutation), tree)
        build(tree, folder, given.jobs)
        failure = first_failure(folder)
        survived += failure is None
        outcome = "SURVIVED" if failure is None else f"caught by {failure}"
        seconds = time.monotonic() - start
        print(f"{number:2d} {seconds:4.0f} s  {mutation.breaks}: {outcome}", flush=True)
    write(files, tree)
    print(f"{len(numbers)} faults, {survived} survived")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
