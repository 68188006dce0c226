"""Depth and points: the formulas by hand, calibration files of both kinds, bad ones in words."""

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.stereo import Calibration, depth, point_cloud, read_calibration

MIDDLEBURY = """cam0=[3997.684 0 1176.728; 0 3997.684 1011.728; 0 0 1]
cam1=[3997.684 0 1307.839; 0 3997.684 1011.728; 0 0 1]
doffs=131.111
baseline=193.001
width=2964
height=1988
"""
KITTI = """P0: 7.0e+02 0 6.0e+02 0 0 7.0e+02 1.8e+02 0 0 0 1 0
P1: 7.0e+02 0 6.0e+02 -3.5e+02 0 7.0e+02 1.8e+02 0 0 0 1 0
P2: 7.1e+02 0 6.1e+02 4.26e+01 0 7.1e+02 1.9e+02 0 0 0 1 0
P3: 7.1e+02 0 6.1e+02 -3.124e+02 0 7.1e+02 1.9e+02 0 0 0 1 0
"""


def written(tmp_path, text):
    (tmp_path / "calib.txt").write_text(text)
    return tmp_path / "calib.txt"


def test_middlebury_file(tmp_path):
    found = read_calibration(written(tmp_path, MIDDLEBURY))
    assert found == Calibration(3997.684, 193.001, (1176.728, 1011.728), 131.111)


@pytest.mark.parametrize("prefix", ["P", "P_rect_0"])
def test_kitti_file(tmp_path, prefix):
    path = written(tmp_path, KITTI.replace("P", prefix))
    assert read_calibration(path) == Calibration(700, 0.5, (600, 180))
    colour = read_calibration(path, cameras=(2, 3))
    assert colour.baseline == pytest.approx(0.5)
    assert colour.centre == (610, 190)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "found neither"),
        ("cam0=[1 0; 1]\nbaseline=3", "found neither"),
        ("cam0=[1 0 1; 0 1 1; 0 0 1]", "found neither"),
        ("P0: 1 2 3", "found neither"),
        (KITTI.replace("-3.5e+02", "3.5e+02"), "positive focal length and baseline"),
        (MIDDLEBURY.replace("193.001", "-1"), "positive focal length and baseline"),
        (MIDDLEBURY.replace("193.001", "1e999"), "a double can hold; .* baseline inf"),
        (KITTI.replace("-3.5e+02", "-3.5e+999"), "a double can hold"),
        ("\x00\xff", "found neither"),
    ],
)
def test_bad_files_are_said_in_words(tmp_path, text, words):
    with pytest.raises(ValueError, match=words) as caught:
        read_calibration(written(tmp_path, text))
    assert "calib.txt" in str(caught.value)


@pytest.mark.parametrize("values", [(0, 1), (1, -1), (np.nan, 1), (1, np.inf)])
def test_lengths_are_positive(values):
    with pytest.raises(ValueError, match="must be a positive number"):
        Calibration(*values)


def test_the_centre_is_a_place():
    with pytest.raises(ValueError, match="centre must be a column and a row"):
        Calibration(1, 1, (0, np.nan))


def test_depth_by_hand():
    camera = Calibration(focal=100, baseline=2, doffs=10)
    found = depth([[10.0, 0.0, -10.0, -20.0, np.nan, np.inf]], camera)
    np.testing.assert_array_equal(found, [[10, 20, np.nan, np.nan, np.nan, np.nan]])
    with pytest.raises(ValueError, match="a map of shape"):
        depth([1.0], camera)


def test_points_project_back_to_their_pixels():
    disparity = np.array([[4.0, np.nan, 2.0], [1.0, 5.0, 0.0]])
    camera = Calibration(focal=50, baseline=3, centre=(0.5, 0.25), doffs=1.0)
    image = np.arange(6, dtype=np.uint8).reshape(2, 3)
    points, colours = point_cloud(disparity, camera, image)
    rows, columns = np.nonzero(np.isfinite(disparity))
    x, y, z = points.T
    np.testing.assert_allclose(50 * x / z + 0.5, columns)
    np.testing.assert_allclose(50 * y / z + 0.25, rows)
    np.testing.assert_allclose(50 * 3 / z - 1, disparity[rows, columns])
    np.testing.assert_array_equal(colours, np.repeat(image[rows, columns][:, None], 3, axis=1))


def test_points_of_a_mask_in_the_middle_of_the_image():
    camera = Calibration(10, 1)
    points, colours = point_cloud(np.ones((3, 3)), camera, mask=np.eye(3, dtype=bool))
    np.testing.assert_array_equal(points[1], [0, 0, 10])
    assert points.shape == (3, 3)
    assert colours is None


def test_bad_arguments_of_point_cloud():
    camera = Calibration(10, 1)
    with pytest.raises(ValueError, match="image must have the height and width"):
        point_cloud(np.ones((3, 3)), camera, np.zeros((3, 4), np.uint8))
    with pytest.raises(ValueError, match="mask must be a map of booleans"):
        point_cloud(np.ones((3, 3)), camera, mask=np.ones((3, 3)))


def test_depth_of_a_match_is_near_the_truth():
    pair = rm.datasets.synthetic_stereo(seed=1, shape=(60, 90), labels=14)
    camera = Calibration(focal=80, baseline=0.2)
    found = depth(rm.stereo.match(pair.left, pair.right, labels=14), camera)
    expected = depth(pair.disparity, camera)
    assert np.isfinite(found).mean() > 0.95
    assert np.nanmedian(np.abs(found - expected) / expected) < 0.05
