"""The figures of a run: all there, with the right curves, and the paper's claim visible in one."""

import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rangemoves as rm

pytest.importorskip("matplotlib")
Image = pytest.importorskip("PIL.Image")

from rangemoves.bench import figures, growth  # noqa: E402
from rangemoves.bench.cell import CompareCell, PaperCell, ScalingCell  # noqa: E402
from rangemoves.bench.figures import comparison, energies, maps, moves, paper, scaling  # noqa: E402
from rangemoves.bench.figures.runs import load_runs  # noqa: E402
from rangemoves.bench.figures.style import style_of  # noqa: E402

SHAPE = (40, 52)
ROWS = ("expansion", "irgc", "gswap", "gswapf", "trws", "E+gswap", "best")
KINDS = ("energy-time", "energies", "changed", "active", "maps")


def make_cells(out: Path, prior_name: str, prior, rows=ROWS):
    """Run a few methods on a small pair, as a run of the paper's tables would."""
    pair = rm.datasets.synthetic_stereo(shape=SHAPE, labels=10)
    energy = rm.Energy(rm.stereo.cost_volume(pair.left, pair.right, 10), prior, 20)
    (out / "cells").mkdir(exist_ok=True)
    cells = []
    for row in rows:
        method = row.removeprefix("E+")
        start = "zero" if row == method else "expansion"
        name = f"cells/small-{prior_name}-{row}.npz"
        limit = {"max_iter": 20} if method in ("trws", "best") else {}
        result = rm.minimize(energy, method, init=start, threads=1, **limit)
        result.save(out / name)
        cells.append(
            PaperCell(
                instance="small",
                own=True,
                prior=prior_name,
                row=row,
                method=method,
                start=start,
                status=result.status,
                error=None,
                energy=result.energy,
                lower_bound=result.lower_bound,
                seconds=result.seconds,
                start_seconds=0.5 if start == "expansion" else 0.0,
                iterations=result.iterations,
                memory_bytes=result.peak_memory,
                threads=1,
                result=name,
            )
        )
    return cells


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("run")
    cells = make_cells(out, "linear", rm.TruncatedLinear(2))
    pending = replace(cells[0], row="swap", status="pending", energy=None, result=None)
    return out, [*cells, pending]


@pytest.fixture(scope="module")
def runs(run):
    out, cells = run
    return load_runs(out, cells)


@pytest.fixture(scope="module")
def written(run):
    out, cells = run
    return figures.draw(out, cells)


def test_every_figure_is_there_twice(run, written):
    expected = {f"small-linear-{kind}.{end}" for kind in KINDS for end in ("png", "svg")}
    assert {path.name for path in written} == expected
    assert {path.parent for path in written} == {run[0] / "figures"}


def test_pictures_are_not_empty(written):
    for path in written:
        if path.suffix == ".png":
            with Image.open(path) as picture:
                assert min(picture.size) > 200
                assert picture.convert("RGB").getcolors(20) is None, "more than 20 colours"
        else:
            drawing = path.read_text()
            assert len(re.findall(r"<path|<image", drawing)) > 6
            assert len(re.findall(r"<text", drawing)) > 3, "text must stay text"


def test_energy_against_time_has_a_curve_per_row_and_a_zoomed_view(runs):
    whole, zoomed = energies.energy_against_time(runs, "title").axes
    for axes in (whole, zoomed):
        curves = [
            line for line in axes.lines if len(line.get_xdata()) and line.get_marker() != "None"
        ]
        assert len(curves) == len(ROWS)
        assert axes.get_xlabel().startswith("seconds")
        assert axes.get_ylabel()
    (low, high), (whole_low, whole_high) = zoomed.get_ylim(), whole.get_ylim()
    assert high - low < whole_high - whole_low
    ends = {run.row: run.energy / 1000 for run in runs}
    assert all(low < ends[row] < high for row in ("best", "gswap", "gswapf"))


def test_the_time_of_the_start_counts(runs):
    [late] = [run for run in runs if run.row == "E+gswap"]
    assert late.seconds[0] == pytest.approx(0.5 + late.result.trace[0].seconds)
    whole = energies.energy_against_time(runs, "title").axes[0]
    [curve] = [line for line in whole.lines if str(line.get_label()).startswith("E+gswap")]
    assert min(curve.get_xdata()) > 0.5


def test_legend_names_every_row_lowest_first(runs):
    [legend] = energies.energy_against_time(runs, "title").legends
    names = [text.get_text().split()[0] for text in legend.get_texts()]
    found = {run.row: run.energy for run in runs}
    assert set(names) - {"lower"} == set(ROWS)
    ranked = [found[name] for name in names if name in found]
    assert ranked == sorted(ranked)


def test_true_energy_never_rises_while_the_surrogate_does(runs):
    ours = [run for run in runs if run.row in ("gswap", "gswapf")]
    assert max(len(run.result.trace) for run in ours) >= 3, "an instance with several moves"
    values, _ = energies.both_energies(ours, "title").axes
    curves = {line.get_label(): line.get_ydata() for line in values.lines}
    assert set(curves) == {f"$E^{e}$, {row}" for e in "gh" for row in ("gswap", "gswapf")}
    assert all((np.diff(curves[f"$E^g$, {row}"]) <= 0).all() for row in ("gswap", "gswapf"))
    assert (np.diff(curves["$E^h$, gswap"]) > 0).any()


def test_where_one_move_does_it_all_the_runs_from_expansion_are_shown_too(tmp_path):
    cells = make_cells(tmp_path, "quadratic", rm.TruncatedQuadratic(4), ("gswap", "E+gswap"))
    runs = load_runs(tmp_path, cells)
    assert len(runs[0].result.trace) == 1
    drawn = dict(paper.figures_of(runs, "title"))
    labels = {line.get_label() for line in drawn["energies"].axes[0].lines}
    assert labels == {f"$E^{e}$, {row}" for e in "gh" for row in ("gswap", "E+gswap")}


@pytest.mark.parametrize(
    ("name", "key"), [("changed_pixels", "changed"), ("active_variables", "active")]
)
def test_fractions_are_per_cent_of_the_pixels(runs, name, key):
    [gswap] = [run for run in runs if run.row == "gswap"]
    axes = getattr(moves, name)([gswap], "title").axes[0]
    [curve] = axes.lines
    expected = [100 * record[key] / np.prod(SHAPE) for record in gswap.result.trace]
    np.testing.assert_allclose(curve.get_ydata(), expected)
    assert axes.get_ylim()[0] < 0 < 100 < axes.get_ylim()[1]


def test_maps_have_their_own_size_and_colours(run, runs):
    figure = maps.disparity_maps(runs, 9, "title")
    assert len(figure.axes) == len(ROWS)
    stored = io.BytesIO()
    figure.savefig(stored, format="png", dpi=200)
    page = np.asarray(Image.open(stored).convert("RGB"))
    for axes, run_ in zip(figure.axes, runs, strict=True):
        box = axes.get_position()
        left, top = round(box.x0 * page.shape[1]), round((1 - box.y1) * page.shape[0])
        found = page[top : top + SHAPE[0], left : left + SHAPE[1]]
        expected = rm.plots.disparity_colours(run_.result.labels, (0, 9))
        assert (found == expected).all(axis=-1).mean() > 0.99


def test_a_method_looks_the_same_everywhere_and_unlike_the_others():
    names = [method.name for method in rm.methods()]
    looks = {(style_of(name).colour, style_of(name).marker) for name in names}
    assert len(looks) == len(names)
    plain, late = style_of("rswap"), style_of("E+rswap")
    assert (plain.colour, plain.marker) == (late.colour, late.marker)
    assert plain.line != late.line


def test_the_same_data_give_the_same_file(tmp_path):
    cells = [cell for cell in scaling_cells() if cell.case == "labels"]
    first, second = (
        [path.read_bytes() for path in figures.draw_scaling(tmp_path, cells)] for _ in range(2)
    )
    assert first == second


def test_variants_of_rows_are_left_to_the_tables(tmp_path, monkeypatch):
    cells = make_cells(tmp_path, "quadratic", rm.TruncatedQuadratic(2), ["gswap", "trws"])
    variants = [
        replace(cells[0], row=row) for row in ("gswap-as-written", "gswap-chord", "random+gswap")
    ]
    seen = []
    monkeypatch.setattr(paper, "figures_of", lambda runs, _: seen.append(runs) or ())
    figures.draw(tmp_path, [*cells, *variants])
    figures.draw(tmp_path, variants)
    # By themselves they are what was asked for.
    assert [[run.row for run in runs] for runs in seen] == [
        ["gswap", "trws"],
        ["gswap-as-written", "gswap-chord", "random+gswap"],
    ]


def test_a_run_without_results_draws_nothing(tmp_path, run):
    assert figures.draw(tmp_path, [run[1][-1]]) == []


def scaling_cells():
    for pixels in (1e4, 4e4, 16e4):
        for solver, power in (("gswap", 1.0), ("expansion", 1.5)):
            yield ScalingCell(
                case="pixels",
                solver=solver,
                pixels=int(pixels),
                labels=16,
                T=3,
                seconds=1e-5 * pixels**power,
                memory_bytes=int(100 * pixels),
                status="converged",
            )
    for labels in (8, 16, 32):
        yield ScalingCell(
            case="labels",
            solver="gswap",
            pixels=10000,
            labels=labels,
            T=3,
            seconds=0.01 * labels**2,
            memory_bytes=None,
            status="converged",
        )
    yield ScalingCell(case="T", solver="gswap", pixels=10000, labels=16, T=3)


def test_scaling_fits_the_exponents(tmp_path):
    cells = list(scaling_cells())
    written = figures.draw_scaling(tmp_path, cells)
    names = {"scaling-labels", "scaling-pixels"}
    assert {path.name for path in written} == {f"{n}.{e}" for n in names for e in ("png", "svg")}
    series = growth.series(cells)
    time, memory = scaling.scaling("pixels", series["pixels"]).axes
    labels = [text.get_text() for text in time.get_legend().get_texts()]
    assert labels == ["gswap: power 1.00", "expansion: power 1.50"]
    assert memory.get_legend().get_texts()[0].get_text() == "gswap: power 1.00"
    assert len(series["pixels"]["gswap"]) == 3


def test_comparison_has_a_bar_per_solver_fastest_first(tmp_path):
    cells = [
        CompareCell(case="one move", solver="PyMaxflow", seconds=3.0, energy=101.0),
        CompareCell(case="one move", solver="rangemoves", seconds=1.0, energy=100.0),
        CompareCell(case="one move", solver="gco", status="failed"),
    ]
    written = figures.draw_compare(tmp_path, cells)
    assert [path.name for path in written] == ["compare-one-move.png", "compare-one-move.svg"]
    seconds, energy = comparison.comparison("one move", cells[:2]).axes
    assert [bar.get_width() for bar in seconds.patches] == [1.0, 3.0]
    assert [bar.get_width() for bar in energy.patches] == pytest.approx([0.0, 1.0])
    ticks = [tick.get_text() for tick in seconds.get_yticklabels()]
    assert ticks == ["rangemoves", "PyMaxflow"]


def test_what_the_time_limit_ended_is_not_fitted():
    first = ScalingCell(case="pixels", solver="gswap", pixels=10, labels=16, T=3, seconds=10.0)
    cells = [replace(first, pixels=10**n, seconds=10.0**n) for n in (1, 2, 3)]
    cells.append(replace(first, pixels=10**4, seconds=1e3, status="time_limit"))
    assert growth.fit(cells, "pixels", "seconds")[0] == pytest.approx(1.0)
    time = scaling.scaling("pixels", {"gswap": cells}).axes[0]
    assert sum(len(line.get_xdata()) for line in time.lines if line.get_marker() == "o") == 4
