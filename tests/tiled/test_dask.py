"""Tiles on Dask workers: the same labels as in threads, also when workers die."""

import os
import signal
import threading

import numpy as np
import pytest

import rangemoves as rm

distributed = pytest.importorskip("distributed")
zarr = pytest.importorskip("zarr")

PRIOR = rm.TruncatedQuadratic(2)
ARGUMENTS = {"tiles": (24, 30), "margin": 6}

pytestmark = [
    # Dask's own connections are closed by threads that may end after the test.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def expected(costs):
    return rm.tiled.minimize(costs, PRIOR, 20, **ARGUMENTS)


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_workers_read_zarr(costs, expected, client, tmp_path):
    stored = zarr.create_array(store=tmp_path / "costs.zarr", data=costs, chunks=(20, 20, 8))
    found = rm.tiled.minimize(stored, PRIOR, 20, client=client, **ARGUMENTS)
    np.testing.assert_array_equal(found.labels, expected.labels)
    assert (found.energy, found.lower_bound) == (expected.energy, expected.lower_bound)


def test_closures_and_memory_maps_travel(costs, expected, client, tmp_path):
    mapped = np.memmap(tmp_path / "costs", costs.dtype, "w+", shape=costs.shape)
    mapped[:] = costs
    mapped.flush()
    by_name = rm.tiled.minimize(mapped, PRIOR, 20, client="current", **ARGUMENTS)
    path, shape = str(tmp_path / "costs"), costs.shape

    def source(box):
        assert rm.__version__  # the package travels with code that uses it
        return np.memmap(path, np.int32, "r", shape=shape)[box]

    by_code = rm.tiled.minimize(source, PRIOR, 20, shape=shape, client=client, **ARGUMENTS)
    np.testing.assert_array_equal(by_name.labels, expected.labels)
    np.testing.assert_array_equal(by_code.labels, expected.labels)


def test_a_run_that_is_done_cancels_nothing(costs, client, monkeypatch):
    """The scheduler tells all clients what is cancelled, and one that just connects fails by it."""
    cancelled = []
    monkeypatch.setattr(client, "cancel", cancelled.append)
    rm.tiled.minimize(costs, PRIOR, 20, client=client, **ARGUMENTS)
    assert not cancelled


def test_clients_that_are_not_the_current_one(costs, expected, client):
    with distributed.Client(client.scheduler.address, set_as_default=False) as other:
        found = rm.tiled.minimize(costs, PRIOR, 20, client=other, **ARGUMENTS)
    np.testing.assert_array_equal(found.labels, expected.labels)


def test_large_arrays_do_not_travel(client):
    with pytest.raises(ValueError, match="read by themselves"):
        rm.tiled.minimize(np.zeros((1000, 1000, 8), np.int32), PRIOR, client=client, tiles=(64, 64))


def test_what_is_wrong_on_a_worker_is_said(client, tmp_path):
    def source(box):
        return np.full((*(part.stop - part.start for part in box), 3), np.nan)

    with pytest.raises(ValueError, match="must not be NaN"):
        rm.tiled.minimize(source, PRIOR, shape=(20, 20, 3), tiles=(10, 10), client=client)


@pytest.mark.parametrize(
    ("client", "error"), [("another", ValueError), (3, TypeError), (distributed, TypeError)]
)
def test_clients_are_checked(client, error):
    with pytest.raises(error, match="client must be"):
        rm.tiled.minimize(np.zeros((8, 8, 3)), PRIOR, client=client)


def test_a_client_without_workers(costs, expected, tmp_path):
    """The run waits, but not beyond its time; and goes on where workers come later."""
    stored = zarr.create_array(store=tmp_path / "costs.zarr", data=costs, chunks=(20, 20, 8))
    with (
        distributed.LocalCluster(
            n_workers=0, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        with (
            pytest.warns(UserWarning, match="no workers yet"),
            pytest.raises(TimeoutError, match="client must have workers"),
        ):
            rm.tiled.minimize(stored, PRIOR, 20, client=client, time_limit=0.5, **ARGUMENTS)
        helper = threading.Timer(0.5, cluster.scale, [1])
        helper.start()
        with pytest.warns(UserWarning, match="no workers yet"):
            found = rm.tiled.minimize(stored, PRIOR, 20, client=client, **ARGUMENTS)
        helper.join()
    np.testing.assert_array_equal(found.labels, expected.labels)
    with pytest.raises(ValueError, match="one that is closed"):
        rm.tiled.minimize(stored, PRIOR, 20, client=client, **ARGUMENTS)


@pytest.mark.slow
def test_workers_may_die(costs, expected, tmp_path):
    stored = zarr.create_array(store=tmp_path / "costs.zarr", data=costs, chunks=(20, 20, 8))
    with (
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        killers, killed = [], []

        def kill(worker):
            process = worker.process
            if process is not None and process.pid:
                os.kill(process.pid, signal.SIGKILL)
                killed.append(process.pid)

        def after_stage(_):
            # A moment later the workers are busy with the next stage, however fast the machine is.
            # Each is killed once: Dask takes seconds to start another.
            if len(killers) < 3:
                worker = cluster.workers[len(killers)]
                killers.append(threading.Timer(0.02, kill, [worker]))
                killers[-1].start()
            return False

        found = rm.tiled.minimize(
            stored,
            PRIOR,
            20,
            client=client,
            checkpoint=tmp_path / "run.zarr",
            callback=after_stage,
            **ARGUMENTS,
        )
        for killer in killers:
            killer.join()
    assert killed
    np.testing.assert_array_equal(found.labels, expected.labels)
