"""Our stereo defaults beside OpenCV's StereoSGBM: the same pairs, the same range, in one run.

    python benchmarks/stereo.py                     # the Middlebury pairs, table and pictures
    python benchmarks/stereo.py --pairs venus       # one of them
    python benchmarks/stereo.py --kitti             # frame 000070, files to KITTI's PNG, 128 labels

A pixel without an answer counts as bad. Exits with 1 if a goal is missed. The data are looked for
in $RANGEMOVES_DATA, else in ../shared/data; the pictures go to demo-output/stereo.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import rangemoves as rm
from rangemoves.bench.peers import opencv

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("RANGEMOVES_DATA", ROOT.parent / "shared" / "data"))
# Per cent of the known pixels that may be more than one pixel off.
GOALS = {"tsukuba": 5, "sawtooth": 5, "venus": 4, "cones": 13, "teddy": 15}
KITTI_GIGABYTES = 4


def ours(pair):
    return rm.stereo.match(pair.left, pair.right, labels=pair.labels)


def timed(solve, pair):
    begin = time.perf_counter()
    disparity = solve(pair)
    return disparity, time.perf_counter() - begin


def picture(pair, maps):
    """Truth above the left image; each map above its errors."""
    limits = 0, pair.labels - 1
    columns = [np.vstack([rm.plots.disparity_colours(pair.disparity, limits), pair.left])]
    for disparity in maps:
        coloured = rm.plots.disparity_colours(disparity, limits)
        columns.append(np.vstack([coloured, rm.plots.error_colours(disparity, pair.disparity)]))
    return np.hstack(columns)


def compare(names, output):
    output.mkdir(parents=True, exist_ok=True)
    print("| pair | ours bad1 % | goal | StereoSGBM bad1 % | ours s | StereoSGBM s |")
    print("|---|---|---|---|---|---|")
    missed = []
    for name in names:
        pair = rm.datasets.middlebury(name, root=DATA)
        (our_map, our_seconds), (their_map, their_seconds) = (
            timed(solve, pair) for solve in (ours, opencv)
        )
        bad, their_bad = (
            rm.stereo.evaluate(disparity, pair.disparity)["bad1"]
            for disparity in (our_map, their_map)
        )
        rm.io.write_image(output / f"{name}.png", picture(pair, (our_map, their_map)))
        print(
            f"| {name} | {bad:.2f} | {GOALS[name]} | {their_bad:.2f} "
            f"| {our_seconds:.1f} | {their_seconds:.2f} |",
            flush=True,
        )
        if bad >= min(GOALS[name], their_bad):
            missed.append(name)
    print(f"pictures (truth, ours, StereoSGBM; below: image and errors) in {output}")
    return missed


def kitti(output):
    """The whole way through the command line, so that reading, memory and writing count."""
    output.mkdir(parents=True, exist_ok=True)
    folder, target = DATA / "kitti" / "000070", output / "000070.png"
    begin = time.perf_counter()
    images = [str(folder / "image_0.png"), str(folder / "image_1.png")]
    command = [sys.executable, "-m", "rangemoves", "stereo", *images, "-o", str(target)]
    subprocess.run([*command, "--labels", "128", "--png", "kitti", "--force"], check=True)
    seconds = time.perf_counter() - begin
    gigabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e9
    pair = rm.datasets.kitti("000070", root=DATA)
    scores = rm.stereo.evaluate(rm.io.read_disparity(target), pair.disparity, pair.mask)
    print(
        f"KITTI 000070, 128 labels: D1 {scores['d1']:.2f} %, "
        f"of the visible {scores['d1_noc']:.2f} %, {seconds:.1f} s, {gigabytes:.2f} GB"
    )
    return [] if gigabytes < KITTI_GIGABYTES else ["kitti"]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", nargs="+", choices=GOALS, default=list(GOALS))
    parser.add_argument("--kitti", action="store_true")
    parser.add_argument("--output", type=Path, default=ROOT / "demo-output" / "stereo")
    arguments = parser.parse_args()
    missed = (
        kitti(arguments.output) if arguments.kitti else compare(arguments.pairs, arguments.output)
    )
    if missed:
        sys.exit(f"goal missed: {', '.join(missed)}")


if __name__ == "__main__":
    main()
