"""Tiles, checkpoints and several pairs at a time on the command line."""

import json

import numpy as np
import pytest
from command_line import PAIR, invoke

import rangemoves as rm

pytest.importorskip("typer")
pytest.importorskip("PIL")

from rangemoves.stereo.streaming import match_in_tiles

MATCHER = rm.stereo.StereoMatcher(labels=12)


def test_stereo_in_tiles(images, tmp_path):
    output = tmp_path / "out.npy"
    arguments = ["-o", output, "--labels", 12, "--tiles", "20x30", "--json"]
    done = invoke("stereo", *images, *arguments)
    assert done.exit_code == 0, done.output
    expected = match_in_tiles(MATCHER, PAIR.left, PAIR.right, tiles=(20, 30))
    np.testing.assert_array_equal(np.load(output), expected.disparity)
    facts = json.loads(done.stdout)
    assert facts["lower_bound"] <= facts["energy"] == expected.result.energy


def test_all_files_of_stereo_in_tiles(images, tmp_path):
    names = ["a.npy", "depth.npy", "cloud.ply", "sure.npy", "agree.npy", "page.html"]
    files = [tmp_path / name for name in names]
    options = ("--depth", "--ply", "--confidence", "--mask-out", "--report")
    pairs = [part for pair in zip(options, files[1:], strict=True) for part in pair]
    camera = ["--focal", 50, "--baseline", 0.2]
    done = invoke(
        *("stereo", *images, "-o", files[0], "--labels", 12, "--tiles", "20x30"), *pairs, *camera
    )
    assert done.exit_code == 0, done.output
    found = match_in_tiles(MATCHER, PAIR.left, PAIR.right, tiles=(20, 30), confidence=True)
    depth = rm.stereo.depth(found.disparity, rm.stereo.Calibration(50, 0.2))
    np.testing.assert_array_equal(np.load(files[0]), found.disparity)
    np.testing.assert_array_equal(np.load(files[1]), depth)
    np.testing.assert_array_equal(np.load(files[3]), found.confidence)
    np.testing.assert_array_equal(np.load(files[4]), found.consistent)
    count = np.count_nonzero(found.consistent & (found.disparity > 0))
    assert f"element vertex {count}\n".encode() in files[2].read_bytes()
    assert files[5].stat().st_size > 1000


def test_stereo_goes_on_from_a_checkpoint(images, tmp_path):
    pytest.importorskip("zarr")
    output, folder = tmp_path / "out.npy", tmp_path / "out.npy.checkpoint"
    tiling = {"tiles": (20, 30), "checkpoint": folder}
    hasty = rm.stereo.StereoMatcher(labels=12, time_limit=0.2)
    match_in_tiles(hasty, PAIR.left, PAIR.right, **tiling)
    assert folder.is_dir()
    output.write_bytes(b"of the run that was broken off")
    arguments = ["-o", output, "--labels", 12, "--tiles", "20x30", "--resume"]
    done = invoke("stereo", *images, *arguments)
    assert done.exit_code == 0, done.output
    expected = match_in_tiles(MATCHER, PAIR.left, PAIR.right, tiles=(20, 30))
    np.testing.assert_array_equal(np.load(output), expected.disparity)
    assert not folder.exists()


@pytest.mark.parametrize("tiles", ["large", "20", "0x5", "20x", "-3x4"])
def test_wrong_tiles(images, tmp_path, tiles):
    done = invoke("stereo", *images, "-o", tmp_path / "out.npy", f"--tiles={tiles}")
    assert done.exit_code == 2
    assert "--tiles" in done.stderr


def test_a_scheduler_that_does_not_answer(images, tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")

    def refuse(address, **_):
        raise OSError(f"no answer from {address}")

    monkeypatch.setattr(distributed, "Client", refuse)
    done = invoke(
        *("stereo", *images, "-o", tmp_path / "out.npy", "--labels", 12),
        *("--scheduler", "tcp://nowhere:1"),
    )
    assert done.exit_code == 2
    assert "--scheduler" in done.stderr


@pytest.fixture
def folder(tmp_path):
    for number in range(4):
        scene = tmp_path / "pairs" / f"scene{number}"
        scene.mkdir(parents=True)
        pair = rm.datasets.synthetic_stereo(seed=number, shape=(24, 40), labels=8)
        rm.io.write_image(scene / "left.png", pair.left)
        rm.io.write_image(scene / "right.png", pair.right)
    (tmp_path / "pairs" / "scene2" / "right.png").write_bytes(b"no image")
    return tmp_path / "pairs"


def check_batch(done, maps, one_by_one):
    assert done.exit_code == 1, done.output
    facts = json.loads(done.stdout)
    assert facts["failed"] == ["scene2"]
    assert list(facts["pairs"]) == [f"scene{number}" for number in range(4)]
    assert "scene2 failed" in done.stderr
    for number in (0, 1, 3):
        name = f"scene{number}.npy"
        np.testing.assert_array_equal(np.load(maps / name), np.load(one_by_one / name))


def test_several_pairs_at_a_time(folder, tmp_path):
    arguments = ["--labels", 8, "--suffix", ".npy", "--json"]
    invoke("stereo-batch", folder, "-o", tmp_path / "one", *arguments)
    done = invoke("stereo-batch", folder, "-o", tmp_path / "three", "--workers", 3, *arguments)
    check_batch(done, tmp_path / "three", tmp_path / "one")


def test_pairs_on_dask_workers(folder, tmp_path):
    distributed = pytest.importorskip("distributed")
    arguments = ["--labels", 8, "--suffix", ".npy", "--json"]
    invoke("stereo-batch", folder, "-o", tmp_path / "one", *arguments)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as cluster:
        there = ["--scheduler", cluster.scheduler_address]
        done = invoke("stereo-batch", folder, "-o", tmp_path / "dask", *there, *arguments)
        check_batch(done, tmp_path / "dask", tmp_path / "one")


@pytest.fixture
def group(tmp_path):
    zarr = pytest.importorskip("zarr")
    costs = np.random.default_rng(0).integers(0, 30, (30, 40, 5)).astype(np.int32)
    stored = zarr.create_group(store=tmp_path / "problem.zarr")
    stored.create_array("unary", data=costs, chunks=(10, 10, 5))
    stored.attrs.update({"prior": "truncated-linear", "threshold": 2, "weights": 7})
    return tmp_path / "problem.zarr", costs


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".zarr"])
def test_solve_zarr(group, tmp_path, suffix):
    path, costs = group
    output = tmp_path / f"labels{suffix}"
    done = invoke("solve", path, "-o", output, "--tiles", "12x16", "--resume", "--json")
    assert done.exit_code == 0, done.output
    expected = rm.tiled.minimize(costs, rm.TruncatedLinear(2), 7, tiles=(12, 16))
    assert json.loads(done.stdout)["energy"] == expected.energy
    if suffix == ".npy":
        labels = np.load(output)
    elif suffix == ".npz":
        labels = rm.Result.load(output).labels
    else:
        import zarr

        labels = zarr.open_array(output, mode="r")[...]
    np.testing.assert_array_equal(labels, expected.labels)
    assert invoke("solve", path, "-o", output).exit_code == 2  # it is there
    assert not (tmp_path / f"labels{suffix}.checkpoint").exists()


def test_force_replaces_labels_and_nothing_else(group, tmp_path):
    zarr = pytest.importorskip("zarr")
    output = tmp_path / "labels.zarr"
    for _ in range(2):
        done = invoke("solve", group[0], "-o", output, "--force")
        assert done.exit_code == 0, done.output
    (tmp_path / "mine.zarr").mkdir()
    (tmp_path / "mine.zarr" / "precious").touch()
    for other in (tmp_path / "mine.zarr", group[0]):
        done = invoke("solve", group[0], "-o", other, "--force")
        assert (done.exit_code, "zarr array of labels" in done.stderr) == (1, True)
    assert (tmp_path / "mine.zarr" / "precious").exists()
    assert zarr.open_group(store=group[0], mode="r")["unary"].shape == group[1].shape


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"threshold": "two"}, "must be a number"),
        ({"colour": 3}, "means nothing"),
        ({"prior": "magic"}, "magic"),
        ({"prior": "table"}, "values in 'table'"),
    ],
)
def test_wrong_groups(group, tmp_path, change, words):
    import zarr

    zarr.open_group(store=group[0]).attrs.update(change)
    done = invoke("solve", group[0], "-o", tmp_path / "labels.npy")
    assert done.exit_code == 1
    assert words in done.stderr


def test_what_does_not_go_with_zarr(group, tmp_path):
    done = invoke("solve", group[0], "-o", tmp_path / "a.npy", "--init", "zero")
    assert (done.exit_code, "--init" in done.stderr) == (2, True)
    np.savez(tmp_path / "a.npz", unary=group[1], prior="linear")
    done = invoke("solve", tmp_path / "a.npz", "-o", tmp_path / "a.npy", "--tiles", "auto")
    assert (done.exit_code, "--tiles" in done.stderr) == (2, True)
    (tmp_path / "empty").mkdir()
    done = invoke("solve", tmp_path / "empty", "-o", tmp_path / "a.npy")
    assert (done.exit_code, "zarr group" in done.stderr) == (1, True)
