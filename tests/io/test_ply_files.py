"""Point clouds: the bytes are those that the header announces."""

import numpy as np
import pytest

import rangemoves as rm

POINTS = np.array([[1.0, 2.0, 3.0], [-4.0, 5.5, 6.25]])
COLOURS = np.array([[255, 0, 7], [1, 2, 3]], np.uint8)


def read(path):
    header, _, body = path.read_bytes().partition(b"end_header\n")
    kinds = {"float": "<f4", "uchar": "u1"}
    lines = [line.split() for line in header.decode().splitlines()]
    count = next(int(words[2]) for words in lines if words[0] == "element")
    fields = [(words[2], kinds[words[1]]) for words in lines if words[0] == "property"]
    assert lines[:2] == [["ply"], ["format", "binary_little_endian", "1.0"]]
    assert len(body) == count * np.dtype(fields).itemsize
    return np.frombuffer(body, fields)


def test_points_and_colours_come_back(tmp_path):
    rm.io.write_ply(tmp_path / "a.ply", POINTS, COLOURS)
    vertices = read(tmp_path / "a.ply")
    np.testing.assert_array_equal(np.stack([vertices[n] for n in "xyz"], axis=1), POINTS)
    shades = np.stack([vertices[n] for n in ("red", "green", "blue")], axis=1)
    np.testing.assert_array_equal(shades, COLOURS)


def test_points_alone_and_none_at_all(tmp_path):
    rm.io.write_ply(tmp_path / "a.ply", POINTS)
    assert read(tmp_path / "a.ply").dtype.names == ("x", "y", "z")
    rm.io.write_ply(tmp_path / "b.ply", np.empty((0, 3)))
    assert len(read(tmp_path / "b.ply")) == 0


@pytest.mark.parametrize(
    ("name", "points", "colours", "words"),
    [
        ("a.txt", POINTS, None, "must end in .ply"),
        ("a.ply", POINTS[:, :2], None, r"shape \(N, 3\)"),
        ("a.ply", [[1, 2, np.nan]], None, "must be finite; found 1"),
        ("a.ply", POINTS, COLOURS[:1], "colours must be uint8"),
        ("a.ply", POINTS, COLOURS.astype(float), "colours must be uint8"),
    ],
)
def test_bad_clouds_are_refused_and_nothing_is_written(tmp_path, name, points, colours, words):
    with pytest.raises(ValueError, match=words):
        rm.io.write_ply(tmp_path / name, points, colours)
    assert not list(tmp_path.iterdir())
