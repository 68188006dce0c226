"""A run that is killed at any moment and taken up again ends with the labels of an unbroken one."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.tiled import checkpoint as checkpoints
from rangemoves.tiled.run import Run

zarr = pytest.importorskip("zarr")

PRIOR = rm.TruncatedQuadratic(2)
ARGUMENTS = {"tiles": (24, 30), "margin": 6}


class KilledError(BaseException):
    """As sudden as a signal, for tests within one process."""


@pytest.fixture(scope="module")
def expected(costs):
    return rm.tiled.minimize(costs, PRIOR, 20, **ARGUMENTS)


def test_out_overwrites_nothing_but_the_labels_of_a_run_that_goes_on(costs, expected, tmp_path):
    out, checkpoint, precious = tmp_path / "out", tmp_path / "run", tmp_path / "folder" / "precious"
    precious.parent.mkdir()
    precious.write_text("mine")
    (tmp_path / "file").write_text("mine")
    for path in (precious.parent, tmp_path / "file"):
        for given in ({}, {"checkpoint": checkpoint}):
            with pytest.raises(ValueError, match="out must be a new name"):
                rm.tiled.minimize(costs, PRIOR, 20, out=path, **given, **ARGUMENTS)
    assert precious.read_text() == (tmp_path / "file").read_text() == "mine"
    assert not checkpoint.exists()

    def solve(callback=None):
        return rm.tiled.minimize(
            costs, PRIOR, 20, out=out, checkpoint=checkpoint, callback=callback, **ARGUMENTS
        )

    assert solve(lambda record: True).status == "stopped"
    assert solve().energy == expected.energy
    np.testing.assert_array_equal(zarr.open_array(out)[...], expected.labels)
    with pytest.raises(ValueError, match="out must be a new name"):
        rm.tiled.minimize(costs, PRIOR, 20, out=out, **ARGUMENTS)
    np.testing.assert_array_equal(zarr.open_array(out)[...], expected.labels)


def test_a_checkpoint_changes_nothing(costs, expected, tmp_path):
    found = rm.tiled.minimize(costs, PRIOR, 20, checkpoint=tmp_path / "run.zarr", **ARGUMENTS)
    np.testing.assert_array_equal(found.labels, expected.labels)
    assert (found.energy, found.lower_bound) == (expected.energy, expected.lower_bound)
    stored = zarr.open_array(tmp_path / "run.zarr" / "labels", mode="r")
    np.testing.assert_array_equal(stored[...], expected.labels)


def test_a_run_that_is_over_is_not_done_again(costs, expected, tmp_path):
    rm.tiled.minimize(costs, PRIOR, 20, checkpoint=tmp_path / "run.zarr", **ARGUMENTS)
    told = []
    again = rm.tiled.minimize(
        costs, PRIOR, 20, checkpoint=tmp_path / "run.zarr", callback=told.append, **ARGUMENTS
    )
    assert told == []
    np.testing.assert_array_equal(again.labels, expected.labels)
    assert [one.step for one in again.trace] == [one.step for one in expected.trace]


@pytest.mark.parametrize("seed", range(6))
def test_broken_off_at_any_write(costs, expected, tmp_path, monkeypatch, seed):
    """Every file that a run writes is a moment at which it may be killed, before and after."""
    rng = random.Random(seed)
    write = checkpoints.write_atomically
    left = [0]

    def dangerous(path, data):
        left[0] -= 1
        if left[0] == 0 and rng.random() < 0.5:
            raise KilledError
        write(path, data)
        if left[0] == 0:
            raise KilledError

    monkeypatch.setattr(checkpoints, "write_atomically", dangerous)
    ends = 0
    for _ in range(200):
        left[0] = rng.randrange(1, 40)
        try:
            found = rm.tiled.minimize(
                costs, PRIOR, 20, checkpoint=tmp_path / "run.zarr", threads=2, **ARGUMENTS
            )
            break
        except KilledError:
            ends += 1
    assert ends >= 1
    np.testing.assert_array_equal(found.labels, expected.labels)
    assert (found.energy, found.lower_bound) == (expected.energy, expected.lower_bound)


def test_killed_while_labels_are_written(costs, expected, tmp_path, monkeypatch):
    """Half of a colour in the labels: the other half must not see it when the run goes on."""
    path = tmp_path / "run.zarr"
    original = Run._take
    left = [40]

    def dangerous(run, tile, outcome):
        left[0] -= 1
        if left[0] == 0:
            raise KilledError
        original(run, tile, outcome)

    monkeypatch.setattr(Run, "_take", dangerous)
    with pytest.raises(KilledError):
        rm.tiled.minimize(costs, PRIOR, 20, checkpoint=path, **ARGUMENTS)
    found = rm.tiled.minimize(costs, PRIOR, 20, checkpoint=path, **ARGUMENTS)
    np.testing.assert_array_equal(found.labels, expected.labels)


def test_time_limits_in_a_row_end_where_one_run_does(costs, expected, tmp_path):
    for _ in range(100):
        found = rm.tiled.minimize(
            costs, PRIOR, 20, checkpoint=tmp_path / "run.zarr", time_limit=0.4, **ARGUMENTS
        )
        assert found.energy == rm.Energy(costs, PRIOR, 20)(found.labels)
        if found.status != "time_limit":
            break
    np.testing.assert_array_equal(found.labels, expected.labels)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("tiles", {"tiles": (20, 20)}),
        ("margin", {"margin": 7}),
        ("method", {"method": "gswap"}),
        ("seed", {"seed": 3}),
    ],
)
def test_other_settings_are_refused(costs, tmp_path, name, arguments):
    path = tmp_path / "run.zarr"
    rm.tiled.minimize(costs, PRIOR, 20, checkpoint=path, time_limit=0, **ARGUMENTS)
    with pytest.raises(ValueError, match=f"begun with {name}"):
        rm.tiled.minimize(costs, PRIOR, 20, checkpoint=path, **{**ARGUMENTS, **arguments})
    with pytest.raises(ValueError, match="begun with other costs, weights or mask"):
        rm.tiled.minimize(costs + 1, PRIOR, 20, checkpoint=path, **ARGUMENTS)


def test_folders_of_others_are_left_alone(costs, tmp_path):
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(ValueError, match=r"found 'mine\.txt'"):
        rm.tiled.minimize(costs, PRIOR, checkpoint=tmp_path, **ARGUMENTS)
    with pytest.raises(ValueError, match="found a file"):
        rm.tiled.minimize(costs, PRIOR, checkpoint=tmp_path / "mine.txt", **ARGUMENTS)
    (tmp_path / "mine.txt").rename(tmp_path / "state.json")
    with pytest.raises(ValueError, match="other content"):
        rm.tiled.minimize(costs, PRIOR, checkpoint=tmp_path, **ARGUMENTS)
    assert (tmp_path / "state.json").read_text() == "precious"


def far_from_the_first_tile(array):
    changed = array.copy()
    changed[-1, -1] += 1
    return changed


def test_other_problems_are_refused(costs, tmp_path):
    """Wherever they differ, and also where only the mask does."""
    path, keep = tmp_path / "run.zarr", np.ones(costs.shape[:2], bool)
    rm.tiled.minimize(costs, PRIOR, 20, checkpoint=path, time_limit=0, **ARGUMENTS)
    keep[-5:] = False
    down, right = (np.full(sides, 20) for sides in weights_shapes(costs))
    others = [
        (far_from_the_first_tile(costs), 20, {}),
        (costs, 20, {"mask": keep}),
        (costs, [far_from_the_first_tile(down), right], {}),
    ]
    for source, weights, more in others:
        with pytest.raises(ValueError, match="other costs, weights or mask"):
            rm.tiled.minimize(source, PRIOR, weights, checkpoint=path, **ARGUMENTS, **more)


def weights_shapes(costs):
    height, width = costs.shape[:2]
    return (height - 1, width), (height, width - 1)


def copied(path, other):
    shutil.rmtree(other, ignore_errors=True)
    return Path(shutil.copytree(path, other))


def test_damage_is_said_or_mended(costs, expected, tmp_path):
    stops = iter([False, False, True])
    how = {**ARGUMENTS, "callback": lambda _: next(stops)}
    path = tmp_path / "run.zarr"
    rm.tiled.minimize(costs, PRIOR, 20, checkpoint=path, **how)
    assert list(path.glob("messages-*.npz"))
    for part in ("labels/zarr.json", "messages-*.npz"):
        folder = copied(path, tmp_path / "copy.zarr")
        for file in folder.glob(part):
            file.write_bytes(file.read_bytes()[:20])
        with pytest.raises(ValueError, match="damaged; delete it"):
            rm.tiled.minimize(costs, PRIOR, 20, checkpoint=folder, **ARGUMENTS)
    folder = copied(path, tmp_path / "copy.zarr")
    stage = json.loads((folder / "state.json").read_text())["state"]["stage"]
    (folder / "tiles" / f"{stage}-0.npz").write_bytes(b"half a tile")
    (folder / "tiles" / "of somebody").mkdir()
    found = rm.tiled.minimize(costs, PRIOR, 20, checkpoint=folder, **ARGUMENTS)
    np.testing.assert_array_equal(found.labels, expected.labels)
    state = path / "state.json"
    state.write_text(state.read_text().replace('"format": ', '"format": 9'))
    with pytest.raises(ValueError, match="begun with format"):
        rm.tiled.minimize(costs, PRIOR, 20, checkpoint=path, **ARGUMENTS)


@pytest.mark.parametrize("value", [7, -2])
def test_labels_that_there_are_not_are_damage(costs, tmp_path, value):
    zarr = pytest.importorskip("zarr")
    path = tmp_path / "run.zarr"
    stops = iter([False, True])
    rm.tiled.minimize(
        costs, PRIOR, 20, checkpoint=path, **ARGUMENTS, callback=lambda _: next(stops)
    )
    labels = zarr.open_array(path / "labels", mode="r+")
    kept = labels[0, 0]
    labels[0, 0] = value if value < 0 else costs.shape[-1] + value
    with pytest.raises(ValueError, match="labels missing or damaged; delete it"):
        rm.tiled.minimize(costs, PRIOR, 20, checkpoint=path, **ARGUMENTS)
    labels[0, 0] = kept
    for chunk in (part for part in (path / "labels" / "c").rglob("*") if part.is_file()):
        chunk.write_bytes(b"\xff" + chunk.read_bytes()[1:9])
    with pytest.raises(ValueError, match="labels missing or damaged; delete it"):
        rm.tiled.minimize(costs, PRIOR, 20, checkpoint=path, **ARGUMENTS)


def test_one_run_at_a_time(costs, expected, tmp_path):
    pytest.importorskip("fcntl")
    path, said = tmp_path / "run.zarr", []

    def second(_):
        with pytest.raises(ValueError, match="in use by another") as error:
            rm.tiled.minimize(costs, PRIOR, 20, checkpoint=path, **ARGUMENTS)
        said.append(str(error.value))
        return len(said) > 1

    rm.tiled.minimize(costs, PRIOR, 20, checkpoint=path, callback=second, **ARGUMENTS)
    assert len(said) == 2
    found = rm.tiled.minimize(costs, PRIOR, 20, checkpoint=path, **ARGUMENTS)
    np.testing.assert_array_equal(found.labels, expected.labels)


def test_out_and_checkpoint_lie_apart(costs, tmp_path):
    path = tmp_path / "run.zarr"
    for out, checkpoint in ((path, path), (path / "labels", path), (path, path / "run")):
        with pytest.raises(ValueError, match="folders of their own"):
            rm.tiled.minimize(costs, PRIOR, out=out, checkpoint=checkpoint, **ARGUMENTS)
    assert not path.exists()


SCRIPT = """
import sys
import numpy as np
import rangemoves as rm
costs = np.load(sys.argv[1])
found = rm.tiled.minimize(costs, rm.TruncatedQuadratic(2), 20, tiles=(24, 30), margin=6,
                          checkpoint=sys.argv[2], threads=2)
np.save(sys.argv[3], found.labels)
"""


@pytest.mark.slow
def test_killed_by_a_signal(costs, expected, tmp_path):
    np.save(tmp_path / "costs.npy", costs)
    command = [sys.executable, "-c", SCRIPT, tmp_path / "costs.npy", tmp_path / "run.zarr"]
    command.append(tmp_path / "labels.npy")
    rng, kills = random.Random(0), 0
    while not (tmp_path / "labels.npy").exists():
        process = subprocess.Popen(command, env=dict(os.environ))
        # The first one is killed as soon as it has written something.
        while not (tmp_path / "run.zarr").exists() and process.poll() is None:
            time.sleep(0.005)
        try:
            # Later ones start up first, slowly on busy machines.
            process.wait(rng.uniform(0.8, 2.5 + 0.3 * kills) if kills else 0.01)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
            time.sleep(0.01)
        assert kills < 60
    assert kills >= 1
    np.testing.assert_array_equal(np.load(tmp_path / "labels.npy"), expected.labels)
