"""What tests of the stereo commands start from."""

import pytest
from command_line import PAIR

import rangemoves as rm


@pytest.fixture
def images(tmp_path):
    """Both images of a small synthetic pair, as files."""
    pytest.importorskip("PIL")
    left, right = tmp_path / "left.png", tmp_path / "right.png"
    rm.io.write_image(left, PAIR.left)
    rm.io.write_image(right, PAIR.right)
    return left, right
