"""Cost volumes of Pandora to costs of ours, and beliefs back to a volume with the same winner."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["MatchingCosts", "matching_costs", "volume_of_beliefs"]

# The chosen label leads by this part of the costs' contrast at least, which refinement needs.
LEAST_LEAD = 1e-3


@dataclass(frozen=True)
class MatchingCosts:
    """A cost volume as an energy takes it: the less the better.

    Attributes
    ----------
    unary : numpy.ndarray
        Of float32, (H, W, L); inf where Pandora has no cost, 0 where a pixel has none at all.
    forbidden : numpy.ndarray
        Of bool, (H, W, L): where Pandora has no cost.
    takes_part : numpy.ndarray
        Of bool, (H, W): pixels with at least one cost.
    """

    unary: npt.NDArray[np.float32]
    forbidden: npt.NDArray[np.bool_]
    takes_part: npt.NDArray[np.bool_]

    def contrast(self) -> float:
        """How much less than the mean of a pixel its best cost is, on average; 1 if nothing."""
        known = np.where(self.forbidden, 0, self.unary)
        counts = np.count_nonzero(~self.forbidden, axis=-1)
        means = known.sum(axis=-1, dtype=np.float64) / np.maximum(counts, 1)
        leads = (means - self.unary.min(axis=-1))[self.takes_part]
        found = float(leads.mean()) if leads.size else 0.0
        return found if found > 0 else 1.0


def matching_costs(volume: npt.NDArray[np.float32], *, most_is_best: bool) -> MatchingCosts:
    """Return the costs of a volume.

    Parameters
    ----------
    volume : numpy.ndarray
        (H, W, L), NaN where nothing is known.
    most_is_best : bool
        Whether it holds similarities.

    Returns
    -------
    MatchingCosts
    """
    unary = np.negative(volume) if most_is_best else volume.copy()
    forbidden = ~np.isfinite(unary)
    takes_part = np.asarray(~forbidden.all(axis=-1))
    unary[forbidden] = np.inf
    unary[~takes_part] = 0
    return MatchingCosts(unary, forbidden, takes_part)


def volume_of_beliefs(
    costs: MatchingCosts,
    labels: npt.NDArray[np.int32],
    beliefs: npt.NDArray[np.float64],
    contrast: float,
    *,
    most_is_best: bool,
) -> npt.NDArray[np.float32]:
    """Return a volume whose winner is the labelling: its costs, and above them the beliefs.

    The chosen label keeps its matching cost, so that winners can be compared between pixels; any
    other costs more by as much as its belief, and at least by a little.

    Parameters
    ----------
    costs : MatchingCosts
        What was minimised.
    labels : numpy.ndarray
        (H, W), anything where a pixel takes no part.
    beliefs : numpy.ndarray
        (H, W, L); overwritten.
    contrast : float
        Of the costs.
    most_is_best : bool
        As of the volume that the costs came from.

    Returns
    -------
    numpy.ndarray
        float32, (H, W, L), NaN exactly where nothing was known.
    """
    chosen = np.where(costs.takes_part, labels, 0)[..., None]
    base = np.take_along_axis(costs.unary, chosen, axis=-1)
    beliefs -= np.take_along_axis(beliefs, chosen, axis=-1)
    beliefs += base
    lead = np.maximum(np.float32(LEAST_LEAD * contrast), 4 * np.spacing(np.abs(base)))
    volume: npt.NDArray[np.float32] = np.maximum(beliefs.astype(np.float32), base + lead)
    np.put_along_axis(volume, chosen, base, axis=-1)
    volume[costs.forbidden] = np.nan
    return np.negative(volume) if most_is_best else volume
