"""Costs, weights and masks of any kind give the labels that plain arrays give."""

import pickle
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.tiled.layouts import grown, layout
from rangemoves.tiled.sources import Reader, open_costs, open_weights

PRIOR = rm.TruncatedLinear(2)
ARGUMENTS = {"tiles": (12, 14), "margin": 4}


@pytest.fixture(scope="module")
def arrays():
    rng = np.random.default_rng(4)
    costs = rng.integers(0, 40, (25, 30, 5)).astype(np.int32)
    weights = [rng.integers(1, 9, (24, 30)), rng.integers(1, 9, (25, 29))]
    return costs, weights, rng.random((25, 30)) < 0.9


@pytest.fixture(scope="module")
def expected(arrays):
    costs, weights, mask = arrays
    return rm.tiled.minimize(costs, PRIOR, weights, mask=mask, **ARGUMENTS)


def check(found, expected):
    np.testing.assert_array_equal(np.asarray(found.labels[...]), expected.labels)
    assert (found.energy, found.lower_bound) == (expected.energy, expected.lower_bound)


def test_memory_maps(arrays, expected, tmp_path):
    stored = []
    for number, array in enumerate((arrays[0], *arrays[1], arrays[2])):
        np.save(tmp_path / f"{number}.npy", array)
        stored.append(np.load(tmp_path / f"{number}.npy", mmap_mode="r"))
    found = rm.tiled.minimize(stored[0], PRIOR, stored[1:3], mask=stored[3], **ARGUMENTS)
    check(found, expected)


def test_zarr(arrays, expected, tmp_path):
    zarr = pytest.importorskip("zarr")
    costs, weights, mask = (
        zarr.create_array(store=tmp_path / "c", data=arrays[0], chunks=(10, 10, 5)),
        [
            zarr.create_array(store=tmp_path / f"w{k}", data=one, chunks=(10, 10))
            for k, one in enumerate(arrays[1])
        ],
        zarr.create_array(store=tmp_path / "m", data=arrays[2], chunks=(10, 10)),
    )
    found = rm.tiled.minimize(
        costs, PRIOR, weights, mask=mask, out=tmp_path / "out.zarr", **ARGUMENTS
    )
    check(found, expected)
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "out.zarr")[...], expected.labels)
    assert "(25, 30), 0 .. 4" in repr(found)
    mine = zarr.create_array(store=tmp_path / "mine", shape=(25, 30), chunks=(7, 7), dtype="int16")
    found = rm.tiled.minimize(costs, PRIOR, weights, mask=mask, out=mine, **ARGUMENTS)
    assert found.labels is mine
    check(found, expected)


def test_dask(arrays, expected):
    dask = pytest.importorskip("dask.array")
    costs, *weights = (dask.from_array(one, chunks=10) for one in (arrays[0], *arrays[1]))
    found = rm.tiled.minimize(costs, PRIOR, weights, mask=arrays[2], **ARGUMENTS)
    check(found, expected)


def test_xarray_keeps_coordinates_and_attributes(arrays, expected):
    xarray = pytest.importorskip("xarray")
    source = xarray.DataArray(
        arrays[0],
        dims=("y", "x", "disparity"),
        coords={"y": np.arange(25) * 0.5, "x": np.arange(30) + 100, "disparity": np.arange(5)},
        attrs={"crs": "EPSG:32632"},
        name="costs",
    )
    found = rm.tiled.minimize(source, PRIOR, arrays[1], mask=arrays[2], **ARGUMENTS)
    assert isinstance(found.labels, xarray.DataArray)
    assert found.labels.dims == ("y", "x")
    assert found.labels.attrs == {"crs": "EPSG:32632"}
    np.testing.assert_array_equal(found.labels.coords["x"], np.arange(30) + 100)
    assert "disparity" not in found.labels.coords
    check(found, expected)
    out = np.zeros((25, 30), np.int32)
    found = rm.tiled.minimize(source, PRIOR, arrays[1], mask=arrays[2], out=out, **ARGUMENTS)
    assert found.labels is out


@pytest.mark.parametrize("connectivity", [4, 8])
def test_weights_of_a_box_are_those_of_its_first_pixels(connectivity):
    rng = np.random.default_rng(0)
    shape, steps = (9, 11), rm.neighbourhood.grid_offsets(2, connectivity)
    arrays = [rng.random((9 - abs(a), 11 - abs(b))) for a, b in steps]
    weights = open_weights(arrays, shape, steps)
    for tile in layout(shape, (4, 4), (1, 0)):
        box = grown(tile.box, 1, shape)
        for (down, right), all_of_them, found in zip(steps, arrays, weights.read(box), strict=True):
            expected = [
                all_of_them[y, x - max(0, -right)]
                for y in range(box[0].start, box[0].stop)
                for x in range(box[1].start, box[1].stop)
                if y + down < 9 and 0 <= x + right < 11
            ]
            np.testing.assert_array_equal(found.ravel(), expected)


def test_a_memory_map_travels_by_name(tmp_path):
    array = np.arange(600, dtype=np.int16).reshape(10, 12, 5)
    np.save(tmp_path / "a.npy", array)
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    reader = open_costs(mapped, None)
    packed = pickle.dumps(reader)
    assert len(packed) < 1000
    box = np.s_[2:5, 3:8]
    np.testing.assert_array_equal(pickle.loads(packed).read(box), array[box])
    inner = np.s_[1:4, 3:8]
    part = Reader("source", (4, 12, 5), mapped[3:7])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(part)).read(inner), array[3:7][inner])
    with pytest.raises(ValueError, match="part with gaps"):
        pickle.dumps(Reader("source", (10, 6, 5), mapped[:, ::2]))


def test_files_that_xarray_has_not_read_stay_on_the_disk(arrays, tmp_path):
    """A DataArray of a file reads all of it when it is asked for its data."""
    xarray, zarr = pytest.importorskip("xarray"), pytest.importorskip("zarr")
    costs = np.tile(arrays[0], (5, 5, 1))  # larger than the part whose memory is looked at
    group = zarr.create_group(store=tmp_path / "costs.zarr")
    group.create_array(
        "costs", data=costs, chunks=(20, 20, costs.shape[2]), dimension_names=["y", "x", "label"]
    )
    source = xarray.open_zarr(tmp_path / "costs.zarr", chunks=None, consolidated=False)["costs"]
    asked = []
    read = type(source.variable).values.fget

    def counted(variable):
        asked.append(variable.shape)
        return read(variable)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(source.variable), "values", property(counted))
        found = rm.tiled.minimize(source, PRIOR, 5, tiles=(60, 60), time_limit=0)
    assert asked
    assert source.shape not in asked
    np.testing.assert_array_equal(found.labels, costs.argmin(axis=-1))
    assert found.labels.dims == ("y", "x")
    cloudpickle = pytest.importorskip("cloudpickle")
    reader = pickle.loads(cloudpickle.dumps(open_costs(source, None)))
    np.testing.assert_array_equal(reader.read(np.s_[3:9, 5:8]), costs[3:9, 5:8])
    assert len(cloudpickle.dumps(open_costs(source, None))) < costs.nbytes / 4


@pytest.mark.skipif(sys.version_info < (3, 11), reason="notes of errors are of Python 3.11")
def test_the_box_that_could_not_be_read_is_said(arrays):
    costs = arrays[0]

    def source(box):
        if box[0].start > 0:
            raise OSError("the disk is gone")
        return costs[box]

    with pytest.raises(OSError, match="gone") as error:
        rm.tiled.minimize(source, PRIOR, shape=costs.shape, threads=1, **ARGUMENTS)
    assert "source was asked for the box [" in error.value.__notes__[0]


@pytest.mark.parametrize("name", ["source", "mask", "weights[0]"])
@pytest.mark.parametrize("thing", ["costs.zarr", Path("costs.zarr"), {"costs": [1.0]}])
def test_things_that_hold_arrays_are_not_taken_for_one(name, thing):
    arguments = {"source": np.zeros((4, 5, 3)), "mask": None, "weights": [1, 1]}
    if name == "weights[0]":
        arguments["weights"] = [thing, 1]
    else:
        arguments[name] = thing
    with pytest.raises((TypeError, ValueError), match=re.escape(f"{name} must be")):
        rm.tiled.minimize(arguments.pop("source"), rm.Linear(), **arguments)


def test_files_and_groups_are_to_be_opened(tmp_path):
    for thing in ("costs.zarr", tmp_path, None, {"costs": [1.0]}):
        with pytest.raises(TypeError, match="source must be an array or a function of a box"):
            rm.tiled.minimize(thing, rm.Linear())


def test_groups_and_datasets_are_named(tmp_path):
    zarr, xarray = pytest.importorskip("zarr"), pytest.importorskip("xarray")
    group = zarr.create_group(store=tmp_path / "group.zarr")
    for thing in (group, xarray.Dataset()):
        with pytest.raises(TypeError, match="pass one of its arrays"):
            rm.tiled.minimize(thing, rm.Linear())
