"""Disparity maps through files and back, bit for bit; damaged files refused in words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import rangemoves as rm

pytest.importorskip("PIL")

SHAPES = hnp.array_shapes(min_dims=2, max_dims=2, max_side=7)


def through(path, disparity, scale=None, **how):
    rm.io.write_disparity(path, disparity, scale, **how)
    return rm.io.read_disparity(path, scale)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("maps")


@pytest.mark.parametrize("name", ["a.pfm", "a.tif", "a.tiff"])
@pytest.mark.parametrize("order", ["little", "big"])
@given(disparity=hnp.arrays(np.float32, SHAPES, elements=st.floats(width=32, allow_infinity=False)))
def test_32_bit_floats_come_back(folder, name, order, disparity):
    back = through(folder / name, disparity, byte_order=order)
    np.testing.assert_array_equal(back, disparity.astype(np.float64))


@given(disparity=hnp.arrays(np.float64, SHAPES, elements=st.floats(allow_infinity=False)))
def test_64_bit_floats_come_back_from_npy(folder, disparity):
    np.testing.assert_array_equal(through(folder / "a.npy", disparity), disparity)


@given(values=hnp.arrays(np.uint16, SHAPES))
def test_kitti_png_comes_back(folder, values):
    disparity = np.where(values == 0, np.nan, values / 256)
    np.testing.assert_array_equal(through(folder / "kitti.png", disparity), disparity)


@pytest.mark.parametrize("name", ["a.pgm", "a.png"])
@given(values=hnp.arrays(np.uint8, SHAPES), scale=st.sampled_from([1, 4, 8, 16]))
def test_middlebury_maps_come_back(folder, name, values, scale):
    disparity = np.where(values == 0, np.nan, values / scale)
    np.testing.assert_array_equal(through(folder / name, disparity, scale), disparity)


def test_pfm_stores_unknown_as_infinity_bottom_row_first(tmp_path):
    rm.io.write_disparity(tmp_path / "a.pfm", [[1.0, np.nan], [3.0, 4.0]])
    data = (tmp_path / "a.pfm").read_bytes()
    assert data.startswith(b"Pf\n2 2\n-1\n")
    np.testing.assert_array_equal(np.frombuffer(data[-16:], "<f4"), [3, 4, 1, np.inf])


def test_kitti_zero_is_stored_as_the_smallest_known(tmp_path):
    assert through(tmp_path / "a.png", [[0.0, np.nan]])[0, 0] == 1 / 256


def test_zero_may_be_known(tmp_path):
    rm.io.write_image(tmp_path / "a.png", np.array([[0, 8]], dtype=np.uint8))
    read = rm.io.read_disparity(tmp_path / "a.png", 8, zero_is_unknown=False)
    np.testing.assert_array_equal(read, [[0, 1]])


@pytest.mark.parametrize(
    ("name", "scale"),
    [("a.pfm", None), ("a.npy", None), ("a.tif", None), ("a.png", None), ("a.pgm", 4)],
)
@pytest.mark.parametrize("keep", [0.0, 0.05, 0.7])
def test_truncated_file_is_refused_by_name(tmp_path, name, scale, keep):
    path = tmp_path / name
    rng = np.random.default_rng(0)
    rm.io.write_disparity(path, rng.uniform(1, 60, (40, 50)), scale)
    data = path.read_bytes()
    path.write_bytes(data[: int(keep * len(data))])
    with pytest.raises(ValueError, match=f"{name} must be a disparity map"):
        rm.io.read_disparity(path, scale)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"PF\n1 1\n-1\n" + bytes(12), "three channels"),
        (b"P5\n1 1\n255\n\0", "no PFM header"),
        (b"Pf\n3 3\n-1\n" + bytes(35), "expected 36 bytes"),
        (b"Pf\n3 3\n-1\n" + bytes(37), "expected 36 bytes of pixels, found 37"),
        (b"Pf\n1 1\n0\n" + bytes(4), "found scale 0"),
        (b"Pf\n1 1\n-0.0\n" + bytes(4), "found scale -0"),
        (b"Pf\n1 1\nnan\n" + bytes(4), "found scale nan"),
        (b"Pf\n1 1\n-1e999\n" + bytes(4), "found scale -inf"),
        (b"Pf\n1 1\n--1\n" + bytes(4), "a.pfm must be a disparity map"),
        (b"Pf\n0 3\n-1\n", r"found float32 of shape \(3, 0\)"),
        (b"Pf\n99999999 99999999\n-1\n" + bytes(4), "expected 39999999200000004 bytes"),
        (b"Pf\n" + b"9" * 5000 + b" 1\n-1\n", "no PFM header"),
    ],
)
def test_other_pfm_files_are_refused(tmp_path, data, words):
    (tmp_path / "a.pfm").write_bytes(data)
    with pytest.raises(ValueError, match=words):
        rm.io.read_disparity(tmp_path / "a.pfm")


def test_pfm_with_line_ends_of_windows(tmp_path):
    values = np.array([[1.5, 2.5]], "<f4")
    (tmp_path / "a.pfm").write_bytes(b"Pf\r\n2 1\r\n-1.0\r\n" + values.tobytes())
    np.testing.assert_array_equal(rm.io.read_disparity(tmp_path / "a.pfm"), values)


def npy(header, data=b""):
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


def header(shape, descr="<f8"):
    return repr({"descr": descr, "fortran_order": False, "shape": shape})


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (npy(header((10**6, 10**6)), bytes(8)), "claims float64 of shape .* found 8 bytes"),
        (npy(header((2**40, 2**40)), bytes(8)), "claims float64 of shape"),
        (npy(header((-1, -1)), bytes(8)), "claims float64 of shape"),
        (npy(header((1, 1)), bytes(9)), "claims .* 8 bytes; found 9 bytes"),
        (npy(header((1, 1), "|O"), bytes(8)), "found an array of object"),
        (npy(header((1, 1), "<M8[s]"), bytes(8)), "expected numbers or text"),
        (npy(header((0, 3))), r"found float64 of shape \(0, 3\)"),
        (npy("{'descr': " + "-" * 8000 + "1}"), "nested too deeply|recursion"),
        (npy("1+" * 4000 + "1"), "a.npy must be a disparity map"),
        (npy("not a dictionary"), "a.npy must be a disparity map"),
        (b"\x93NUMPY\x03\x00" + bytes(20), "version"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff", "a.npy must be a disparity map"),
    ],
)
def test_hostile_npy_files_are_refused(tmp_path, data, words):
    (tmp_path / "a.npy").write_bytes(data)
    with pytest.raises(ValueError, match=words):
        rm.io.read_disparity(tmp_path / "a.npy")


def test_pickles_are_not_opened(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[{}]], dtype=object))
    with pytest.raises(ValueError, match="found an array of object"):
        rm.io.read_disparity(tmp_path / "a.npy")


def test_npy_of_floats_beyond_64_bits_is_unknown_there(tmp_path):
    values = np.array([[1, np.finfo(np.longdouble).max]], np.longdouble)
    np.save(tmp_path / "a.npy", values)
    expected = [[1, np.nan]] if np.isinf(float(values[0, 1])) else values
    np.testing.assert_array_equal(rm.io.read_disparity(tmp_path / "a.npy"), expected)


def test_pgm_that_pillow_would_rescale_is_refused(tmp_path):
    (tmp_path / "a.pgm").write_bytes(b"P5\n2 1\n60\n\x1e\x3c")
    with pytest.raises(ValueError, match=r"found values in 0\.\.60"):
        rm.io.read_disparity(tmp_path / "a.pgm", 1)


def test_floats_under_a_name_of_whole_numbers_are_refused(tmp_path):
    (tmp_path / "a.pgm").write_bytes(b"Pf\n1 1\n-1\n" + bytes(4))
    with pytest.raises(ValueError, match="must have one channel of whole numbers"):
        rm.io.read_disparity(tmp_path / "a.pgm", 1)


def test_8_bit_map_needs_a_scale(tmp_path):
    rm.io.write_image(tmp_path / "a.png", np.full((2, 3), 8, dtype=np.uint8))
    with pytest.raises(ValueError, match="scale must be given"):
        rm.io.read_disparity(tmp_path / "a.png")
    with pytest.raises(ValueError, match="scale must be given"):
        rm.io.write_disparity(tmp_path / "a.pgm", [[1.0]])
    with pytest.raises(ValueError, match="scale must be a positive number"):
        rm.io.read_disparity(tmp_path / "a.png", 0)


def test_map_in_colours_is_not_a_disparity_map(tmp_path):
    rm.io.write_image(tmp_path / "a.png", np.zeros((2, 3, 3), dtype=np.uint8))
    with pytest.raises(ValueError, match="cannot be read back"):
        rm.io.read_disparity(tmp_path / "a.png", 4)


@pytest.mark.parametrize("value", [-1.0, 256.0])
def test_what_does_not_fit_is_refused_and_nothing_is_written(tmp_path, value):
    with pytest.raises(ValueError, match=r"use \.pfm"):
        rm.io.write_disparity(tmp_path / "a.png", [[value]])
    assert list(tmp_path.iterdir()) == []


def test_wrong_arguments_are_refused(tmp_path):
    with pytest.raises(ValueError, match="path must end in"):
        rm.io.read_disparity("a.exr")
    with pytest.raises(ValueError, match="must be a non-empty map"):
        rm.io.write_disparity(tmp_path / "a.pfm", np.zeros((2, 3, 4)))
    with pytest.raises(ValueError, match="byte_order"):
        rm.io.write_disparity(tmp_path / "a.pfm", [[1.0]], byte_order="native")
    with pytest.raises(FileNotFoundError):
        rm.io.read_disparity(tmp_path / "missing.pfm")
    np.save(tmp_path / "a.npy", np.array(["text"]))
    with pytest.raises(ValueError, match="expected real"):
        rm.io.read_disparity(tmp_path / "a.npy")
