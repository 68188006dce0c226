"""Labels as a dask array: those of the first round, made of what a chunk needs and no more."""

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.tiled.layouts import extent

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")

PRIOR = rm.TruncatedQuadratic(2)
HOW = {"tiles": (24, 30), "margin": 6}


@pytest.fixture(scope="module")
def costs():
    pair = rm.datasets.synthetic_stereo(seed=4, shape=(60, 80), labels=8)
    return rm.stereo.cost_volume(pair.left, pair.right, 8)


def first_round(costs, prior=PRIOR, weights=20, **how):
    """The labels of the first round of what is not lazy."""
    taken = []

    def stop(record):
        taken.append(record.labels())
        return True

    rm.tiled.minimize(costs, prior, weights, callback=stop, **{**HOW, **how})
    return taken[0]


def each_kind(costs, tmp_path):
    yield costs, {}
    yield da.from_array(costs, chunks=(25, 33, 3)), {}
    yield (lambda box: costs[box]), {"shape": costs.shape}
    np.save(tmp_path / "costs.npy", costs)
    yield np.load(tmp_path / "costs.npy", mmap_mode="r"), {}
    zarr = pytest.importorskip("zarr")
    yield zarr.create_array(store=tmp_path / "costs.zarr", data=costs, chunks=(17, 20, 8)), {}


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_the_labels_are_those_of_the_first_round(costs, tmp_path, scheduler):
    expected = first_round(costs)
    for source, more in each_kind(costs, tmp_path):
        labels = rm.tiled.lazy(source, PRIOR, 20, **HOW, **more)
        assert isinstance(labels, da.Array)
        assert (labels.shape, labels.dtype) == ((60, 80), np.int32)
        np.testing.assert_array_equal(labels.compute(scheduler=scheduler), expected)


@pytest.mark.parametrize(
    ("how", "real"),
    [
        ({"connectivity": 8}, False),
        ({"margin": 0}, False),
        ({"margin": 1000}, True),
        ({"tiles": (1, 80)}, False),
        ({"tiles": (1000, 1000)}, True),
    ],
)
def test_whatever_the_tiles(costs, how, real):
    given = costs + 0.25 if real else costs
    labels = rm.tiled.lazy(da.from_array(given, chunks=(31, 31, 4)), PRIOR, 20, **{**HOW, **how})
    np.testing.assert_array_equal(labels.compute(), first_round(given, **how))


@pytest.mark.parametrize("kind", ["memory", "dask", "function"])
def test_weights_and_masks_of_any_kind(costs, kind):
    rng = np.random.default_rng(0)
    down, right = rng.integers(0, 30, (59, 80)), rng.integers(0, 30, (60, 79))
    mask = rng.random((60, 80)) < 0.8
    mask[:24, :30] = False  # a whole chunk
    expected = first_round(costs, weights=[down, right], mask=mask)
    assert (expected[:20, :26] == -1).all()
    weights, keep = [down, right], mask
    if kind == "dask":
        weights = [da.from_array(part, chunks=20) for part in weights]
        keep = da.from_array(mask, chunks=19)
    if kind == "function":
        weights, keep = lambda box: [down[box], right[box]], lambda box: mask[box]
    labels = rm.tiled.lazy(costs, PRIOR, weights, mask=keep, **HOW)
    np.testing.assert_array_equal(labels.compute(), expected)


def test_volumes():
    costs = np.random.default_rng(0).integers(0, 30, (6, 14, 15, 4))
    how = {"tiles": (3, 7, 8), "margin": 2, "connectivity": 26}
    labels = rm.tiled.lazy(da.from_array(costs, chunks=(4, 5, 6, 2)), PRIOR, 2, **how)
    np.testing.assert_array_equal(labels.compute(), first_round(costs, weights=2, **how))


def test_a_chunk_reads_what_it_needs(costs):
    asked = []

    def source(box):
        asked.append(box)
        return costs[box]

    labels = rm.tiled.lazy(source, PRIOR, 20, shape=costs.shape, **HOW)
    assert asked == []
    corner = labels[:5, :5].compute(scheduler="synchronous")
    assert {extent(box) for box in asked} == {(26, 32)}  # 20 x 26 pixels, and the margin
    np.testing.assert_array_equal(corner, first_round(costs)[:5, :5])


def test_chunks_are_those_of_the_source(costs):
    labels = rm.tiled.lazy(da.from_array(costs, chunks=((10, 50), (33, 47), 8)), PRIOR, 20)
    assert labels.chunks == ((10, 50), (33, 47))
    assert rm.tiled.lazy(costs, PRIOR, 20).chunks == ((60,), (80,))
    assert labels.compute().shape == (60, 80)


def test_only_the_part_of_a_chunk_travels():
    """Else a graph of many chunks would hold the whole array many times."""
    large = np.zeros((200, 200, 4), np.uint8)
    labels = rm.tiled.lazy(large, PRIOR, tiles=(20, 20), margin=2)
    cloudpickle = pytest.importorskip("cloudpickle")
    largest = max(len(cloudpickle.dumps(task)) for task in dict(labels.dask).values())
    assert largest < large.nbytes / 4


def test_xarray_keeps_coordinates_and_attributes(costs):
    xarray = pytest.importorskip("xarray")
    source = xarray.DataArray(
        da.from_array(costs, chunks=(30, 40, 8)),
        dims=("y", "x", "disparity"),
        coords={"y": np.arange(60) * 0.5, "x": np.arange(80) + 7, "disparity": np.arange(8)},
        attrs={"crs": "EPSG:32631"},
        name="costs",
    )
    labels = rm.tiled.lazy(source, PRIOR, 20, **HOW)
    assert dask.is_dask_collection(labels.data)
    assert (labels.dims, labels.attrs) == (("y", "x"), source.attrs)
    np.testing.assert_array_equal(labels.y, source.y)
    np.testing.assert_array_equal(labels.compute(), first_round(costs))
    part = labels.sel(x=slice(20, 30))
    np.testing.assert_array_equal(part, first_round(costs)[:, 13:24])


def test_on_workers(costs):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster),
    ):
        source = da.from_array(costs, chunks=(25, 33, 3)) + 0  # a graph of its own
        labels = rm.tiled.lazy(source, PRIOR, 20, **HOW)
        np.testing.assert_array_equal(labels.compute(), first_round(costs))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"tiles": "auto"}, "2 sides"),
        ({"tiles": (3,)}, "2 sides"),
        ({"tiles": (0, 3)}, "at least 1"),
        ({"margin": -1}, "margin"),
        ({"prior": rm.TablePrior([0, 1, np.inf])}, "finite for tiles"),
        ({"source": np.zeros((8, 8))}, r"\(H, W, L\)"),
    ],
)
def test_what_is_wrong_is_said_at_once(wrong, words):
    with pytest.raises(ValueError, match=words):
        rm.tiled.lazy(**{"source": np.zeros((8, 8, 3)), "prior": rm.Linear(), **wrong})


def test_nan_is_found_where_it_is_read(costs):
    real = costs.astype(float)
    real[50, 70, 2] = np.nan
    labels = rm.tiled.lazy(real, PRIOR, 20, tiles=(30, 40), margin=3)
    labels[:30, :40].compute()
    with pytest.raises(ValueError, match="NaN"):
        labels.compute()
