"""Pictures: right colours, right curves, no display."""

import io
import subprocess
import sys

import numpy as np
import pytest

import rangemoves as rm

pytest.importorskip("matplotlib")

NAN = np.nan
UNKNOWN = [60, 60, 60]


def test_disparity_colours_run_from_blue_to_red_with_grey_for_unknown():
    image = rm.plots.disparity_colours([[0.0, 5.0, 10.0, NAN]])
    far, _, near, unknown = image[0].astype(int)
    assert far[2] > far[0]
    assert near[0] > near[2]
    assert unknown.tolist() == UNKNOWN


def test_limits_fix_the_colours():
    part = rm.plots.disparity_colours([[5.0]], limits=(0, 10))
    whole = rm.plots.disparity_colours([[0.0, 5.0, 10.0]])
    np.testing.assert_array_equal(part[0, 0], whole[0, 1])


def test_map_without_any_known_value_is_grey():
    assert rm.plots.disparity_colours([[NAN, np.inf]]).reshape(-1, 3).tolist() == [UNKNOWN] * 2


def test_error_colours_tell_right_wrong_missing_and_unknown():
    right, wrong, missing, unknown = rm.plots.error_colours(
        [[3.0, 9.0, NAN, 3.0]], [[3.0, 3.0, 3.0, NAN]]
    )[0].astype(int)
    assert right.sum() < 10 < 500 < wrong.sum()
    np.testing.assert_array_equal(wrong, missing)
    assert unknown.tolist() == UNKNOWN


TRACE = [
    {"iteration": 1, "seconds": 0.5, "energy": 9.0, "lower_bound": None},
    {"iteration": 2, "seconds": 1.0, "energy": 8.0, "lower_bound": 7.0},
]


@pytest.mark.parametrize(("against", "x"), [("seconds", [0.5, 1.0]), ("iteration", [1, 2])])
def test_energy_draws_the_curve_and_the_bound(against, x):
    (axes,) = rm.plots.energy(TRACE, against=against).axes
    energy, bound = axes.lines
    assert (list(energy.get_xdata()), list(energy.get_ydata())) == (x, [9, 8])
    assert list(bound.get_ydata()) == [7]
    assert axes.get_xlabel() == against


def test_empty_trace_says_so():
    (axes,) = rm.plots.energy([]).axes
    assert "no iteration" in axes.texts[0].get_text()


def test_figures_are_returned_and_can_be_saved():
    pair = rm.datasets.synthetic_stereo(shape=(24, 30), labels=8)
    figures = (
        rm.plots.disparity(pair.disparity, title="truth"),
        rm.plots.error_map(pair.disparity + 1, pair.disparity, title="error"),
        rm.plots.energy(TRACE, title="energy"),
    )
    for figure in figures:
        stored = io.BytesIO()
        figure.savefig(stored, format="png")
        assert stored.getvalue().startswith(b"\x89PNG")
        assert figure.axes[0].get_title()


def test_plotting_leaves_pyplot_alone():
    code = (
        "import sys, rangemoves as rm; rm.plots.energy([]); rm.plots.disparity([[1.0]]);"
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: rm.plots.disparity_colours([1.0]), "disparity must be a non-empty map"),
        (lambda: rm.plots.error_colours([[1.0]], [[1.0, 2.0]]), "truth must have the shape"),
        (lambda: rm.plots.energy([], against="moves"), "against must be"),
    ],
)
def test_wrong_arguments_are_refused_in_words(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_missing_package_is_asked_for_in_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'rangemoves\[app\]'") as caught:
        rm.plots.disparity_colours([[1.0]])
    assert "\n" not in str(caught.value)


def proven(shape=(12, 14)):
    from oracles import hard_grid

    energy = hard_grid(1, shape=shape, labels=4)
    result = rm.minimize(energy, "best", certificate=True, time_limit=20)
    return energy, result, rm.testing.slack_map(energy, result)


def test_a_proof_shows_slack_islands_and_both_curves():
    _, result, slack = proven()
    where, when = rm.plots.proof(result, slack, title="a grid").axes[:2]
    np.testing.assert_array_equal(where.images[0].get_array(), result.labels)
    shown = [c for c in where.collections if c.get_array() is not None and len(c.get_offsets()) > 1]
    assert shown
    assert max(shown[0].get_array()) == slack.max()
    energy, bound, *_ = when.lines
    assert energy.get_ydata()[-1] == 0
    assert bound.get_ydata()[-1] == result.trace[-1].lower_bound - result.energy
    assert all(a <= b for a, b in zip(bound.get_ydata(), energy.get_ydata(), strict=True))


def test_a_proof_needs_a_certificate_and_its_own_slack():
    energy, result, slack = proven()
    with pytest.raises(ValueError, match="result must have a certificate"):
        rm.plots.proof(rm.minimize(energy, "gswap"), slack)
    with pytest.raises(ValueError, match="slack must have the shape of the labels"):
        rm.plots.proof(result, slack[:5])


def test_energies_of_several_runs_share_one_bound():
    traces = {
        "a": [
            {"seconds": 1.0, "energy": 9.0, "lower_bound": 3.0},
            {"seconds": 2.0, "energy": 8.0, "lower_bound": 5.0},
        ],
        "b": [{"seconds": 1.5, "energy": 7.0, "lower_bound": 4.0}, {"seconds": 3.0, "energy": 6.0}],
    }
    (axes,) = rm.plots.energies(traces, title="race").axes
    lines = {line.get_label(): line.get_xydata().tolist() for line in axes.get_lines()}
    assert lines["a"] == [[1, 9], [2, 8], [3, 8]]
    assert lines["b"] == [[1.5, 7], [3, 6], [3, 6]]
    assert lines["lower bound"] == [[1, 3], [1.5, 4], [2, 5], [3, 5]]
    assert rm.plots.energies({}).axes
