"""Tiles: energy and bound beside the untiled run, memory, time, and what survives being killed.

    python benchmarks/tiled.py energies              # 1000x1500x32 and 1500x2000x32, both priors
    python benchmarks/tiled.py large                 # 4000x4000x64 in 2 GB, on two threads
    python benchmarks/tiled.py scaling               # time against pixels, two threads or processes
    python benchmarks/tiled.py workers               # a worker of four killed every 20 seconds
    python benchmarks/tiled.py kills --kills 50      # the whole run killed at random moments

Other sizes: --sizes 400x600x32. The untiled run is what tiles do without tiles: 100 sweeps of trws,
then moves from there. Exits with 1 where a goal is missed. Parts "workers" and "kills" need more:
pip install "rangemoves[distributed]".
"""

import json
import math
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from measuring import Goals, Table, fastest, in_own_process, parser

import rangemoves as rm
from rangemoves.images import check_pair
from rangemoves.machine import available_cores, own_peak_memory
from rangemoves.stereo.streamed_pair import PairCosts, PairWeights, StreamedPair

PARTS = ("energies", "large", "scaling", "workers", "kills")
SIZES = {
    "energies": ("1000x1500x32", "1500x2000x32"),
    "large": ("4000x4000x64",),
    "scaling": ("1000x1000x32", "2000x2000x32", "4000x4000x32"),
    "workers": ("1000x1000x32",),
    "kills": ("200x300x16",),
}

ENERGY_ABOVE = 0.05  # per cent
BOUND_BELOW = 0.2
GIGABYTES = 2.0
SPEEDUP = 1.7
# Times per pixel may differ by this factor: tiles at the border are smaller.
GROWTH = 1.3


# What a run that is to be killed says when it has been loaded.
BEGUN = "begun"


def sides(size):
    return tuple(map(int, size.split("x")))


def pair_file(size, folder):
    """Images of a size, made by another process: rendering them takes gigabytes."""
    path = Path(folder) / f"{size}.npy"
    if not path.exists():
        in_own_process(__file__, "--make", size, path)
    return path


def make(size, path):
    height, width, labels = sides(size)
    # Strips: the renderer holds many maps of all pixels at a time.
    strips = []
    for top in range(0, height, 500):
        shape = (min(500, height - top), width)
        pair = rm.datasets.synthetic_stereo(seed=top, shape=shape, labels=labels)
        strips.append(np.stack(check_pair(pair.left, pair.right)))
    np.save(path, np.concatenate(strips, axis=1))
    return {"file": str(path)}


def problem(path, labels, kind="linear"):
    """Costs and weights as functions of a box, and the prior."""
    left, right = np.load(path, mmap_mode="r")
    pair = StreamedPair(left, right)
    if kind == "linear":
        return PairCosts(pair, labels, 0), rm.TruncatedLinear(3), PairWeights(pair, 32)
    # Harder: pixel differences alone, and a prior that mends what is small.
    return SquaredCosts(left, right, labels), rm.TruncatedQuadratic(3), PairWeights(pair, 24)


class SquaredCosts:
    """Birchfield-Tomasi costs of a box."""

    def __init__(self, left, right, labels):
        self.left, self.right, self.labels = left, right, labels

    def __call__(self, box):
        rows, columns = box
        first = max(0, columns.start - self.labels - 2)
        last = min(self.left.shape[1], columns.stop + 2)
        part = (rows, slice(first, last))
        costs = rm.stereo.cost_volume(self.left[part], self.right[part], self.labels)
        return costs[:, columns.start - first :][:, : columns.stop - columns.start]


def untiled(source, prior, weights, shape):
    box = tuple(slice(0, side) for side in shape[:2])
    down, right = weights(box)
    energy = rm.Energy(source(box), prior, [down, right], copy=False)
    swept = rm.minimize(energy, "trws", threads=1)
    moved = rm.minimize(energy, "gswapf", init=swept, threads=1)
    return moved.energy, swept.lower_bound


def energies(sizes, folder, goals):
    table = Table("size", "prior", "energy", "untiled", "bound", "untiled", "seconds", "untiled s")
    for size in sizes:
        for kind in ("linear", "quadratic"):
            shape = sides(size)
            source, prior, weights = problem(pair_file(size, folder), shape[2], kind)
            begin = time.perf_counter()
            energy, bound = untiled(source, prior, weights, shape)
            between = time.perf_counter()
            found = rm.tiled.minimize(
                source, prior, weights, shape=shape, tiles=(256, 256), threads=1
            )
            seconds = time.perf_counter() - between
            table.row(
                size,
                kind,
                f"{found.energy:.0f}",
                f"{energy:.0f}",
                f"{found.lower_bound:.0f}",
                f"{bound:.0f}",
                f"{seconds:.0f}",
                f"{between - begin:.0f}",
            )
            above = 100 * (found.energy / energy - 1)
            below = 100 * (1 - found.lower_bound / bound)
            name = f"{size} {kind}"
            goals.at_most(f"{name}: energy above the untiled", above, ENERGY_ABOVE, "%", ".4f")
            goals.at_most(f"{name}: bound below the untiled", below, BOUND_BELOW, "%", ".4f")


def one_large(size, path, others):
    """One run in this process, with what other processes leave of the limit.

    The system refuses to give it more, so that what it reports cannot be too little. It counts
    memory as soon as it is asked for, used or not.
    """
    resource.setrlimit(resource.RLIMIT_DATA, (int(GIGABYTES * 1e9) - int(others),) * 2)
    shape = sides(size)
    source, prior, weights = problem(path, shape[2])
    begin = time.perf_counter()

    def tell(record):
        print(
            f"{record.step}: energy {record.energy:.0f}, bound {record.lower_bound or 0:.0f}, "
            f"{record.seconds:.0f} s, peak {own_peak_memory() / 1e6:.0f} MB",
            file=sys.stderr,
            flush=True,
        )

    found = rm.tiled.minimize(
        source,
        prior,
        weights,
        shape=shape,
        threads=2,
        max_memory=int(GIGABYTES * 1e9),
        callback=tell,
    )
    return {
        "energy": found.energy,
        "bound": found.lower_bound,
        "seconds": time.perf_counter() - begin,
        "peak": own_peak_memory(),
        "tiles": found.options["tiles"],
    }


def large(sizes, folder, goals):
    table = Table("size", "tiles", "energy", "bound", "gap %", "seconds", "peak MB")
    for size in sizes:
        path, waiting = pair_file(size, folder), own_peak_memory()
        run = in_own_process(__file__, "--large", size, path, waiting, shown=True)
        gap = 100 * (run["energy"] - run["bound"]) / run["energy"]
        table.row(
            size,
            "x".join(map(str, run["tiles"])),
            f"{run['energy']:.0f}",
            f"{run['bound']:.0f}",
            f"{gap:.4f}",
            f"{run['seconds']:.0f}",
            f"{run['peak'] / 1e6:.0f}",
        )
        # The process that waits for it belongs to the tree.
        peak = (run["peak"] + waiting) / 1e9
        goals.at_most(f"{size}: memory of all processes", peak, GIGABYTES, "GB")


def single(size, path):
    """A run on one thread, begun when a line arrives."""
    shape = sides(size)
    source, prior, weights = problem(path, shape[2])
    print(BEGUN, flush=True)
    sys.stdin.readline()
    begin = time.perf_counter()
    rm.tiled.minimize(source, prior, weights, shape=shape, tiles=(256, 256), threads=1)
    return {"seconds": time.perf_counter() - begin}


def seconds_apart(size, path):
    """How long two processes take that solve the same at once, each for itself."""
    command = [sys.executable, __file__, "--single", size, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as one, subprocess.Popen(command, **pipes) as other:
        for process in (one, other):
            assert process.stdout.readline().strip() == BEGUN
        for process in (one, other):
            process.stdin.write("\n")
            process.stdin.flush()
        return max(json.loads(process.stdout.readline())["seconds"] for process in (one, other))


def scaling(sizes, folder, goals):
    table = Table("size", "threads", "seconds", "microseconds a pixel")
    per_pixel = []
    for number, size in enumerate(sizes):
        shape = sides(size)
        source, prior, weights = problem(pair_file(size, folder), shape[2])

        def run(threads, arguments=(source, prior, weights), shape=shape):
            return rm.tiled.minimize(*arguments, shape=shape, tiles=(256, 256), threads=threads)

        many = min(2, available_cores())
        works = {many: lambda run=run, many=many: run(many)}
        if number == 0:
            works[1] = lambda run=run: run(1)
        done = fastest(works, 2 if number == 0 else 1)
        for threads, (_, seconds) in done.items():
            table.row(
                size, threads, f"{seconds:.1f}", f"{1e6 * seconds / math.prod(shape[:2]):.1f}"
            )
        per_pixel.append(done[many][1] / math.prod(shape[:2]))
        if number == 0:
            path = pair_file(size, folder)
            # What the machine has to give: processes that share nothing but its memory.
            apart = 2 * done[1][1] / min(seconds_apart(size, path) for _ in range(2))
            goals.ratio(
                f"two threads against one ({apart:.2f} by two processes)",
                done[1][1],
                done[many][1],
                SPEEDUP,
            )
    goals.at_most("time per pixel, most / least", max(per_pixel) / min(per_pixel), GROWTH, "")


def workers(sizes, folder, goals, every):
    import distributed

    for size in sizes:
        shape = sides(size)
        source, prior, weights = problem(pair_file(size, folder), shape[2])
        how = {"shape": shape, "tiles": (128, 128)}
        expected = rm.tiled.minimize(source, prior, weights, **how)
        killed = []
        with (
            distributed.LocalCluster(
                n_workers=4, threads_per_worker=1, dashboard_address=":0"
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            over = threading.Event()

            def kill(over=over, cluster=cluster, killed=killed):
                while not over.wait(every):
                    worker = list(cluster.workers.values())[len(killed) % 4]
                    if worker.process is not None and worker.process.pid:
                        os.kill(worker.process.pid, signal.SIGKILL)
                        killed.append(worker.process.pid)

            killer = threading.Thread(target=kill)
            killer.start()
            try:
                path = str(pair_file(size, folder))
                found = rm.tiled.minimize(
                    OnWorkers(path, shape[2], 0),
                    prior,
                    OnWorkers(path, shape[2], 2),
                    client=client,
                    **how,
                )
            finally:
                over.set()
                killer.join()
        same = np.array_equal(found.labels, expected.labels)
        goals.add(
            f"{size}: {len(killed)} workers killed",
            "same" if same else "other",
            "same labels",
            same,
        )
        goals.add("workers killed", str(len(killed)), ">= 1", len(killed) >= 1)


class OnWorkers:
    """Costs or weights of a pair in a file, which travels by its name."""

    def __init__(self, path, labels, part):
        self.path, self.labels, self.part = path, labels, part

    def __call__(self, box):
        return problem(self.path, self.labels)[self.part](box)


def resumable(size, path, checkpoint, output):
    """A run with a checkpoint, to be killed."""
    shape = sides(size)
    source, prior, weights = problem(path, shape[2])
    print(BEGUN, flush=True)
    begin = time.perf_counter()
    found = rm.tiled.minimize(
        source, prior, weights, shape=shape, tiles=(64, 64), checkpoint=checkpoint, threads=2
    )
    seconds = time.perf_counter() - begin
    # Under another name first: a kill may come while it is written.
    np.save(f"{output}.part.npy", found.labels)
    Path(f"{output}.part.npy").replace(output)
    return {"energy": found.energy, "seconds": seconds}


def kills(sizes, folder, goals, count):
    rng = random.Random(0)
    for size in sizes:
        path = pair_file(size, folder)
        whole = subprocess.run(
            resumable_command(size, path, folder, "unbroken"), check=True, capture_output=True
        )
        seconds = json.loads(whole.stdout.splitlines()[-1])["seconds"]
        done = runs = wrong = 0
        while done < count:
            runs += 1
            output = Path(folder) / f"broken{runs}.npy"
            while not output.exists():
                command = resumable_command(size, path, folder, f"broken{runs}")
                done += killed_at_work(command, rng.uniform(0, seconds / 2))
            wrong += not np.array_equal(np.load(output), np.load(Path(folder) / "unbroken.npy"))
        same = f"{runs - wrong} of {runs}"
        goals.add(f"{size}: runs equal to the unbroken, {done} kills", same, "all", wrong == 0)


def killed_at_work(command, seconds):
    """Start a run, and kill it so long after its work has begun; whether it was still there."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline().decode().strip() == BEGUN
        process.wait(seconds)
        return False
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        return True
    finally:
        process.stdout.close()
        process.wait()


def resumable_command(size, path, folder, name):
    places = [Path(folder) / f"{name}.zarr", Path(folder) / f"{name}.npy"]
    return [sys.executable, __file__, "--resumable", size, *map(str, (path, *places))]


def main():
    arguments = parser(__doc__)
    arguments.add_argument("parts", nargs="*", choices=[*PARTS, []], help="by default all")
    arguments.add_argument("--sizes", nargs="+", help="rows x columns x labels")
    arguments.add_argument("--kills", type=int, default=50)
    arguments.add_argument("--every", type=float, default=20, help="seconds between two workers")
    arguments.add_argument("--folder", help="keep images and checkpoints here")
    arguments.add_argument("--make", nargs=2, metavar=("SIZE", "FILE"))
    arguments.add_argument("--single", nargs=2, metavar=("SIZE", "FILE"))
    arguments.add_argument("--large", nargs=3, metavar=("SIZE", "FILE", "OTHERS"))
    arguments.add_argument("--resumable", nargs=4, metavar=("SIZE", "FILE", "CHECKPOINT", "OUTPUT"))
    given = arguments.parse_args()
    own = {"make": make, "single": single, "large": one_large, "resumable": resumable}
    for name, work in own.items():
        if getattr(given, name):
            print(json.dumps(work(*getattr(given, name))))
            return 0
    goals = Goals()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or temporary
        for part in given.parts or PARTS:
            more = {"workers": (given.every,), "kills": (given.kills,)}.get(part, ())
            globals()[part](given.sizes or SIZES[part], folder, goals, *more)
    return goals.tell()[1]


if __name__ == "__main__":
    sys.exit(main())
