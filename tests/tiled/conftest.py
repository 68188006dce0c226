"""What tests of runs that are cut off, or done by others, start from."""

import pytest

import rangemoves as rm


@pytest.fixture(scope="module")
def costs():
    """Matching costs of a small synthetic pair."""
    pair = rm.datasets.synthetic_stereo(seed=1, shape=(60, 80), labels=8)
    return rm.stereo.cost_volume(pair.left, pair.right, 8)
