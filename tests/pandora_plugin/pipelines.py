"""Small pairs as Pandora has them, and its pipeline run on them."""

import copy

import numpy as np
import pandora
import xarray as xr
from pandora.check_configuration import update_conf
from pandora.state_machine import PandoraMachine

import rangemoves as rm

LABELS = 12


def grey_pair(shape=(40, 60), seed=0):
    """Left, right, and the disparities of the left image, NaN where the right one lacks them."""
    pair = rm.datasets.synthetic_stereo(seed=seed, shape=shape, labels=LABELS)
    left, right = (image.mean(axis=2).round() for image in (pair.left, pair.right))
    return left, right, np.where(pair.mask, pair.disparity, np.nan)


def dataset(image, least, most):
    """An image with its range of disparities; Pandora looks for left x at right x + d."""
    rows, columns = image.shape
    limits = np.stack([np.full(image.shape, least), np.full(image.shape, most)])
    return xr.Dataset(
        {
            "im": (["row", "col"], image.astype(np.float32)),
            "disparity": (["band_disp", "row", "col"], limits),
        },
        coords={
            "band_disp": ["min", "max"],
            "row": np.arange(rows),
            "col": np.arange(columns),
        },
        attrs={
            "crs": None,
            "transform": None,
            "valid_pixels": 0,
            "no_data_mask": 1,
            "no_data_img": -9999,
            "disparity_source": [least, most],
        },
    )


def datasets(left, right, least=-(LABELS - 1), most=0):
    return dataset(left, least, most), dataset(right, -most, -least)


def pipeline(matching_cost="census", subpix=1, optimization=None, **more):
    steps = {
        "matching_cost": {
            "matching_cost_method": matching_cost,
            "window_size": 5,
            "subpix": subpix,
        },
        "optimization": {"optimization_method": "rangemoves", **(optimization or {})},
        "disparity": {"disparity_method": "wta", "invalid_disparity": "NaN"},
    }
    return {"pipeline": steps | more}


def check(configuration, left, right):
    """The machine that has checked a configuration, and the configuration with its defaults."""
    machine = PandoraMachine()
    # Before images are read Pandora knows the names of their bands alone.
    named = (image.assign_coords(band_im=[None]) for image in (left, right))
    machine.check_conf(configuration, *named)
    return machine, update_conf(configuration, machine.pipeline_cfg)


def run(configuration, left, right):
    """Disparities of both images, and the machine that found them."""
    machine, complete = check(copy.deepcopy(configuration), left, right)
    disparities = pandora.run(machine, left, right, complete)
    return *disparities, machine
