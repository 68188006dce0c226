"""Our stereo defaults beside OpenCV's StereoSGBM: the same pairs, the same range, in one run.

    python benchmarks/stereo.py                     # the Middlebury pairs, table and pictures
    python benchmarks/stereo.py --pairs venus       # one of them
    python benchmarks/stereo.py --kitti             # frame 000070, files to KITTI's PNG, 128 labels

A pixel without an answer counts as bad. Exits with 1 if a goal is missed. The pictures go to
demo-output/stereo.
"""

import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
from measuring import DATA, Goals, Table, output_folder, parser, timed

import rangemoves as rm
from rangemoves.bench.peers import opencv

# Per cent of the known pixels that may be more than one pixel off.
GOALS = {"tsukuba": 5, "sawtooth": 5, "venus": 4, "cones": 13, "teddy": 15}
KITTI_GIGABYTES = 4


def ours(pair):
    return rm.stereo.match(pair.left, pair.right, labels=pair.labels)


def picture(pair, maps):
    """Truth above the left image; each map above its errors."""
    limits = 0, pair.labels - 1
    columns = [np.vstack([rm.plots.disparity_colours(pair.disparity, limits), pair.left])]
    for disparity in maps:
        coloured = rm.plots.disparity_colours(disparity, limits)
        columns.append(np.vstack([coloured, rm.plots.error_colours(disparity, pair.disparity)]))
    return np.hstack(columns)


def compare(names, output, goals):
    table = Table("pair", "ours bad1 %", "StereoSGBM bad1 %", "ours s", "StereoSGBM s")
    for name in names:
        pair = rm.datasets.middlebury(name, root=DATA)
        our_map, our_seconds = timed(lambda pair=pair: ours(pair))
        their_map, their_seconds = timed(lambda pair=pair: opencv(pair))
        bad, their_bad = (
            rm.stereo.evaluate(disparity, pair.disparity)["bad1"]
            for disparity in (our_map, their_map)
        )
        rm.io.write_image(output / f"{name}.png", picture(pair, (our_map, their_map)))
        table.row(
            name, f"{bad:.2f}", f"{their_bad:.2f}", f"{our_seconds:.1f}", f"{their_seconds:.2f}"
        )
        goal = min(GOALS[name], their_bad)
        goals.add(f"{name}: bad1", f"{bad:.2f} %", f"< {goal:.2f} %", bad < goal)
    print(f"pictures (truth, ours, StereoSGBM; below: image and errors) in {output}")


def kitti(output, goals):
    """The whole way through the command line, so that reading, memory and writing count."""
    folder, target = DATA / "kitti" / "000070", output / "000070.png"
    images = [str(folder / "image_0.png"), str(folder / "image_1.png")]
    command = [sys.executable, "-m", "rangemoves", "stereo", *images, "-o", str(target)]
    command += ["--labels", "128", "--png", "kitti", "--force"]
    _, seconds = timed(lambda: subprocess.run(command, check=True))
    gigabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e9
    pair = rm.datasets.kitti("000070", root=DATA)
    scores = rm.stereo.evaluate(rm.io.read_disparity(target), pair.disparity, pair.mask)
    print(
        f"KITTI 000070, 128 labels: D1 {scores['d1']:.2f} %, "
        f"of the visible {scores['d1_noc']:.2f} %, {seconds:.1f} s"
    )
    goals.at_most("KITTI 000070: memory", gigabytes, KITTI_GIGABYTES, "GB")


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--pairs", nargs="+", choices=GOALS, default=list(GOALS))
    arguments.add_argument("--kitti", action="store_true")
    arguments.add_argument("--output", type=Path, help="instead of demo-output/stereo")
    given = arguments.parse_args()
    output = given.output or output_folder("stereo")
    output.mkdir(parents=True, exist_ok=True)
    goals = Goals()
    if given.kitti:
        kitti(output, goals)
    else:
        compare(given.pairs, output, goals)
    return goals.tell()[1]


if __name__ == "__main__":
    sys.exit(main())
