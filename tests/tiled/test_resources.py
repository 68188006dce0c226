"""Tiles that need something of a worker go to workers that have it, and to no other."""

import os

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.tiled.dask_engine import (
    RESOURCES,
    DaskWorkers,
    able_workers,
    needed_resources,
    require_backend,
)
from rangemoves.tiled.problem import state_problem
from rangemoves.tiled.work import Settings

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

PRIOR = rm.TruncatedQuadratic(2)
SETTINGS = Settings("gswap", sweeps=5, margin=1, threads=1, seed=0, backend="cpu")
ARGUMENTS = {"tiles": (24, 30), "margin": 6}

pytestmark = [
    # Dask's own connections are closed by threads that may end after the test.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def client():
    """One worker has two GPUs and three threads, by its word, and another one has none."""
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=3, dashboard_address=":0", resources={"GPU": 2}
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        cluster.new_spec["options"]["resources"] = {}
        cluster.scale(2)
        client.wait_for_workers(2)
        yield client


@pytest.fixture(scope="module")
def with_gpu(client):
    workers = client.scheduler_info(n_workers=-1)["workers"]
    (address,) = [address for address, one in workers.items() if one["resources"]]
    return address


def places_of_tiles(client, needed):
    def where(problem, settings, number):
        return {"number": number, "address": distributed.get_worker().address}

    problem = state_problem(np.zeros((4, 4, 2)), PRIOR, 1, None, None, None)
    engine = DaskWorkers(client, lambda: False, lambda: False, needed)
    jobs = ((number, (number,)) for number in range(24))
    found = dict(engine.run(problem, SETTINGS, where, jobs))
    assert [found[number]["number"] for number in range(24)] == list(range(24))
    return {outcome["address"] for outcome in found.values()}


def test_tiles_go_where_the_resource_is(client, with_gpu):
    assert places_of_tiles(client, RESOURCES["cuda"]) == {with_gpu}
    assert len(places_of_tiles(client, {})) == 2


def test_who_is_able(client, with_gpu):
    assert able_workers(client, {"GPU": 1}) == {with_gpu: 2}
    assert able_workers(client, {"GPU": 2}) == {with_gpu: 1}
    assert able_workers(client, {"GPU": 3}) == {}
    assert sorted(able_workers(client, {}).values()) == [3, 3]
    assert needed_resources("cpu") == needed_resources("auto") == {}
    assert needed_resources("cuda") == {"GPU": 1}


def test_a_run_on_workers_that_the_caller_has_annotated(client, with_gpu, costs, tmp_path):
    """Resources of other names by Dask's own way to ask for them."""

    def source(box):
        (tmp_path / str(os.getpid())).touch()
        return costs[box]

    expected = rm.tiled.minimize(costs, PRIOR, 20, **ARGUMENTS)
    with dask.annotate(resources={"GPU": 1}):
        found = rm.tiled.minimize(source, PRIOR, 20, shape=costs.shape, client=client, **ARGUMENTS)
    np.testing.assert_array_equal(found.labels, expected.labels)
    (pid,) = client.run(os.getpid, workers=[with_gpu]).values()
    readers = {int(path.name) for path in tmp_path.iterdir()} - {os.getpid()}
    assert readers == {pid}
    with (
        dask.annotate(resources={"MEMORY": 100}),
        pytest.raises(ValueError, match="resources MEMORY=100; found none among 2"),
    ):
        rm.tiled.minimize(costs, PRIOR, 20, client=client, **ARGUMENTS)


def test_a_backend_that_workers_do_not_have(client, with_gpu, costs, monkeypatch):
    """Said at once, and by the workers: this process need not have it."""
    with pytest.raises(rm.BackendError, match=f"which the worker {with_gpu} has; found 'cuda'"):
        rm.tiled.minimize(costs, PRIOR, 20, client=client, backend="cuda", **ARGUMENTS)
    monkeypatch.setitem(RESOURCES, "cuda", {"GPU": 3})
    with pytest.raises(rm.BackendError, match=r"GPU=3 for backend='cuda'; found none among 2"):
        rm.tiled.minimize(costs, PRIOR, 20, client=client, backend="cuda", **ARGUMENTS)
    monkeypatch.setitem(RESOURCES, "cpu", {"GPU": 1})
    require_backend(client, "cpu", RESOURCES["cpu"])  # what they have is fine


def test_a_worker_without_the_package(costs):
    hidden = "import sys; sys.modules['rangemoves'] = None"
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=":0", preload=[hidden]
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        pytest.raises(rm.BackendError, match="client must have workers with rangemoves; tcp"),
    ):
        rm.tiled.minimize(costs, PRIOR, 20, client=client, **ARGUMENTS)


@pytest.mark.parametrize(
    ("backend", "error"), [("abacus", rm.BackendError), (3, TypeError), ([], TypeError)]
)
def test_backends_are_checked(client, costs, backend, error):
    with pytest.raises(error, match="backend must be one of"):
        rm.tiled.minimize(costs, PRIOR, 20, client=client, backend=backend)


def test_without_a_client_the_backend_is_that_of_this_process(costs):
    with pytest.raises(rm.BackendError, match="backend must be one of cpu, auto; found 'cuda'"):
        rm.tiled.minimize(costs, PRIOR, 20, backend="cuda")
