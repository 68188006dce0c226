"""A few seconds of the reader fuzzer, the same inputs each time, and what it has found before."""

import numpy as np
import pytest

pytest.importorskip("PIL")
pytest.importorskip("typer")
from fuzz import readers

import rangemoves as rm


def test_readers_answer_or_refuse_in_words():
    assert readers.run(1200, seed=1) == 1200


def test_it_notices_other_errors_and_memory(tmp_path):
    """A fuzzer that cannot fail says nothing."""

    def crash(path):
        raise KeyError(path)

    assert "KeyError" in readers.check(tmp_path / "a.png", crash, strict=False)
    assert "no name" in readers.check(tmp_path / "a.png", lambda _: int("x"), strict=False)
    if readers.can_limit_memory():
        much = readers.check(tmp_path / "a.png", lambda _: np.ones(2**27), strict=False)
        assert "MemoryError" in much


def test_png_that_claims_a_length_of_its_data(tmp_path):
    """Pillow skips what it has not used of the data, by reading as much as was claimed."""
    path = tmp_path / "a.png"
    rm.io.write_image(path, np.full((9, 11), 7, np.uint8))
    data = bytearray(path.read_bytes())
    data[data.index(b"IDAT") - 4] = 0xFF
    path.write_bytes(data)
    assert readers.check(path, rm.io.read_image, strict=True) is None


def test_npy_that_claims_the_length_of_its_header(tmp_path):
    path = tmp_path / "a.npy"
    path.write_bytes(b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}")
    assert readers.check(path, rm.io.read_disparity, strict=True) is None
