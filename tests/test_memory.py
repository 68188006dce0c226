"""How much memory a run takes: told beforehand, measured afterwards, limited on request."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from oracles import solve

import rangemoves as rm
from rangemoves import machine

MEASURE = """
import re, sys
import numpy as np
import rangemoves as rm

def status(name):
    with open("/proc/self/status") as file:
        return 1024 * int(re.search(name + r":\\s+(\\d+)", file.read())[1])

kind, engine, dtype = sys.argv[1:]
sizes = {"grid": (200, 300, 40), "graph": (150, 200, 30), "small": (90, 120, 30)}
*shape, labels = sizes[kind]
rng = np.random.default_rng(0)
truth = (np.sin(np.indices(shape).sum(axis=0) / 25) + 1) * labels / 3
unary = np.abs(truth[..., None] - np.arange(labels)) * 4 + rng.integers(0, 60, (*shape, labels))
unary = np.ascontiguousarray(unary.astype(dtype))
energy = rm.Energy(unary, rm.TruncatedQuadratic(4), 10, copy=False)
if kind == "graph":
    flat = unary.reshape(-1, labels)
    energy = rm.Energy(flat, energy.prior, 10, edges=energy.edges, copy=False)
estimate = rm.estimate_memory(energy, "gswap", engine=engine)
minimize = rm.minimize  # loaded at first use it would count
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the peak counts from here
before = status("VmRSS")
minimize(energy, "gswap", engine=engine, max_iter=1)
print(estimate, status("VmHWM") - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
@pytest.mark.parametrize(
    ("kind", "engine", "dtype"),
    [
        ("grid", "dual", "int32"),
        ("grid", "auto", "float32"),
        ("graph", "dual", "int32"),
        ("small", "reference", "int32"),
    ],
)
def test_the_estimate_is_right_within_a_factor_of_two(kind, engine, dtype):
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, kind, engine, dtype],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    estimate, measured = map(int, done.stdout.split())
    assert measured / 2 < estimate < measured * 2


BENCHMARK = Path(__file__).resolve().parents[1] / "benchmarks" / "memory.py"
# The kernel counts the pages of every thread's processor by the dozen, three kinds of them.
UNCOUNTED = 300_000
# What a run maps of its code, unless that was mapped together with code that was needed before: how
# much comes at once is up to the system.
CODE = 1_000_000


def is_right(estimate, peak, code):
    most = 1.25 * (peak + max(0, CODE - code) + UNCOUNTED)
    return peak - UNCOUNTED < estimate < most


ALL = tuple(method.name for method in rm.methods())


@pytest.mark.skipif(sys.platform != "linux", reason="other systems count memory differently")
@pytest.mark.parametrize(
    ("kind", "size", "methods"),
    [
        ("syn", "60x80x16", ALL),
        ("syn", "150x200x32", ("auto", "gswap", "expansion", "rswap", "irgc")),
        ("float", "60x80x16", ("gswap", "expansion", "rswape", "irgc", "rexp")),
        ("weights", "60x80x16", ("auto", "gswap", "rswap", "trws")),
        # Neither a size nor a shape of the benchmark's table.
        ("syn", "90x70x20", ("gswap", "rswap", "rswape", "irgc+expansion")),
    ],
)
def test_the_peak_is_what_was_estimated(kind, size, methods):
    def measure(method):
        done = subprocess.run(
            [sys.executable, BENCHMARK, "--one", kind, method, size, "--seconds", "2"],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return method, json.loads(done.stdout)

    with ThreadPoolExecutor(2) as pool:
        runs = dict(pool.map(measure, methods))
    # Where its sweeps find the optimum, "best" makes no move; a busy machine may end others first.
    moved = {name: run for name, run in runs.items() if run["moved"]}
    assert {"expansion", "swap", "rexp", "trws"} & set(methods) <= set(moved)
    outside = {
        name: run["estimate"] / run["peak"]
        for name, run in moved.items()
        if not is_right(run["estimate"], run["peak"], run["code"])
    }
    assert not outside


# Pure noise, on which narrow cuts prove nothing: the engine allows itself more memory by and by.
STALLED = """
import numpy as np
from memory import give_back_free_memory, mapped_files

import rangemoves as rm
from rangemoves.machine import own_peak_memory

rng = np.random.default_rng(1)
unary = np.empty((60, 80, 16), np.int32)
for row in unary:
    row[:] = rng.integers(0, 100, row.shape)
energy = rm.Energy(unary, rm.TruncatedQuadratic(3), 10, copy=False)
minimize = rm.minimize  # loaded at first use it would count
give_back_free_memory()
before, code = own_peak_memory(), mapped_files()
minimize(energy, "gswap", threads=1)  # how several take turns decides about some of it
grown, code = own_peak_memory() - before, mapped_files() - code
print(rm.estimate_memory(energy, "gswap"), grown, code)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems count memory differently")
def test_cuts_that_need_more_than_their_budget_take_little_more():
    done = subprocess.run(
        [sys.executable, "-c", STALLED],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ | {"PYTHONPATH": str(BENCHMARK.parent)},
    )
    assert done.returncode == 0, done.stderr
    assert is_right(*map(int, done.stdout.split()))


GROWTH = """
import re
import numpy as np
import rangemoves as rm

def peak():
    with open("/proc/self/status") as file:
        return 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", file.read())[1])

{before}
functions = rm.minimize, rm.estimate_memory  # loaded at first use they would count
start = peak()
{call}
print(peak() - start)
"""


def growth(before, call):
    done = subprocess.run(
        [sys.executable, "-c", GROWTH.format(before=before, call=call)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
@pytest.mark.parametrize("method", ["auto", "gswap", "trws", "rexp", "best"])
@pytest.mark.parametrize("dtype", ["np.int32", "np.float64"])
def test_the_first_run_does_not_pay_for_code(method, dtype):
    before = f"unary = np.random.default_rng(0).integers(0, 9, (6, 6, 4)).astype({dtype})\n"
    before += "energy = rm.Energy(unary, rm.TruncatedLinear(2))"
    assert growth(before, f"rm.minimize(energy, {method!r})") < 800_000


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
@pytest.mark.parametrize("weights", ["0.3", "[rng.random((149, 200)), rng.random((150, 199))]"])
def test_an_estimate_takes_little_itself(weights):
    before = "rng = np.random.default_rng(0)\nunary = rng.random((150, 200, 32))\n"
    before += f"energy = rm.Energy(unary, rm.TruncatedQuadratic(3), {weights}, copy=False)"
    # The costs alone take 7.7 MB.
    assert growth(before, "rm.estimate_memory(energy, 'trws')") < 5_000_000


# Costs that say something on a few lines only. Filled row by row: large temporaries would leave
# memory for the run to use, uncounted.
EVEN = """
rng = np.random.default_rng(0)
height, width, labels = 160, 200, 30
x = np.arange(width)
unary = np.empty((height, width, labels), np.int32)
for y in range(height):
    distance = np.abs((x // 50 * 6 + y // 80 * 3)[:, None] - np.arange(labels))
    known = (x % 40 < 2) | (y % 40 < 2)
    unary[y] = 8 * distance * known[:, None] + rng.integers(0, 3, (width, labels))
energy = rm.Energy(unary, rm.TruncatedQuadratic(4), 10, copy=False)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_even_areas_are_decided_by_their_surroundings():
    names = {"np": np, "rm": rm}
    exec(EVEN, names)
    peak = growth(EVEN, "rm.minimize(energy, 'gswap')")
    assert peak < rm.estimate_memory(names["energy"], "gswap") < 1.35 * peak


def test_cuts_of_noise_keep_to_their_budget():
    # A band as wide as the fast engine would like holds nearly all labels: 14 nodes a variable.
    rng = np.random.default_rng(0)
    weights = [rng.random((59, 80)), rng.random((60, 79))]
    energy = rm.Energy(rng.random((60, 80, 16)), rm.TruncatedQuadratic(3), weights)
    moved = solve(energy, "gswap", engine="dual", max_iter=1)
    assert moved.trace[0].proven
    assert moved.statistics["most_cut_nodes"] < 4 * energy.num_variables
    exact = solve(energy, "gswap", engine="reference", max_iter=1)
    assert moved.trace[0].surrogate_energy == exact.trace[0].surrogate_energy


def test_where_narrow_cuts_stall_parts_are_solved_instead_of_wider_cuts():
    # Once a cut had five times as many nodes on such noise, and the run twice the memory.
    noise = np.random.default_rng(0).integers(0, 100, (110, 150, 40)).astype(np.int32)
    energy = rm.Energy(noise, rm.TruncatedQuadratic(3), 10)
    moved = solve(energy, "irgc", engine="dual", max_iter=1)
    assert moved.trace[0].proven
    assert moved.statistics["parts"] > 0
    assert moved.statistics["most_cut_nodes"] < 4 * energy.num_variables
    assert moved.statistics["part_most_cut_nodes"] < 4 * energy.num_variables
    exact = solve(energy, "irgc", engine="reference", max_iter=1)
    assert moved.trace[0].surrogate_energy == exact.trace[0].surrogate_energy


def problem(labels=20, scale=1, prior=None):
    unary = np.random.default_rng(0).integers(0, 9, (30, 40, labels)) * scale
    return rm.Energy(unary.astype(np.int32), prior or rm.TruncatedQuadratic(3), scale)


def test_estimates_follow_the_problem():
    few, many = problem(20), problem(80)
    times = rm.estimate_memory(many, engine="reference") / rm.estimate_memory(
        few, engine="reference"
    )
    assert 1.5 < times < 5
    # Where costs say what is right, cuts of the fast engine are about few labels.
    distance = np.abs(np.arange(30)[:, None, None] - np.arange(80)) + np.zeros((30, 40, 1))
    clear = rm.Energy(distance.astype(np.int32), rm.TruncatedQuadratic(3))
    assert rm.estimate_memory(clear, engine="reference") > 2 * rm.estimate_memory(clear)
    assert rm.estimate_memory(few, "trws") < rm.estimate_memory(few)
    assert rm.estimate_memory(few, "best") >= rm.estimate_memory(few)
    assert rm.estimate_memory(few) > rm.estimate_memory(few, "gswap")
    for option in ("tight", "huber", "chord"):
        assert rm.estimate_memory(few, surrogate=option) > 0
    assert rm.estimate_memory(few, "rswape", surrogate="continued") > 0
    assert rm.estimate_memory(problem(1)) > 0


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_estimates_of_the_fast_engine_grow_with_labels_as_the_peak_does():
    # Less than in proportion: of many labels on noise, cuts hold those for which they have memory.
    peaks = []
    for labels in (20, 80):
        before = f"unary = np.random.default_rng(0).integers(0, 9, (30, 40, {labels}))\n"
        before += "energy = rm.Energy(unary.astype(np.int32), rm.TruncatedQuadratic(3), 1)"
        peaks.append(growth(before, "rm.minimize(energy, engine='dual')"))
    few, many = (rm.estimate_memory(problem(labels), engine="dual") for labels in (20, 80))
    assert 1.5 < many / few < 4
    assert abs(many / few / (peaks[1] / peaks[0]) - 1) < 0.25


def test_every_method_has_an_estimate():
    for method in rm.methods():
        prior = rm.Quadratic() if method.name == "ishikawa" else rm.TruncatedQuadratic(3)
        assert rm.estimate_memory(problem(prior=prior), method.name) > 0


def test_costs_too_large_for_32_bits_count_twice():
    plain, large = problem(), problem(scale=2**21)
    assert rm.estimate_memory(large) > 1.3 * rm.estimate_memory(plain)


def test_too_little_memory_is_refused_with_both_figures():
    energy = problem()
    needed = rm.estimate_memory(energy)
    with pytest.raises(MemoryError, match=rf"{needed / 1e6:,.1f} MB .*max_memory is 0.1 MB"):
        rm.minimize(energy, max_memory=100_000)
    with pytest.raises(MemoryError):
        rm.minimize(energy, max_memory=needed - 1, engine="dual")
    solve(energy, max_memory=2 * needed)


def test_too_little_memory_for_the_fast_engine_is_enough_for_a_leaner_one():
    # On noise cuts of the fast engine hold most of a few labels, and messages come on top of them.
    noise = np.random.default_rng(0).integers(0, 100, (40, 50, 4)).astype(np.int32)
    energy = rm.Energy(noise, rm.TruncatedQuadratic(2), 10)
    fast, lean = (
        rm.estimate_memory(energy, "gswap", engine=engine) for engine in ("dual", "reference")
    )
    assert lean < fast
    usual = solve(energy, "gswap", init="zero", max_memory=2 * fast)
    leaner = solve(energy, "gswap", init="zero", max_memory=(lean + fast) // 2)
    assert "leaner_engine" not in usual.statistics
    assert leaner.statistics["leaner_engine"] == 1
    assert leaner.trace[0].surrogate_energy == usual.trace[0].surrogate_energy
    with pytest.raises(MemoryError):
        rm.minimize(energy, "gswap", max_memory=(lean + fast) // 2, engine="dual")
    with pytest.raises(MemoryError, match=f"about {fast / 1e6:,.1f} MB"):
        rm.minimize(energy, "gswap", max_memory=lean // 2)


@pytest.mark.parametrize("prior", [rm.TruncatedQuadratic(3), rm.TruncatedLinear(3)])
def test_of_images_the_fast_engine_is_the_lean_one(prior):
    # docs/methods.md says so: the reference engine is then no way out of too little memory.
    pair = rm.datasets.synthetic_stereo(shape=(90, 120), labels=16)
    energy = rm.Energy(rm.stereo.cost_volume(pair.left, pair.right, 16), prior, 20)
    fast, whole = (
        rm.estimate_memory(energy, "gswap", engine=engine) for engine in ("dual", "reference")
    )
    assert 1.5 * fast < whole
    with pytest.raises(MemoryError, match=f"about {fast / 1e6:,.1f} MB"):
        rm.minimize(energy, "gswap", max_memory=fast // 2)


def test_range_swaps_that_keep_messages_count_them():
    energy = problem()
    keeps = rm.estimate_memory(energy, "rswap", ties="highest")
    assert keeps > rm.estimate_memory(energy, "rswap")
    # At most twice the costs in 32 bits, with a little for what comes and goes.
    assert keeps < rm.estimate_memory(energy, "rswap") + 1.1 * 8 * energy.unary.size


def test_without_a_limit_the_machine_is_the_limit(monkeypatch):
    monkeypatch.setattr(machine, "physical_memory", lambda: 10**6)
    with pytest.raises(MemoryError, match=r"this machine has 1\.0 MB"):
        rm.minimize(problem())
    solve(problem(), max_memory=10**9)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([1, 2],), TypeError, r"energy must be an rm\.Energy"),
        ((problem(), "ishikawa"), ValueError, "cannot minimise this energy"),
        ((problem(), "magic"), ValueError, "method must be one of"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        rm.estimate_memory(*arguments)


def test_unknown_options_are_refused():
    with pytest.raises(TypeError, match="has no option 'colour'"):
        rm.estimate_memory(problem(), colour="red")
