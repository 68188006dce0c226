"""``rangemoves stereo`` and ``stereo-batch``: files in, files out, and the right exit code."""

import json
import os
import re
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from command_line import PAIR, invoke, unframed

import rangemoves as rm

pytest.importorskip("typer")
pytest.importorskip("PIL")
pytest.importorskip("matplotlib")


@pytest.fixture
def truth(tmp_path):
    rm.io.write_disparity(tmp_path / "truth.pfm", PAIR.disparity)
    return tmp_path / "truth.pfm"


def test_map_is_that_of_the_library(images, tmp_path):
    done = invoke("stereo", *images, "-o", tmp_path / "out.npy", "--labels", 12)
    assert done.exit_code == 0, done.output
    expected = rm.stereo.match(PAIR.left, PAIR.right, labels=12)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), expected)
    assert "wrote" in done.stderr


def test_json_has_run_and_evaluation(images, truth, tmp_path):
    output = tmp_path / "out.pfm"
    done = invoke("stereo", *images, "-o", output, "--labels", 12, "--truth", truth, "--json")
    facts = json.loads(done.stdout)
    names = {"energy", "lower_bound", "gap", "seconds", "iterations", "status", "evaluation"}
    assert names <= set(facts)
    expected = rm.stereo.evaluate(rm.io.read_disparity(output), PAIR.disparity)
    assert facts["evaluation"] == pytest.approx(expected, abs=1e-3)
    assert facts["evaluation"]["bad1"] < 15


def test_options_reach_the_solver(images, tmp_path):
    done = invoke(
        *("stereo", *images, "-o", tmp_path / "out.npy", "--json", "--labels", 14),
        *("--min-disparity", -2, "--prior", "truncated-quadratic", "--threshold", 2),
        *("--weight", 7, "--method", "gswap", "--no-subpixel", "--no-left-right"),
    )
    assert done.exit_code == 0, done.output
    expected = rm.stereo.match(
        *(PAIR.left, PAIR.right),
        labels=14,
        min_disparity=-2,
        prior=rm.TruncatedQuadratic(2),
        weight=7,
        method="gswap",
        subpixel=False,
        left_right=False,
    )
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), expected)
    parameters = json.loads(done.stdout)["parameters"]
    assert parameters["prior"] == "TruncatedQuadratic(2)"


def test_png_is_for_looking_unless_kitti_is_asked_for(images, tmp_path):
    for name, arguments in (("colour.png", ()), ("kitti.png", ("--png", "kitti"))):
        done = invoke("stereo", *images, "-o", tmp_path / name, "--labels", 12, *arguments)
        assert done.exit_code == 0, done.output
    assert rm.io.read_image(tmp_path / "colour.png").shape == (40, 60, 3)
    disparity = rm.io.read_disparity(tmp_path / "kitti.png")
    expected = rm.stereo.match(PAIR.left, PAIR.right, labels=12)
    np.testing.assert_allclose(disparity, np.maximum(expected, 1 / 256), atol=1 / 512)


def test_8_bit_map_has_its_scale(images, tmp_path):
    done = invoke("stereo", *images, "-o", tmp_path / "a.pgm", "--labels", 12, "--scale", 8)
    assert done.exit_code == 0, done.output
    assert rm.io.read_disparity(tmp_path / "a.pgm", 8).shape == (40, 60)


def test_report_is_written(images, truth, tmp_path):
    report = tmp_path / "report.html"
    done = invoke(
        *("stereo", *images, "-o", tmp_path / "a.tif", "--labels", 12),
        *("--truth", truth, "--report", report),
    )
    assert done.exit_code == 0, done.output
    text = report.read_text()
    assert "TruncatedLinear(3)" in text
    assert "bad1" in text
    assert "left.png" in text


def test_unfilled_pixels_are_unknown_in_every_format(images, tmp_path):
    for name in ("a.pfm", "a.tif", "a.npy"):
        done = invoke("stereo", *images, "-o", tmp_path / name, "--labels", 12, "--no-fill")
        assert done.exit_code == 0, done.output
        assert np.isnan(rm.io.read_disparity(tmp_path / name)).any()


class TestBadPairs:
    def test_different_sizes(self, images, tmp_path):
        rm.io.write_image(images[1], PAIR.right[:, 1:])
        done = invoke("stereo", *images, "-o", tmp_path / "a.pfm")
        assert done.exit_code == 1
        assert "same height and width; found 60x40 and 59x40" in done.stderr

    def test_missing_image(self, images, tmp_path):
        images[1].unlink()
        done = invoke("stereo", *images, "-o", tmp_path / "a.pfm")
        assert done.exit_code == 2
        assert "right.png" in done.stderr

    def test_truncated_image(self, images, tmp_path):
        images[1].write_bytes(images[1].read_bytes()[:500])
        done = invoke("stereo", *images, "-o", tmp_path / "a.pfm")
        assert done.exit_code == 1
        assert "right.png must be an image; could not read it" in done.stderr
        assert not (tmp_path / "a.pfm").exists()

    def test_not_an_image(self, images, tmp_path):
        images[0].write_text("hello")
        assert invoke("stereo", *images, "-o", tmp_path / "a.pfm").exit_code == 1

    def test_one_pixel_wide(self, tmp_path):
        rm.io.write_image(tmp_path / "thin.png", PAIR.left[:, :1])
        thin = tmp_path / "thin.png"
        done = invoke(
            *("stereo", thin, thin, "-o", tmp_path / "a.pfm", "--labels", 1),
            *("--report", tmp_path / "r.html"),
        )
        assert done.exit_code == 0, done.output

    def test_more_labels_than_columns(self, images, tmp_path):
        done = invoke("stereo", *images, "-o", tmp_path / "a.pfm", "--labels", 70)
        assert done.exit_code == 2
        assert "70 labels are more than the 60 columns" in unframed(done.stderr)

    def test_16_bit_and_alpha(self, tmp_path):
        pillow = pytest.importorskip("PIL.Image")
        wide = PAIR.left[..., 0].astype(np.uint16) * 100
        pillow.fromarray(wide).save(tmp_path / "wide.png")
        pillow.fromarray(PAIR.left).convert("RGBA").save(tmp_path / "alpha.png")
        for name in ("wide.png", "alpha.png"):
            image = tmp_path / name
            report = tmp_path / f"{name}.html"
            done = invoke(
                *("stereo", image, image, "-o", tmp_path / f"{name}.pfm", "--labels", 4),
                *("--report", report),
            )
            assert done.exit_code == 0, done.output
            assert report.exists()

    def test_truth_of_another_size(self, images, tmp_path):
        rm.io.write_disparity(tmp_path / "truth.pfm", np.ones((3, 4)))
        done = invoke(
            *("stereo", *images, "-o", tmp_path / "a.pfm", "--labels", 4),
            *("--truth", tmp_path / "truth.pfm"),
        )
        assert done.exit_code == 2
        assert "must have the size of the images, 60x40; found 4x3" in unframed(done.stderr)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-o", "a.exr"), "must end in"),
        (("-o", "a.pgm"), "needs a scale"),
        (("-o", "nowhere/a.pfm"), "does not exist"),
        (("-o", "a.pfm", "--labels", "0"), "--labels"),
        (("-o", "a.pfm", "--prior", "flat"), "prior must be one of"),
        (("-o", "a.pfm", "--prior", "linear", "--threshold", "3"), "has no threshold"),
        (("-o", "a.pfm", "--method", "magic"), "choose one of"),
        (("-o", "left.png"), "is an input"),
        (("-o", "there.pfm"), "exists"),
    ],
)
def test_wrong_use_is_exit_code_2(images, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.pfm").touch()
    done = invoke("stereo", *images, *arguments)
    assert done.exit_code == 2
    assert words in unframed(done.stderr)


def test_help_shows_an_example():
    for command in (["stereo"], ["stereo-batch"], ["data"], ["data", "middlebury"]):
        done = invoke(*command, "--help")
        assert done.exit_code == 0
        assert "Example: rangemoves" in done.stdout


def test_interruption_writes_the_best_so_far(images, tmp_path, monkeypatch):
    """As if Ctrl-C came while the first record was shown."""

    @contextmanager
    def progress(*_, **__):
        def after_iteration(record):
            raise KeyboardInterrupt

        yield after_iteration

    monkeypatch.setattr("rangemoves.cli.stereo.progress", progress)
    done = invoke("stereo", *images, "-o", tmp_path / "a.npy", "--labels", 12, "--json")
    assert done.exit_code == 130
    facts = json.loads(done.stdout)
    assert (facts["status"], facts["iterations"]) == ("interrupted", 1)
    assert np.load(tmp_path / "a.npy").max() > 5
    assert "best disparities so far" in done.stderr


def test_interruption_in_the_second_view_is_one_too(images, tmp_path, monkeypatch):
    """The left view is done by then, and its labels are what is written."""
    finished = rm.stereo.StereoMatcher(labels=12, left_right=False).run(PAIR.left, PAIR.right)

    def interrupted(*_, **__):
        raise rm.Interrupted(finished.result)

    monkeypatch.setattr(rm.stereo.StereoMatcher, "run", interrupted)
    done = invoke("stereo", *images, "-o", tmp_path / "a.npy", "--labels", 12, "--json")
    assert done.exit_code == 130
    assert json.loads(done.stdout)["status"] == "interrupted"
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), finished.result.labels)


@pytest.fixture
def folder(tmp_path):
    """Three good pairs in three layouts, and three bad ones."""
    pairs = tmp_path / "pairs"
    names = {
        "venus": ("venus/im2.png", "venus/im6.png"),
        "street": ("street_left.png", "street_right.png"),
        "7": ("left/7.png", "right/7.png"),
        "small": ("small/left.png", "small/right.png"),
        "alone": ("alone/left.png", None),
        "widow": (None, "widow/right.png"),
    }
    for files in names.values():
        for file, image in zip(files, (PAIR.left, PAIR.right), strict=True):
            if file is not None:
                (pairs / file).parent.mkdir(parents=True, exist_ok=True)
                image = image[:, 1:] if file == "small/right.png" else image
                rm.io.write_image(pairs / file, image)
    rm.io.write_disparity(pairs / "venus" / "truth.pfm", PAIR.disparity)
    return pairs


def batch(folder, output, *arguments):
    return invoke("stereo-batch", folder, "-o", output, "--labels", 12, *arguments)


def test_batch_goes_on_after_a_failed_pair(folder, tmp_path):
    done = batch(folder, tmp_path / "out", "--json")
    assert done.exit_code == 1
    facts = json.loads(done.stdout)
    assert facts["failed"] == ["alone", "small", "widow"]
    assert "same height and width" in facts["pairs"]["small"]["error"]
    assert "alone failed" in done.stderr
    for name in ("7", "street", "venus"):
        disparity = rm.io.read_disparity(tmp_path / "out" / f"{name}.pfm")
        assert disparity.shape == (40, 60)
        stored = json.loads((tmp_path / "out" / f"{name}.json").read_text())
        assert stored["energy"] == facts["pairs"][name]["energy"]


def test_batch_does_only_what_is_missing(folder, tmp_path):
    out = tmp_path / "out"
    batch(folder, out)
    times = {path.name: path.stat().st_mtime_ns for path in out.iterdir()}
    (out / "7.pfm").unlink()
    (out / "street.json").write_text('{"energy": ')
    rm.io.write_image(folder / "small" / "right.png", PAIR.right)
    done = batch(folder, out)
    assert done.exit_code == 1
    again = {path.name for path in out.iterdir() if path.stat().st_mtime_ns != times.get(path.name)}
    assert {name.partition(".")[0] for name in again} == {"7", "street", "small", "alone", "widow"}
    assert "4 of 6 pairs done, 2 failed" in done.stderr


def test_batch_with_other_settings_starts_over(folder, tmp_path):
    out = tmp_path / "out"
    batch(folder, out)
    before = (out / "venus.json").stat().st_mtime_ns
    batch(folder, out, "--weight", 5)
    assert (out / "venus.json").stat().st_mtime_ns != before


def test_batch_prefers_whole_pairs(tmp_path):
    from rangemoves.cli._pairs import find_pairs

    (tmp_path / "scene").mkdir()
    for name in ("im1", "im2", "im6"):
        rm.io.write_image(tmp_path / "scene" / f"{name}.ppm", PAIR.left)
    (pair,) = find_pairs(tmp_path)
    assert (pair.left.name, pair.right.name) == ("im2.ppm", "im6.ppm")


def write_pair(left, right, images=(PAIR.left, PAIR.right)):
    for path, image in zip((left, right), images, strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        rm.io.write_image(path, image)


def test_batch_does_every_pair_of_one_name(tmp_path):
    """Each layout has a pair 7; the folder even has two."""
    pairs, out = tmp_path / "pairs", tmp_path / "out"
    write_pair(pairs / "left" / "7.png", pairs / "right" / "7.png")
    write_pair(pairs / "7" / "im0.png", pairs / "7" / "im1.png")
    write_pair(pairs / "7" / "im2.png", pairs / "7" / "im6.png")
    write_pair(pairs / "7_left.png", pairs / "7_right.png")
    write_pair(pairs / "7-2_left.png", pairs / "7-2_right.png")
    done = batch(pairs, out, "--json")
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)["pairs"]
    assert sorted(facts) == ["7", "7-2", "7-3", "7-4", "7-5"]
    assert len({stored["left"] for stored in facts.values()}) == 5
    assert facts["7-2"]["left"] == str(pairs / "7-2_left.png")
    assert {path.stem for path in out.glob("*.pfm")} == set(facts)


def test_batch_tells_names_apart_that_some_systems_do_not(tmp_path):
    from rangemoves.cli._pairs import find_pairs

    for name in ("Venus", "venus"):
        write_pair(tmp_path / name / "left.png", tmp_path / name / "right.png")
    if len(list(tmp_path.iterdir())) == 2:
        assert [pair.name for pair in find_pairs(tmp_path)] == ["Venus", "venus-2"]


@pytest.mark.parametrize("changed", ["im2.png", "im6.png", "truth.pfm"])
def test_batch_notices_other_content_under_an_old_name(folder, tmp_path, changed):
    out = tmp_path / "out"
    batch(folder, out, "--truth", "truth.pfm")
    before = json.loads((out / "venus.json").read_text())
    path = folder / "venus" / changed
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    if changed == "truth.pfm":
        rm.io.write_disparity(path, PAIR.disparity + 3)
    else:
        rm.io.write_image(path, rm.io.read_image(path)[::-1].copy())
    os.utime(path, ns=times)
    batch(folder, out, "--truth", "truth.pfm")
    after = json.loads((out / "venus.json").read_text())
    assert after["evaluation"] != before["evaluation"]


def test_batch_leaves_no_old_map_of_a_pair_that_fails(folder, tmp_path):
    out = tmp_path / "out"
    batch(folder, out)
    (out / "alone.pfm").write_text("not from us")
    (folder / "venus" / "im2.png").write_text("broken")
    done = batch(folder, out)
    assert done.exit_code == 1
    assert not (out / "venus.pfm").exists()
    assert (out / "7.pfm").exists()
    assert (out / "alone.pfm").exists()


def test_batch_fails_an_image_over_the_limit_alone(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("PIL.Image.MAX_IMAGE_PIXELS", 3000)
    for name, height in (("im2", 80), ("im6", 120)):  # Pillow would warn, and raise
        rm.io.write_image(folder / "venus" / f"{name}.png", np.zeros((height, 60), np.uint8))
    done = batch(folder, tmp_path / "out", "--json")
    assert done.exit_code == 1
    facts = json.loads(done.stdout)
    assert facts["failed"] == ["alone", "small", "venus", "widow"]
    assert "more pixels than the 3000" in facts["pairs"]["venus"]["error"]


def test_batch_goes_on_after_a_name_that_is_too_long(folder, tmp_path):
    write_pair(folder / ("n" * 253) / "left.png", folder / ("n" * 253) / "right.png")
    done = batch(folder, tmp_path / "out")
    assert done.exit_code == 1
    assert "nnn failed: " in done.stderr
    assert "3 of 7 pairs done, 4 failed" in done.stderr


def test_batch_goes_on_after_a_folder_that_cannot_be_read(folder, tmp_path, monkeypatch):
    iterdir = Path.iterdir

    def guarded(self):
        if self.name == "venus":
            raise PermissionError(13, "Permission denied", str(self))
        return iterdir(self)

    monkeypatch.setattr(Path, "iterdir", guarded)
    done = batch(folder, tmp_path / "out", "--json")
    assert json.loads(done.stdout)["failed"] == ["alone", "small", "venus", "widow"]


@pytest.mark.parametrize("name", ["new\nline", "esc\x1b[2J", "bytes\udcff"])
def test_batch_shows_odd_names_safely(tmp_path, name):
    try:
        write_pair(tmp_path / "pairs" / name / "left.png", tmp_path / "pairs" / name / "right.png")
    except (OSError, UnicodeError):
        pytest.skip("this file system has no such names")
    done = batch(tmp_path / "pairs", tmp_path / "out")
    assert done.exit_code == 0, done.output
    line = done.stdout.rstrip("\n")
    assert line.isprintable()
    assert name.encode("unicode_escape").decode() in line
    assert (tmp_path / "out" / f"{name}.pfm").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--suffix", "/../../a.pfm"), "has a slash"),
        (("--suffix", "/a.pfm"), "has a slash"),
        (("--suffix", "\\a.pfm"), "has a slash"),
        (("--truth", "../truth.pfm"), "has a slash"),
        (("--suffix", ".exr"), "must end in"),
    ],
)
def test_batch_stays_in_its_folder(folder, tmp_path, arguments, words):
    done = batch(folder, tmp_path / "out", *arguments)
    assert done.exit_code == 2
    assert words in re.sub(r"[\s│]+", " ", done.stderr)
    assert not (tmp_path / "out").exists()


def test_batch_does_not_replace_images(folder):
    before = (folder / "left" / "7.png").read_bytes()
    done = batch(folder, folder / "left", "--suffix", ".png")
    assert done.exit_code == 2
    assert "would replace an image" in re.sub(r"[\s│]+", " ", done.stderr)
    assert (folder / "left" / "7.png").read_bytes() == before


def test_batch_evaluates(folder, tmp_path):
    for name in ("7", "street", "small", "alone", "widow", "left", "right"):
        for path in folder.glob(f"{name}*"):
            if path.is_file():
                path.unlink()
            else:
                for inner in path.iterdir():
                    inner.unlink()
                path.rmdir()
    done = batch(folder, tmp_path / "out", "--truth", "truth.pfm", "--suffix", ".png", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["pairs"]["venus"]["evaluation"]["bad1"] < 15
    assert rm.io.read_image(tmp_path / "out" / "venus.png").shape == (40, 60, 3)


def test_batch_without_pairs_is_wrong_use(tmp_path):
    assert batch(tmp_path, tmp_path / "out").exit_code == 2
