"""The optimisation step itself, as Pandora calls it.

Sweeps of message passing give a labelling and beliefs; another method may go on from there. What
goes back is a cost volume whose winner is the labelling.
"""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import numpy.typing as npt
import xarray as xr
from pandora.margins.descriptors import UniformMargins
from pandora.optimization import AbstractOptimization

from ..energy import Energy
from ..minimize import minimize
from .configuration import METHOD_NAME, check_configuration
from .smoothness import edge_weights, mean_gradient, prior_in_labels
from .volume import MatchingCosts, matching_costs, volume_of_beliefs

__all__ = ["RangeMoves"]

logger = logging.getLogger("rangemoves")


@AbstractOptimization.register_subclass(METHOD_NAME)
class RangeMoves(AbstractOptimization):
    """Optimisation of a cost volume by messages and moves over all pixels at once.

    Parameters
    ----------
    _img : xarray.Dataset
        The left image, which Pandora hands over; not looked at before the costs are there.
    **cfg
        The section ``optimization`` of the pipeline: see docs/pandora.md.
    """

    margins = UniformMargins(40)

    def __init__(self, _img: xr.Dataset | None, **cfg: Any) -> None:
        self.cfg: dict[str, Any] = check_configuration(cfg)

    def desc(self) -> None:
        """Print what the step does."""
        print("Optimisation by message passing and generalized range moves")

    def optimize_cv(
        self, cv: xr.Dataset, img_left: xr.Dataset, img_right: xr.Dataset
    ) -> xr.Dataset:
        """Return the cost volume with costs from which winner-takes-all takes our labelling.

        Parameters
        ----------
        cv : xarray.Dataset
            With ``cost_volume`` (row, col, disp); NaN costs are labels that are forbidden.
        img_left : xarray.Dataset
            The image that the costs belong to: its edges weaken the smoothness.
        img_right : xarray.Dataset
            Not used.

        Returns
        -------
        xarray.Dataset
            All variables and attributes of ``cv``; NaN where it was NaN.
        """
        most_is_best = cv.attrs["type_measure"] == "max"
        costs = matching_costs(cv["cost_volume"].data, most_is_best=most_is_best)
        optimized: xr.Dataset = cv.copy()
        optimized.attrs["optimization"] = METHOD_NAME
        if not costs.takes_part.any():
            return optimized
        contrast = costs.contrast()
        energy = self._energy(costs, contrast, cv, img_left)
        labels, beliefs = self._solve(energy)
        volume = volume_of_beliefs(costs, labels, beliefs, contrast, most_is_best=most_is_best)
        optimized["cost_volume"] = (cv["cost_volume"].dims, volume)
        optimized.attrs["cmax"] = float(np.nanmax(volume))
        return optimized

    def _energy(
        self, costs: MatchingCosts, contrast: float, cv: xr.Dataset, img_left: xr.Dataset
    ) -> Energy:
        settings = self.cfg
        disparities = cv["disp"].data
        steps = 1 / float(disparities[1] - disparities[0]) if disparities.size > 1 else 1.0
        prior, factor = prior_in_labels(settings["prior"], settings["threshold"], steps)
        image = _band(img_left, cv.attrs.get("band_correl"))
        unit, gradient = settings["cost_unit"], settings["edge_gradient"]
        if unit == "auto":
            unit = contrast
        if gradient == "auto":
            gradient = mean_gradient(image, costs.takes_part)
        logger.info("pandora: cost_unit %.6g, edge_gradient %.6g", unit, gradient)
        weight = settings["weight"] * unit * factor
        parts = edge_weights(image, gradient, settings["edge_factor"])
        weights = [weight * part for part in parts]
        mask = None if costs.takes_part.all() else costs.takes_part
        return Energy(costs.unary, prior, weights, mask=mask, copy=False)

    def _solve(self, energy: Energy) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        settings = self.cfg
        swept = minimize(
            energy,
            "trws",
            max_iter=settings["sweeps"],
            threads=settings["threads"],
            beliefs=True,
        )
        assert swept.beliefs is not None  # without a time limit there are always some
        if settings["method"] == "trws":
            return swept.labels, swept.beliefs
        found = minimize(
            energy,
            settings["method"],
            init=swept,
            time_limit=settings["time_limit"],
            threads=settings["threads"],
        )
        return found.labels, swept.beliefs


def _band(image: xr.Dataset, name: str | None) -> npt.NDArray[Any]:
    """The band that was matched, or the mean of all; (H, W)."""
    values = image["im"]
    if values.ndim == 2:
        return np.asarray(values.data)
    if name is not None:
        return np.asarray(values.sel(band_im=name).data)
    return np.asarray(values.mean("band_im").data)
