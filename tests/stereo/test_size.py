"""How large a pair may be is said before the first cost is computed, and in words."""

import subprocess
import sys

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.stereo import _size
from rangemoves.stereo.streaming import match_in_tiles

IMAGE = np.zeros((40, 60), np.uint8)


def test_memory_is_asked_for_before_any_is_taken(monkeypatch):
    monkeypatch.setattr(_size, "physical_memory", lambda: 100_000)
    monkeypatch.setattr("rangemoves.stereo._match.cost_volume", None)  # would be called
    with pytest.raises(
        MemoryError, match=r"60x40 pixels and 20 labels.*--tiles auto.*fewer labels"
    ):
        rm.stereo.match(IMAGE, IMAGE, labels=20)


def test_a_volume_beyond_any_machine_is_refused_at_once():
    image = np.broadcast_to(np.uint8(7), (60_000, 60_000))
    with pytest.raises(MemoryError, match="GB of memory are needed"):
        _size.check_size(image.shape, 256)


def test_tiles_have_a_width_too():
    with pytest.raises(ValueError, match="at most the width"):
        match_in_tiles(rm.stereo.StereoMatcher(labels=61), IMAGE, IMAGE)


@pytest.mark.parametrize(("preset", "shape"), [("balanced", (520, 760)), ("accurate", (340, 480))])
def test_estimate_is_near_the_peak(preset, shape):
    """A refusal must be right: what would have fitted is not refused."""
    pytest.importorskip("resource")
    code = f"""
import numpy as np
import rangemoves as rm
from rangemoves.machine import own_peak_memory
from rangemoves.stereo._size import needed_memory
left, right = np.random.default_rng(0).integers(0, 255, (2, *{shape}, 3)).astype(np.uint8)
matcher = rm.stereo.StereoMatcher(labels=60, max_iter=2, preset={preset!r}, fill=False)
matcher.run(left[:40], right[:40])
before = own_peak_memory()
matcher.run(left, right)
print((own_peak_memory() - before) / needed_memory({shape}, 60, in_bytes={preset == "balanced"}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 0.6 < float(done.stdout) < 1.4
