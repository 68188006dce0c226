"""Costs in 8 and 16 bits go to the core as they are, and give what the same costs in 32 bits do."""

import numpy as np
import pytest

import rangemoves as rm
from rangemoves import _core
from rangemoves.fixed_point import to_fixed_edges, to_fixed_point

NARROW = [np.uint8, np.int16, np.uint16]
AS_THEY_ARE = [*NARROW, np.int32]
METHODS = [method.name for method in rm.methods()]
WIDTHS = [("RANGEMOVES_LANES", "4"), ("RANGEMOVES_LANES", "32"), ("RANGEMOVES_SIMD", "")]


def costs(*shape, most=200, seed=0):
    """What all of these types hold; close enough to decide something here and there."""
    return np.random.default_rng(seed).integers(0, most, shape)


def graph(unary, **given):
    """The variables of a grid in a line, and joined at random."""
    rows = unary.reshape(-1, unary.shape[-1])
    ends = np.random.default_rng(1).integers(0, len(rows), (2 * len(rows), 2))
    return rm.Energy(rows, edges=ends[ends[:, 0] != ends[:, 1]], **given)


def masked(unary, **given):
    mask = np.random.default_rng(2).random(unary.shape[:-1]) < 0.8
    return rm.Energy(unary, mask=mask, **given)


def several(unary, **given):
    convex = isinstance(given["prior"], rm.Huber)
    given["prior"] = [given["prior"], rm.Linear() if convex else rm.TruncatedLinear(2)]
    shapes = [(unary.shape[0] - 1, unary.shape[1]), (unary.shape[0], unary.shape[1] - 1)]
    which = [np.random.default_rng(3).integers(0, 2, shape) for shape in shapes]
    return rm.Energy(unary, prior_index=which, **given)


def volume(unary, **given):
    return rm.Energy(unary.reshape(3, 4, -1, unary.shape[-1]), **given)


def eight(unary, **given):
    return rm.Energy(unary, connectivity=8, **given)


def known_in_few(unary, **given):
    """Whole numbers as floats, of which some are forbidden: a copy, as narrow as can be."""
    reals = unary.astype(np.float64)
    reals[np.random.default_rng(4).random(unary.shape) < 0.2] = np.inf
    reals[..., 1] = 3
    return rm.Energy(reals, **given)


SHAPES = [rm.Energy, eight, graph, masked, several, volume]


def answer(energy, method, **options):
    """All that a run says but the time it took."""
    found = rm.minimize(energy, method, **options)
    trace = [(record.energy, record.lower_bound, record.changed) for record in found.trace]
    facts = (found.energy, found.lower_bound, found.status, found.iterations, trace)
    return found.labels.tolist(), facts


def expect_the_same(make, prior, method, dtypes=NARROW, **options):
    unary = costs(12, 15, 6)
    wide = answer(make(unary.astype(np.int32), prior=prior, weights=40), method, **options)
    for dtype in dtypes:
        energy = make(unary.astype(dtype), prior=prior, weights=40)
        assert energy.unary.dtype == dtype
        assert answer(energy, method, **options) == wide, dtype


@pytest.mark.parametrize("make", SHAPES, ids=lambda make: make.__name__)
@pytest.mark.parametrize("method", METHODS)
def test_methods_do_not_see_the_type(method, make):
    convex = method == "ishikawa"
    prior = rm.Huber(2) if convex else rm.TruncatedQuadratic(2)
    expect_the_same(make, prior, method, threads=1, max_iter=12)


@pytest.mark.parametrize("method", ["gswap", "gswapf", "trws", "irgc", "rswap", "best"])
@pytest.mark.parametrize(("name", "width"), WIDTHS)
def test_nor_do_threads_and_vectors(method, name, width, monkeypatch):
    monkeypatch.setenv(name, width)
    expect_the_same(rm.Energy, rm.TruncatedLinear(2), method, threads=3, max_iter=8)


@pytest.mark.parametrize("engine", ["reference", "dual"])
def test_nor_does_either_engine(engine):
    expect_the_same(rm.Energy, rm.TruncatedQuadratic(2), "gswap", engine=engine)


def test_large_images_start_from_smaller_ones():
    unary = costs(90, 110, 8)
    found = [
        answer(rm.Energy(unary.astype(dtype), rm.Huber(2), 30), "ishikawa", threads=threads)
        for dtype, threads in ((np.int32, 1), (np.uint8, 1), (np.int16, 2), (np.uint16, 1))
    ]
    assert found[0][1][2] == "optimal"
    assert all(other == found[0] for other in found)


@pytest.mark.parametrize("method", ["gswap", "trws", "expansion"])
def test_forbidden_labels_of_whole_numbers(method):
    energy = known_in_few(costs(12, 15, 6), prior=rm.TruncatedLinear(3), weights=20)
    fixed = to_fixed_point(energy)
    assert fixed.unary.dtype == np.int16
    allowed = np.isfinite(energy.unary.reshape(-1, 6))
    rows = energy.unary.reshape(-1, 6)
    np.testing.assert_array_equal(fixed.unary[allowed], rows[allowed])
    dear = fixed.unary.astype(np.int64).min(axis=1, where=~allowed, initial=2**40)
    known = np.where(allowed, rows, 0).max(axis=1)
    # A variable has at most four edges of 20 * 3.
    degree = np.bincount(energy.edges.ravel(), minlength=len(rows))
    assert (dear > known + 60 * degree).all()
    labels = rm.minimize(energy, method).labels.reshape(-1)
    assert allowed[np.arange(len(rows)), labels].all()


@pytest.mark.parametrize("dtype", AS_THEY_ARE)
@pytest.mark.parametrize("copy", [False, True])
def test_the_core_reads_the_energys_own_costs(dtype, copy, monkeypatch):
    energy = rm.Energy(costs(4, 5, 6).astype(dtype), rm.Linear(), 3, copy=copy)
    given = []
    core = _core.minimize

    def minimize(method, unary, *args, **kwargs):
        given.append(unary)
        return core(method, unary, *args, **kwargs)

    monkeypatch.setattr(_core, "minimize", minimize)
    rm.minimize(energy, "gswap")
    assert len(given) == 1
    assert np.shares_memory(given[0], energy.unary)
    assert given[0].dtype == dtype


@pytest.mark.parametrize("lay_out", [lambda a: a[:, ::-1], lambda a: a.transpose(1, 0, 2)])
def test_any_layout(lay_out):
    unary = lay_out(costs(12, 15, 6))
    wide = answer(rm.Energy(unary, rm.TruncatedLinear(2), 40), "gswap")
    given = lay_out(costs(12, 15, 6).astype(np.uint8))
    assert answer(rm.Energy(given, rm.TruncatedLinear(2), 40, copy=False), "gswap") == wide


@pytest.mark.parametrize(
    ("given", "low", "high", "core"),
    [
        (np.bool_, 0, 1, np.uint8),
        (np.int8, -3, 9, np.int16),
        (np.int64, 0, 255, np.uint8),
        (np.int64, 0, 256, np.int16),
        (np.uint32, 0, 40_000, np.uint16),
        (np.int64, -1, 40_000, np.int32),
        (np.float32, -1, 100, np.int16),
        (">i2", -1, 100, np.int16),
        (np.int64, 0, 100_000, np.int32),
        (np.float64, 0, 0.3, np.int64),
    ],
)
def test_other_types_become_as_narrow_as_can_be(given, low, high, core):
    unary = np.full((2, 3, 4), low, given)
    unary[1, 1, 1] = high
    energy = rm.Energy(unary, rm.Linear())
    fixed = to_fixed_point(energy)
    assert fixed.unary.dtype == core
    if core != np.int64:
        np.testing.assert_array_equal(fixed.unary.reshape(unary.shape), unary)


def test_the_estimate_counts_no_copy_where_there_is_none():
    unary = costs(60, 80, 16)
    needed = {
        dtype: rm.estimate_memory(rm.Energy(unary.astype(dtype), rm.TruncatedLinear(3)), "gswapf")
        for dtype in (*AS_THEY_ARE, np.int64)
    }
    as_is = {needed[dtype] for dtype in AS_THEY_ARE}
    assert len(as_is) == 1
    # One byte a cost, and little things that come with any sum of bytes.
    copied = needed[np.int64] - as_is.pop()
    assert unary.size <= copied <= 1.05 * unary.size


def test_what_is_scaled_is_copied():
    energy = rm.Energy(costs(4, 5, 6).astype(np.uint8), rm.Linear(), 0.3)
    edges = to_fixed_edges(energy)
    assert edges.costs.is_copied(edges)
    fixed = to_fixed_point(energy, edges)
    assert fixed.unary.dtype == edges.costs.core_type(edges)
    assert not np.shares_memory(fixed.unary, energy.unary)


def test_the_core_refuses_other_types_in_words():
    fixed = to_fixed_point(rm.Energy(costs(2, 2, 2).astype(np.uint8), rm.Linear()))
    priors = (
        fixed.tables,
        fixed.table_index,
        fixed.centres,
        fixed.huber_slopes,
        fixed.prior_ranges,
    )
    ends = np.zeros(0, np.int32)
    with pytest.raises(TypeError, match="unary must be uint8, int16"):
        _core.minimize(
            "gswap",
            fixed.unary.astype(np.float32),
            *(ends, ends, ends),
            priors,
            np.zeros(4, np.int32),
            options={},
            row=0,
            scale=1.0,
            offset=0.0,
            tolerance=0,
            threads=1,
            seed=0,
            max_iter=1,
            time_limit=-1.0,
            max_memory=0,
            evaluate=None,
            on_iteration=None,
            true_costs=None,
            interrupted=lambda: False,
        )
