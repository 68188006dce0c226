"""The step in the real Pandora: from images to disparities."""

from importlib.metadata import entry_points

import numpy as np
import pytest

pytest.importorskip("pandora", reason="pandora is not installed; pip install 'rangemoves[pandora]'")

import pandora
from pandora.constants import Criteria
from pandora.optimization import AbstractOptimization
from pandora_plugin.pipelines import LABELS, check, datasets, grey_pair, pipeline, run

import rangemoves as rm
from rangemoves.pandora_plugin.optimization import RangeMoves

pandora.import_plugin()


@pytest.fixture(scope="module")
def pair():
    return grey_pair()


def bad1(disparities, truth):
    """Per cent of the visible pixels with an answer that are more than one pixel off."""
    found = -disparities["disparity_map"].data.astype(float)
    known = np.isfinite(truth) & np.isfinite(found)
    return 100 * np.mean(np.abs(found - truth)[known] > 1)


def cost_volume(values, disparities, measure="min"):
    """A volume as the matching cost step of Pandora leaves it."""
    left, _ = datasets(np.zeros(values.shape[:2]), np.zeros(values.shape[:2]))
    volume = left.drop_vars(["im", "disparity"]).assign_coords(disp=np.asarray(disparities, float))
    volume["cost_volume"] = (["row", "col", "disp"], values.astype(np.float32))
    volume.attrs |= {"type_measure": measure, "cmax": 24, "subpixel": 1, "band_correl": None}
    return volume


def optimize(volume, image=None, **settings):
    shape = volume["cost_volume"].shape[:2]
    left, right = datasets(np.zeros(shape) if image is None else image, np.zeros(shape))
    step = AbstractOptimization(left, optimization_method="rangemoves", **settings)
    return step.optimize_cv(volume, left, right)


def winners(volume):
    costs = volume["cost_volume"].data
    best = np.nanargmax if volume.attrs["type_measure"] == "max" else np.nanargmin
    return best(costs, axis=2)


def test_the_entry_point_is_found():
    (entry,) = entry_points(group="pandora.plugin", name="rangemoves")
    assert entry.load() is RangeMoves
    assert AbstractOptimization.optimization_methods_avail["rangemoves"] is RangeMoves


def test_a_pipeline_finds_the_disparities(pair):
    left, right, truth = pair
    found, nothing, _ = run(pipeline(), *datasets(left, right))
    smoothless, _, _ = run(pipeline(optimization={"weight": 0}), *datasets(left, right))
    assert found["disparity_map"].shape == truth.shape
    assert bad1(found, truth) < 0.6 * bad1(smoothless, truth)
    assert not nothing.data_vars
    assert found.attrs["optimization"] == "rangemoves"
    # The border of the census window has no costs, and so no disparity.
    assert np.isnan(found["disparity_map"].data[:2]).all()


@pytest.mark.parametrize("measure", ["census", "sad", "zncc"])
def test_winner_takes_all_takes_our_labels(pair, measure, monkeypatch):
    seen = []
    solve = RangeMoves._solve
    monkeypatch.setattr(RangeMoves, "_solve", lambda *given: seen.append(solve(*given)) or seen[-1])
    found, _, _ = run(pipeline(measure), *datasets(*pair[:2]))
    ((labels, _),) = seen
    disparity = found["disparity_map"].data
    inside = labels >= 0
    assert np.array_equal(np.isfinite(disparity), inside)
    np.testing.assert_array_equal(disparity[inside], labels[inside] - (LABELS - 1))


def test_similarities_are_maximised(pair):
    left, right, truth = pair
    found, _, machine = run(pipeline("zncc"), *datasets(left, right))
    assert machine.left_cv.attrs["type_measure"] == "max"
    assert bad1(found, truth) < 15


def test_the_measure_is_only_a_matter_of_sign():
    costs = np.random.default_rng(0).integers(0, 20, (7, 9, 5)).astype(float)
    dissimilar = optimize(cost_volume(costs, range(5)))
    similar = optimize(cost_volume(-costs, range(5), "max"))
    np.testing.assert_array_equal(dissimilar["cost_volume"], -similar["cost_volume"])


@pytest.mark.parametrize("method", ["trws", "gswap", "expansion", "best"])
def test_the_winner_is_the_labelling_that_the_method_finds(method):
    costs = np.random.default_rng(1).integers(0, 20, (8, 9, 6)).astype(float)
    settings = {"weight": 3, "cost_unit": 1, "sweeps": 3, "method": method}
    optimized = optimize(cost_volume(costs, range(6)), **settings)
    energy = rm.Energy(costs, rm.TruncatedLinear(5), 3)
    swept = rm.minimize(energy, "trws", max_iter=3)
    expected = swept if method == "trws" else rm.minimize(energy, method, init=swept)
    np.testing.assert_array_equal(winners(optimized), expected.labels)
    ordered = np.sort(optimized["cost_volume"].data, axis=2)
    assert (ordered[..., 0] < ordered[..., 1]).all()


def test_what_the_volume_carries_is_kept():
    costs = np.random.default_rng(2).random((5, 6, 4))
    volume = cost_volume(costs, range(-3, 1))
    volume["confidence_measure"] = (["row", "col", "indicator"], np.ones((5, 6, 1)))
    volume["validity_mask"] = (["row", "col"], np.zeros((5, 6), np.uint16))
    before = volume.copy(deep=True)
    optimized = optimize(volume)
    assert volume.identical(before)
    assert set(optimized.data_vars) == set(volume.data_vars)
    assert optimized.coords.equals(volume.coords)
    assert optimized["cost_volume"].dtype == np.float32
    changed = {"optimization", "cmax"}
    assert {k: v for k, v in optimized.attrs.items() if k not in changed} == {
        k: v for k, v in volume.attrs.items() if k not in changed
    }
    assert optimized.attrs["cmax"] == optimized["cost_volume"].max()


def test_costs_that_are_nan_are_never_chosen_and_stay_nan():
    costs = np.random.default_rng(3).integers(0, 9, (12, 14, 5)).astype(float)
    costs[np.random.default_rng(4).random(costs.shape) < 0.4] = np.nan
    costs[:, :2] = np.nan
    costs[6, 7] = np.nan
    optimized = optimize(cost_volume(costs, range(5)), weight=5)["cost_volume"].data
    np.testing.assert_array_equal(np.isnan(optimized), np.isnan(costs))


def test_a_volume_without_any_cost_is_left_as_it_is():
    volume = cost_volume(np.full((3, 4, 2), np.nan), range(2))
    assert np.isnan(optimize(volume)["cost_volume"]).all()


def test_one_label_and_flat_costs_are_fine():
    assert (winners(optimize(cost_volume(np.ones((3, 4, 1)), [2]))) == 0).all()
    flat = winners(optimize(cost_volume(np.ones((3, 4, 3)), range(3))))
    assert (flat == flat[0, 0]).all()


@pytest.mark.parametrize(("least", "most"), [(-20, -2), (-11, 4), (3, 9)])
def test_any_range_of_disparities(pair, least, most):
    left, right, _ = pair
    found, _, _ = run(pipeline(), *datasets(left, right, least, most))
    disparity = found["disparity_map"].data
    inside = disparity[np.isfinite(disparity)]
    assert inside.size
    assert inside.min() >= least
    assert inside.max() <= most


def test_a_range_of_its_own_for_each_pixel(pair):
    left, right = datasets(*pair[:2])
    least = np.where(np.arange(60) < 30, -11, -5)
    left["disparity"].data[0] = least
    found, _, _ = run(pipeline(), left, right)
    disparity = found["disparity_map"].data
    assert (disparity >= least)[np.isfinite(disparity)].all()


def test_half_pixels_cost_as_much_as_before_per_pixel(pair):
    left, right, truth = pair
    coarse, _, _ = run(pipeline(), *datasets(left, right))
    fine, _, machine = run(pipeline(subpix=2), *datasets(left, right))
    assert machine.left_cv.sizes["disp"] == 2 * LABELS - 1
    disparity = fine["disparity_map"].data
    assert (disparity[np.isfinite(disparity)] % 1 == 0.5).any()
    assert bad1(fine, truth) < bad1(coarse, truth) + 2


def test_the_steps_after_it_work(pair):
    left, right, truth = pair
    ambiguity = {"confidence_method": "ambiguity", "eta_max": 0.7, "eta_step": 0.01}
    steps = pipeline(
        refinement={"refinement_method": "vfit"},
        filter={"filter_method": "median"},
        validation={"validation_method": "cross_checking_accurate"},
    )
    steps["pipeline"] = {
        key: value
        for step, what in steps["pipeline"].items()
        for key, value in {step: what, "cost_volume_confidence.after": ambiguity}.items()
        if key == step or step == "optimization"
    }
    found, other, _ = run(steps, *datasets(left, right))
    confidence = found["confidence_measure"].sel(indicator="confidence_from_ambiguity.after").data
    assert np.isfinite(confidence).all()
    error = np.abs(-found["disparity_map"].data - truth)
    inside = np.isfinite(error)
    # What is wrong is less sure than what is right.
    assert confidence[inside & (error <= 1)].mean() > confidence[inside & (error > 1)].mean()
    assert other["disparity_map"].shape == truth.shape
    assert (found["disparity_map"].data[inside] % 1 != 0).any()


def test_cross_checking_from_one_volume_finds_what_is_hidden(pair):
    left, right, truth = pair
    steps = pipeline(validation={"validation_method": "cross_checking_fast"})
    found, _, _ = run(steps, *datasets(left, right))
    mask = found["validity_mask"].data
    rejected = (
        mask & (Criteria.PANDORA_MSK_PIXEL_OCCLUSION | Criteria.PANDORA_MSK_PIXEL_MISMATCH)
    ) != 0
    hidden = np.isnan(truth)
    inside = np.isfinite(found["disparity_map"].data)
    assert hidden[rejected].mean() > 3 * hidden[inside & ~rejected].mean()


def test_edges_of_the_image_weaken_the_smoothness():
    # The left half wants label 0, the right half label 3, and either would follow the other.
    costs = np.zeros((6, 8, 4))
    costs[:, :4, 1:] = 1
    costs[:, 4:, :3] = 1.5
    image = np.zeros((6, 8))
    image[:, 4:] = 200
    given = {"cost_unit": 1, "weight": 9, "threshold": 3}
    apart = winners(optimize(cost_volume(costs, range(4)), image, edge_factor=100, **given))
    together = winners(optimize(cost_volume(costs, range(4)), image, edge_factor=1, **given))
    assert (apart[:, :4] == 0).all()
    assert (apart[:, 4:] == 3).all()
    assert (together == 3).all()


def test_the_band_that_was_matched_gives_the_edges(pair):
    from rangemoves.pandora_plugin.optimization import _band

    image = datasets(*pair[:2])[0].drop_vars("im").assign_coords(band_im=["a", "b"])
    image["im"] = (["band_im", "row", "col"], np.stack([pair[0], pair[1]]))
    np.testing.assert_array_equal(_band(image, "b"), pair[1])
    np.testing.assert_allclose(_band(image, None), (pair[0] + pair[1]) / 2)


def test_margins_are_declared(pair):
    machine, _ = check(pipeline(), *datasets(*pair[:2]))
    assert machine.margins.to_dict()["cumulative margins"]["optimization"]["left"] >= 40


def test_it_can_be_described(capsys):
    RangeMoves(None, optimization_method="rangemoves").desc()
    assert "range moves" in capsys.readouterr().out


def test_numbers_found_by_itself_are_told_and_give_the_same_when_given(pair, caplog):
    left, right = datasets(*pair[:2])
    with caplog.at_level("INFO", "rangemoves"):
        found, _, _ = run(pipeline(), left, right)
    (told,) = [record for record in caplog.records if "cost_unit" in record.getMessage()]
    unit, gradient = told.args
    given = {"cost_unit": unit, "edge_gradient": gradient}
    again, _, _ = run(pipeline(optimization=given), left, right)
    np.testing.assert_array_equal(found["disparity_map"], again["disparity_map"])
