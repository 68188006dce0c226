"""From pair to disparities, on rendered pairs, hard pairs and the public ones."""

import numpy as np
import pytest

import rangemoves as rm

PAIR = rm.datasets.synthetic_stereo(seed=1, shape=(60, 90), labels=14)


@pytest.fixture(scope="module")
def matched():
    return rm.stereo.StereoMatcher(labels=14).run(PAIR.left, PAIR.right)


def test_rendered_pair_is_solved(matched):
    scores = rm.stereo.evaluate(matched.disparity, PAIR.disparity, PAIR.mask)
    assert scores["bad1_noc"] < 6
    assert scores["bad1"] < 10
    assert scores["coverage"] == 100


def test_match_is_the_matcher_in_one_call(matched):
    disparity = rm.stereo.match(PAIR.left, PAIR.right, labels=14)
    np.testing.assert_array_equal(disparity, matched.disparity)
    assert disparity.dtype == np.float64


def test_energy_is_that_of_the_labels(matched):
    volume = 3 * rm.stereo.cost_volume(PAIR.left, PAIR.right, 14, "census") // 2
    volume += rm.stereo.cost_volume(PAIR.left, PAIR.right, 14, "census", window=(5, 5))
    volume += rm.stereo.cost_volume(PAIR.left, PAIR.right, 14, truncate=20)
    for column in range(13):
        inside = volume[:, column, : column + 1]
        half_way = (inside.min(axis=1) + inside.sum(axis=1) // (column + 1)) // 2
        volume[:, column, column + 1 :] = half_way[:, None] if column >= 7 else 60
    weights = rm.stereo.edge_weights(PAIR.left, 4, 32, 8, mode="mean")
    energy = rm.Energy(volume, rm.TruncatedLinear(3), weights)
    assert matched.result.energy == energy(matched.result.labels)


def test_left_border_takes_part(matched):
    """Columns whose match lies outside must not be drawn to small disparities."""
    border = np.s_[:, :8]
    error = np.abs(matched.disparity - PAIR.disparity)[border]
    assert np.mean(error > 1) < 0.2


def test_subpixel_is_closer_than_whole_labels(matched):
    whole = rm.stereo.match(PAIR.left, PAIR.right, labels=14, subpixel=False)
    np.testing.assert_array_equal(whole, np.rint(whole))
    fine, coarse = (
        rm.stereo.evaluate(disparity, PAIR.disparity, PAIR.mask)["mae_noc"]
        for disparity in (matched.disparity, whole)
    )
    assert fine < 0.8 * coarse


def test_left_right_check_marks_what_the_right_image_hides():
    pair = rm.datasets.synthetic_stereo(shape=(80, 140), labels=26)
    unknown = np.isnan(rm.stereo.match(pair.left, pair.right, labels=26, fill=False))
    assert unknown[~pair.mask].mean() > 0.7
    assert unknown[pair.mask].mean() < 0.05


def test_without_the_check_only_one_view_is_solved():
    seen = []
    rm.stereo.match(PAIR.left, PAIR.right, labels=14, left_right=False, callback=seen.append)
    assert [record.iteration for record in seen] == list(range(1, len(seen) + 1))


@pytest.mark.parametrize("shift", [-6, 5])
def test_offset_of_the_range_only_shifts(shift, matched):
    """The same pair, the right image moved, the same disparities but for the shift."""
    moved = np.roll(PAIR.right, -shift, axis=1)
    disparity = rm.stereo.match(PAIR.left, moved, labels=14, min_disparity=shift)
    inner = np.s_[:, 20:-20]
    close = np.abs(disparity - shift - matched.disparity)[inner] < 0.5
    assert close.mean() > 0.95


@pytest.mark.parametrize("method", ["gswap", "gswapf"])
def test_other_methods_come_close(method, matched):
    matcher = rm.stereo.StereoMatcher(labels=14, method=method)
    other = matcher.run(PAIR.left, PAIR.right)
    assert other.result.method == method
    assert other.result.status == "converged"
    assert other.result.energy == pytest.approx(matched.result.energy, rel=0.03)
    assert rm.stereo.evaluate(other.disparity, PAIR.disparity, PAIR.mask)["bad1_noc"] < 6


@pytest.mark.parametrize("prior", [rm.TruncatedQuadratic(2), rm.Cauchy(2), rm.Linear()])
def test_other_priors_work(prior):
    disparity = rm.stereo.match(PAIR.left, PAIR.right, labels=14, prior=prior, weight=16)
    assert rm.stereo.evaluate(disparity, PAIR.disparity, PAIR.mask)["bad2_noc"] < 10


def test_presets_are_sweeps(matched):
    assert (matched.result.method, matched.result.iterations) == ("trws", 12)
    fast = rm.stereo.StereoMatcher(labels=14, preset="fast").run(PAIR.left, PAIR.right)
    assert fast.result.iterations < 12
    assert fast.result.energy >= matched.result.energy
    accurate = rm.stereo.StereoMatcher(labels=14, preset="accurate").run(PAIR.left, PAIR.right)
    assert accurate.result.lower_bound <= accurate.result.energy <= matched.result.energy
    assert accurate.result.gap < 0.05
    assert matched.result.energy == pytest.approx(accurate.result.energy, rel=0.01)
    one = rm.stereo.StereoMatcher(labels=14, max_iter=1, left_right=False)
    assert one.run(PAIR.left, PAIR.right).result.iterations == 1


def test_compute_answers_as_opencv_does(matched):
    matcher = rm.stereo.StereoMatcher(labels=14)
    answer = matcher.compute(PAIR.left, PAIR.right)
    assert answer.dtype == np.int16
    np.testing.assert_allclose(answer / 16, matched.disparity, atol=1 / 32)
    sparse = rm.stereo.StereoMatcher(labels=14, fill=False)
    answer = sparse.compute(PAIR.left, PAIR.right)
    np.testing.assert_array_equal(
        answer == -16, np.isnan(sparse.run(PAIR.left, PAIR.right).disparity)
    )


def test_compute_refuses_what_16_bits_cannot_hold():
    with pytest.raises(ValueError, match="16-bit answer"):
        rm.stereo.StereoMatcher(labels=3000).compute(PAIR.left, PAIR.right)


class TestHardPairs:
    def test_one_pixel_wide(self):
        image = np.arange(12, dtype=np.uint8)[:, None]
        disparity = rm.stereo.match(image, image, labels=1)
        np.testing.assert_array_equal(disparity, 0)

    def test_one_pixel(self):
        image = np.full((1, 1), 7, dtype=np.uint8)
        assert rm.stereo.match(image, image, labels=1).shape == (1, 1)

    def test_more_labels_than_columns(self):
        pair = rm.datasets.synthetic_stereo(shape=(16, 30), labels=10)
        assert np.isfinite(rm.stereo.match(pair.left, pair.right, labels=30)).all()
        with pytest.raises(ValueError, match="at most the width of the images, 30; found 31"):
            rm.stereo.match(pair.left, pair.right, labels=31)

    def test_no_match_anywhere(self):
        image = np.full((6, 8), 7, dtype=np.uint8)
        with pytest.warns(UserWarning, match="min_disparity seems too large"):
            disparity = rm.stereo.match(image, image, labels=3, min_disparity=50)
        assert np.isfinite(disparity).all()

    def test_no_texture(self):
        image = np.full((6, 8), 7, dtype=np.uint8)
        assert np.isfinite(rm.stereo.match(image, image, labels=5)).all()

    def test_16_bit_and_alpha(self, matched):
        wide = (image[..., 1].astype(np.uint16) * 16 for image in (PAIR.left, PAIR.right))
        scores = rm.stereo.evaluate(rm.stereo.match(*wide, labels=14), PAIR.disparity)
        assert scores["bad2"] < 12
        opaque = (
            np.dstack([im, np.full(im.shape[:2], 255, np.uint8)]) for im in (PAIR.left, PAIR.right)
        )
        np.testing.assert_array_equal(rm.stereo.match(*opaque, labels=14), matched.disparity)

    def test_different_sizes(self):
        with pytest.raises(ValueError, match="same height and width; found 90x60 and 89x60"):
            rm.stereo.match(PAIR.left, PAIR.right[:, 1:], labels=4)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"labels": 0}, ValueError, "labels must be at least 1"),
        ({"min_disparity": 0.5}, TypeError, "min_disparity must be an integer"),
        ({"preset": "quick"}, ValueError, "preset must be one of"),
        ({"weight": -1}, ValueError, "weight must be at least 0"),
        ({"time_limit": -1}, ValueError, "time_limit must be at least 0"),
        ({"method": "nothing"}, ValueError, "method must be one of"),
        (
            {"labels": 9, "prior": rm.Cauchy(2), "method": "gswapf"},
            ValueError,
            "use method='gswap'",
        ),
        ({"colour": "blue"}, TypeError, "has no option 'colour'"),
        ({"threads": 0}, ValueError, "threads must be at least 1"),
        ({"threads": True}, TypeError, "threads must be an integer"),
        ({"seed": -1}, ValueError, "seed must be at least 0"),
        ({"max_iter": -1}, ValueError, "max_iter must be at least 0"),
        ({"max_iter": "many"}, TypeError, "max_iter must be an integer"),
        ({"min_disparity": 2**63}, ValueError, "min_disparity must be at most 2147483647"),
        ({"min_disparity": -(2**63)}, ValueError, "min_disparity must be at least -2147483647"),
        ({"subpixel": "no"}, TypeError, "subpixel must be True or False"),
        ({"left_right": 2}, TypeError, "left_right must be True or False"),
        ({"fill": None}, TypeError, "fill must be True or False"),
        ({"callback": 3}, TypeError, "callback must be a function"),
    ],
)
@pytest.mark.parametrize("preset", ["balanced", "accurate"])
def test_wrong_arguments_are_refused_in_words(change, error, words, preset):
    with pytest.raises(error, match=words):
        rm.stereo.match(PAIR.left, PAIR.right, **{"labels": 4, "preset": preset, **change})


@pytest.mark.parametrize("shift", [-(2**31) + 1, 2**31 - 1])
def test_the_furthest_disparities_there_are(shift):
    image = PAIR.left[:6]
    matcher = rm.stereo.StereoMatcher(labels=4, min_disparity=shift)
    assert np.isfinite(matcher.run(image, image).disparity).all()


def test_interruption_while_doubts_are_looked_for_keeps_the_labels(monkeypatch, matched):
    from rangemoves.stereo import _match

    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(_match, "doubts", interrupted)
    with pytest.raises(rm.Interrupted) as caught:
        rm.stereo.match(PAIR.left, PAIR.right, labels=14)
    np.testing.assert_array_equal(caught.value.result.labels, matched.result.labels)


def test_interruption_in_the_second_view_keeps_the_first(monkeypatch):
    from rangemoves.stereo import _match

    solve, runs = _match.minimize, []

    def interrupted_second_time(*args, **kwargs):
        runs.append(solve(*args, **kwargs))
        if len(runs) == 2:
            raise rm.Interrupted(runs[1])
        return runs[0]

    monkeypatch.setattr(_match, "minimize", interrupted_second_time)
    with pytest.raises(rm.Interrupted) as caught:
        rm.stereo.match(PAIR.left, PAIR.right, labels=14, preset="accurate")
    np.testing.assert_array_equal(caught.value.result.labels, runs[0].labels)


def test_interruption_of_the_default_keeps_what_there_is(matched):
    """In the first view the labels so far, in the second those of the first."""
    for sweeps in (3, 14):
        seen = []

        def interrupt(record, seen=seen, sweeps=sweeps):
            seen.append(record.labels())
            if len(seen) == sweeps:
                raise KeyboardInterrupt

        with pytest.raises(rm.Interrupted) as caught:
            rm.stereo.match(PAIR.left, PAIR.right, labels=14, callback=interrupt)
        expected = seen[2] if sweeps == 3 else matched.result.labels
        np.testing.assert_array_equal(caught.value.result.labels, expected)


def test_a_callback_changes_no_map_and_stops_a_view(matched):
    seen = []
    disparity = rm.stereo.match(PAIR.left, PAIR.right, labels=14, callback=seen.append)
    np.testing.assert_array_equal(disparity, matched.disparity)
    assert [record.iteration for record in seen] == [*range(1, 13), *range(1, 5)]
    matcher = rm.stereo.StereoMatcher(labels=14)
    stopped = matcher.run(PAIR.left, PAIR.right, lambda record: record.iteration == 2)
    assert (stopped.result.status, stopped.result.iterations) == ("stopped", 2)


def test_no_time_is_no_map():
    found = rm.stereo.StereoMatcher(labels=14, time_limit=0).run(PAIR.left, PAIR.right)
    assert (found.result.status, found.result.iterations, found.is_solved) == (
        "time_limit",
        0,
        False,
    )


# Per cent of the known pixels more than one pixel off, every pixel answered: what one set of
# defaults has to stay below.
GOALS = {"tsukuba": 5, "sawtooth": 5, "venus": 4, "cones": 13, "teddy": 15}


@pytest.mark.slow
@pytest.mark.parametrize("name", GOALS)
def test_defaults_do_well_on_public_pairs(data_folder, name):
    pair = rm.datasets.middlebury(name, root=data_folder)
    disparity = rm.stereo.match(pair.left, pair.right, labels=pair.labels)
    scores = rm.stereo.evaluate(disparity, pair.disparity)
    assert scores["coverage"] == 100
    assert scores["bad1"] < GOALS[name]


@pytest.mark.slow
def test_frame_of_a_car(data_folder):
    pair = rm.datasets.kitti("000070", root=data_folder)
    disparity = rm.stereo.match(pair.left, pair.right, labels=128, max_iter=4)
    assert rm.stereo.evaluate(disparity, pair.disparity, pair.mask)["d1_noc"] < 8
