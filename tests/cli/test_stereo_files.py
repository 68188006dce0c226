"""What ``rangemoves stereo`` writes besides the map, and what it refuses before it begins."""

import json
import re
import sys

import numpy as np
import pytest
from command_line import PAIR, invoke, unframed

import rangemoves as rm

pytest.importorskip("typer")
pytest.importorskip("PIL")
pytest.importorskip("matplotlib")


CAMERA = ("--focal", 50, "--baseline", 0.2)


@pytest.fixture
def nothing_is_solved(monkeypatch):
    def run(*_, **__):
        raise AssertionError("solved before everything was checked")

    monkeypatch.setattr(rm.stereo.StereoMatcher, "run", run)


def test_all_files_at_once(images, tmp_path):
    names = ["a.npy", "depth.npy", "cloud.ply", "sure.npy", "agree.npy", "page.html", "run.toml"]
    files = [tmp_path / name for name in names]
    options = ("--depth", "--ply", "--confidence", "--mask-out", "--report", "--save-settings")
    pairs = [part for pair in zip(options, files[1:], strict=True) for part in pair]
    done = invoke("stereo", *images, "-o", files[0], "--labels", 12, *pairs, *CAMERA)
    assert done.exit_code == 0, done.output
    found = rm.stereo.StereoMatcher(labels=12).run(PAIR.left, PAIR.right, confidence=True)
    camera = rm.stereo.Calibration(50, 0.2)
    np.testing.assert_array_equal(np.load(files[0]), found.disparity)
    np.testing.assert_array_equal(np.load(files[1]), rm.stereo.depth(found.disparity, camera))
    np.testing.assert_array_equal(np.load(files[3]), found.confidence)
    np.testing.assert_array_equal(np.load(files[4]), found.consistent)
    count = np.count_nonzero(found.consistent & (found.disparity > 0))
    assert f"element vertex {count}\n".encode() in files[2].read_bytes()
    assert b"property uchar red" in files[2].read_bytes()
    for path in files:
        assert str(path) in done.stderr.replace("\n", "")


def test_pictures_of_confidence_and_agreement(images, tmp_path):
    sure, agree = tmp_path / "sure.png", tmp_path / "agree.png"
    done = invoke(
        *("stereo", *images, "-o", tmp_path / "a.npy", "--labels", 12),
        *("--confidence", sure, "--mask-out", agree),
    )
    assert done.exit_code == 0, done.output
    assert rm.io.read_image(sure).max() > 200
    assert set(np.unique(rm.io.read_image(agree))) == {0, 255}


@pytest.mark.parametrize(
    ("folder", "cameras"), [("image_2", (2, 3)), ("image_0", (0, 1)), ("any", (0, 1))]
)
def test_kitti_has_a_calibration_per_pair_of_cameras(tmp_path, folder, cameras):
    text = "".join(f"P{k}: {100 + k} 0 30 {-9 * k} 0 100 20 0 0 0 1 0\n" for k in range(4))
    (tmp_path / "calib.txt").write_text(text)
    (tmp_path / folder).mkdir()
    left, right = tmp_path / folder / "left.png", tmp_path / folder / "right.png"
    rm.io.write_image(left, PAIR.left)
    rm.io.write_image(right, PAIR.right)
    done = invoke(
        *("stereo", left, right, "-o", tmp_path / "a.npy", "--labels", 12),
        *("--depth", tmp_path / "d.npy", "--calib", tmp_path / "calib.txt"),
    )
    assert done.exit_code == 0, done.output
    camera = rm.stereo.read_calibration(tmp_path / "calib.txt", cameras)
    expected = rm.stereo.depth(np.load(tmp_path / "a.npy"), camera)
    np.testing.assert_array_equal(np.load(tmp_path / "d.npy"), expected)


@pytest.mark.parametrize("extra", [(), ("--tiles", "20x30")])
def test_masks_and_ranges_from_files(images, tmp_path, extra):
    keep = np.ones((40, 60), np.uint8)
    keep[:10] = 0
    rm.io.write_image(tmp_path / "mask.png", keep)
    low = np.maximum(np.floor(PAIR.disparity) - 1, 0)
    rm.io.write_disparity(tmp_path / "low.pfm", low)
    done = invoke(
        *("stereo", *images, "-o", tmp_path / "a.npy", "--labels", 12),
        *("--mask", tmp_path / "mask.png", "--low", tmp_path / "low.pfm", "--json"),
        *extra,
    )
    assert done.exit_code == 0, done.output
    found = np.load(tmp_path / "a.npy")
    np.testing.assert_array_equal(np.isnan(found), keep == 0)
    assert (found >= low)[keep == 1].all()
    assert json.loads(done.stdout)["map"]["coverage"] == 75


@pytest.mark.usefixtures("nothing_is_solved")
class TestBeforeSolving:
    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (("-o", "a.png", "--png", "kitti", "--min-disparity", -3), "negative disparities"),
            (("-o", "a.pgm", "--scale", 30), "pass --scale 23.18 or less"),
            (("-o", "a.pgm", "--scale", 1, "--min-disparity", -3), "negative disparities"),
            (("-o", "a.pfm", "--labels", 61), "more than the 60 columns"),
            (("-o", "a.pfm", "--depth", "d.npy"), "need --calib"),
            (("-o", "a.pfm", "--ply", "d.ply"), "need --calib"),
            (("-o", "a.pfm", "--ply", "d.ply", "--focal", 3), "belong together"),
            (("-o", "a.pfm", "--calib", "left.png", "--focal", 3), "pass either"),
            (("-o", "a.pfm", "--depth", "d.png", *CAMERA), "must end in .pfm, .npy, .tif or"),
            (("-o", "a.pfm", "--ply", "d.txt", *CAMERA), "must end in .ply"),
            (("-o", "a.pfm", "--report", "a.pdf"), "must end in .html or .htm"),
            (("-o", "a.npy", "--depth", "a.npy", *CAMERA), "is also the file of --output"),
            (("-o", "left.png", "--force"), "is an input and would be lost"),
            (("-o", "a.pfm", "--mask-out", "m.png", "--no-left-right"), "both views agree"),
            (("-o", "a.pfm", "--mask", "small.png"), "size of the images, 60x40; found 59x40"),
            (("-o", "a.pfm", "--low", "small.npy"), "size of the images, 60x40; found 59x40"),
            (("-o", "a.pfm", "--truth", "small.npy"), "size of the images, 60x40; found 59x40"),
            (
                (
                    "-o",
                    "/proc/a.pfm",
                ),
                "nothing can be written in the folder /proc",
            ),
            (("-o", "nowhere/a.pfm", "--depth", "there.npy", *CAMERA), "--depth: there.npy exists"),
        ],
    )
    def test_wrong_use(self, images, tmp_path, monkeypatch, arguments, words):
        monkeypatch.chdir(tmp_path)
        rm.io.write_image("small.png", PAIR.left[:, 1:])
        np.save("small.npy", PAIR.disparity[:, 1:])
        np.save("there.npy", PAIR.disparity)
        labels = () if "--labels" in arguments else ("--labels", 12)
        done = invoke("stereo", *images, *arguments, *labels)
        assert done.exit_code == 2, done.output
        assert words in unframed(done.stderr)

    def test_truth_that_is_unknown_everywhere(self, images, tmp_path):
        np.save(tmp_path / "t.npy", np.full((40, 60), np.nan))
        done = invoke(
            *("stereo", *images, "-o", tmp_path / "a.pfm", "--labels", 12),
            *("--truth", tmp_path / "t.npy"),
        )
        assert done.exit_code == 1
        assert "must be known somewhere" in done.stderr

    def test_memory(self, images, tmp_path, monkeypatch):
        monkeypatch.setattr("rangemoves.stereo._size.physical_memory", lambda: 1000)
        done = invoke("stereo", *images, "-o", tmp_path / "a.pfm", "--labels", 12)
        assert done.exit_code == 1
        assert "GB of memory are needed for 60x40 pixels and 12 labels" in done.stderr
        assert "--tiles auto" in done.stderr


def test_swapped_images_are_said_in_words_and_in_json(images, tmp_path):
    done = invoke(
        *("stereo", images[1], images[0], "-o", tmp_path / "a.npy", "--labels", 12, "--json")
    )
    assert done.exit_code == 0
    (said,) = json.loads(done.stdout)["warnings"]
    assert "seem to be swapped" in said
    assert f"warning: {said}" in done.stderr


def test_a_time_limit_that_leaves_the_start_is_a_failure_and_no_map(images, tmp_path):
    for extra in ((), ("--tiles", "20x30")):
        done = invoke(
            *("stereo", *images, "-o", tmp_path / "a.npy", "--labels", 12, "--time-limit", 0),
            *extra,
        )
        assert done.exit_code == 1, done.output
        assert "raise --time-limit" in done.stderr
        assert not (tmp_path / "a.npy").exists()


def test_after_ctrl_c_only_what_was_written_is_named(images, tmp_path, monkeypatch):
    first = rm.stereo.StereoMatcher(labels=12, max_iter=1).run(PAIR.left, PAIR.right)

    def interrupted(*_, **__):
        raise rm.Interrupted(first.result)

    monkeypatch.setattr(rm.stereo.StereoMatcher, "run", interrupted)
    np.save(tmp_path / "mask.npy", PAIR.disparity <= 8)
    done = invoke(
        *("stereo", *images, "-o", tmp_path / "a.npy", "--labels", 12, "--json", *CAMERA),
        *("--ply", tmp_path / "a.ply", "--confidence", tmp_path / "c.npy"),
        *("--mask-out", tmp_path / "m.png", "--mask", tmp_path / "mask.npy"),
    )
    assert done.exit_code == 130
    np.testing.assert_array_equal(np.isnan(np.load(tmp_path / "a.npy")), PAIR.disparity > 8)
    facts = json.loads(done.stdout)
    assert (tmp_path / "a.ply").exists()
    assert facts["ply"] == str(tmp_path / "a.ply")
    assert not {"confidence", "mask_out"} & set(facts)
    assert not (tmp_path / "c.npy").exists()


def test_quiet_says_nothing(images, tmp_path):
    done = invoke("stereo", *images, "-o", tmp_path / "a.npy", "--labels", 12, "--quiet")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "a.npy").exists()


def test_lines_are_about_the_map_first(images, tmp_path):
    np.save(tmp_path / "t.npy", PAIR.disparity)
    done = invoke(
        *("stereo", *images, "-o", tmp_path / "a.npy", "--labels", 12),
        *("--truth", tmp_path / "t.npy"),
    )
    first, *scores, last = done.stdout.splitlines()
    assert re.match(r"disparities [\d.]+ to [\d.]+ \(looked for in 0 to 11\), 100.0 % of", first)
    assert "the views agree on" in first
    assert scores[0].startswith("bad0.5")
    assert last.startswith("energy ")


class TestSettingsFile:
    def test_it_reproduces_a_run(self, images, tmp_path):
        one, two, kept = tmp_path / "1.npy", tmp_path / "2.npy", tmp_path / "run.toml"
        done = invoke(
            *("stereo", *images, "-o", one, "--labels", 13, "--weight", 7.5, "--no-fill"),
            *("--prior", "cauchy", "--threshold", 2, "--save-settings", kept),
        )
        assert done.exit_code == 0, done.output
        done = invoke("stereo", *images, "-o", two, "--settings", kept, "--json")
        assert done.exit_code == 0, done.output
        np.testing.assert_array_equal(np.load(one), np.load(two))
        parameters = json.loads(done.stdout)["parameters"]
        assert (parameters["labels"], parameters["prior"]) == (13, "Cauchy(2)")
        assert parameters["fill"] is False
        again = tmp_path / "again.toml"
        invoke(
            *("stereo", *images, "-o", tmp_path / "3.npy", "--settings", kept),
            *("--save-settings", again),
        )
        assert again.read_text().splitlines()[2:] == kept.read_text().splitlines()[2:]

    def test_what_was_left_out_is_in_it_too(self, images, tmp_path):
        kept = tmp_path / "run.toml"
        done = invoke(
            *("stereo", *images, "-o", tmp_path / "a.npy", "--labels", 12, "--threads", 1),
            *("--save-settings", kept),
        )
        assert done.exit_code == 0, done.output
        text = kept.read_text()
        for name in ("threshold", "weight", "max-iter"):
            assert re.search(rf"^{name} = \d", text, re.MULTILINE)
        assert "threads" not in text

    def test_the_command_line_wins(self, images, tmp_path):
        (tmp_path / "run.toml").write_text('labels = 5\nmethod = "gswap"\n')
        done = invoke(
            *("stereo", *images, "-o", tmp_path / "a.npy", "--settings", tmp_path / "run.toml"),
            *("--labels", 12, "--json"),
        )
        facts = json.loads(done.stdout)
        assert (facts["parameters"]["labels"], facts["method"]) == (12, "gswap")

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("labels = ", "must be a TOML file of settings"),
            ("colour = 3", "has the entry 'colour', which is no setting"),
            ('output = "a.pfm"', "which is no setting"),
            ("labels = [3]", "must be a single value"),
            ('labels = "many"', "run.toml is 'many':"),
            ("labels = 8.5", "run.toml is 8.5:"),
            ("labels = true", "run.toml is True:"),
            ("labels = 0", "run.toml is 0:"),
            ("subpixel = 3", "run.toml is 3:"),
        ],
    )
    def test_bad_files(self, images, tmp_path, text, words):
        (tmp_path / "run.toml").write_text(text)
        done = invoke(
            "stereo", *images, "-o", tmp_path / "a.npy", "--settings", tmp_path / "run.toml"
        )
        assert done.exit_code == 2, done.output
        # The path of the file may be broken anywhere, with the words after it.
        assert words.replace(" ", "") in unframed(done.stderr).replace(" ", "")
        assert "--labels" not in done.stderr

    def test_batches_take_and_write_them_too(self, images, tmp_path):
        kept = tmp_path / "run.toml"
        folder = tmp_path / "pairs"
        folder.mkdir()
        for path in images:
            path.rename(folder / f"a_{path.name}")
        done = invoke(
            *("stereo-batch", folder, "-o", tmp_path / "one", "--labels", 12, "--suffix", ".npy"),
            *("--save-settings", kept),
        )
        assert done.exit_code == 0, done.output
        done = invoke("stereo-batch", folder, "-o", tmp_path / "two", "--settings", kept)
        assert done.exit_code == 0, done.output
        maps = [np.load(tmp_path / name / "a.npy") for name in ("one", "two")]
        np.testing.assert_array_equal(*maps)


def test_batch_says_what_it_skips_and_why(images, tmp_path):
    folder = tmp_path / "pairs"
    folder.mkdir()
    for path in images:
        path.rename(folder / f"a_{path.name}")
    rm.io.write_image(folder / "lonely.png", PAIR.left)
    arguments = ("stereo-batch", folder, "-o", tmp_path / "out", "--labels", 12)
    first = invoke(*arguments)
    assert "lonely.png: no other image of the folder makes a pair with it" in first.stderr
    assert "a: disparities " in first.stdout
    again = invoke(*arguments)
    assert again.stdout == "a: skipped, done before, with the same images and settings\n"
    assert "1 of 1 pairs done, 0 failed, 1 skipped" in again.stderr
    facts = json.loads(invoke(*arguments, "--json").stdout)
    assert facts["skipped"] == ["a"]
    assert facts["unpaired"] == [str(folder / "lonely.png")]
    quiet = invoke(*arguments, "--quiet", "--force")
    assert quiet.stdout == ""


def test_batch_checks_truth_before_it_solves(images, tmp_path, nothing_is_solved):
    folder = tmp_path / "pairs"
    folder.mkdir()
    for path in images:
        path.rename(folder / f"a_{path.name}")
    np.save(folder / "truth.npy", PAIR.disparity[1:])
    done = invoke(
        *("stereo-batch", folder, "-o", tmp_path / "out", "--labels", 12, "--json"),
        *("--truth", "truth.npy"),
    )
    assert done.exit_code == 1
    error = json.loads(done.stdout)["pairs"]["a"]["error"]
    assert "must have the size of the images, 60x40; found 60x39" in error


def test_pairs_at_a_time_share_the_memory(tmp_path, monkeypatch):
    folder = tmp_path / "pairs"
    folder.mkdir()
    for name in "ab":
        rm.io.write_image(folder / f"{name}_left.png", PAIR.left)
        rm.io.write_image(folder / f"{name}_right.png", PAIR.right)
    needed = rm.stereo._size.needed_memory((40, 60), 12, in_bytes=True)
    monkeypatch.setattr("rangemoves.stereo._size.physical_memory", lambda: 1.5 * needed)
    arguments = ("stereo-batch", folder, "-o", tmp_path / "out", "--labels", 12)
    done = invoke(*arguments, "--workers", 2)
    assert done.exit_code == 1
    assert "12 labels, 2 pairs at a time; this machine has" in done.stderr
    assert invoke(*arguments).exit_code == 0


def test_geotiff_in_and_out(tmp_path):
    rasterio = pytest.importorskip("rasterio", reason="no rasterio; install rangemoves[geo]")
    place = rasterio.Affine(0.5, 0, 5e5, 0, -0.5, 4.6e6)
    names = tmp_path / "left.tif", tmp_path / "right.tif"
    for path, image in zip(names, (PAIR.left, PAIR.right), strict=True):
        band = image[..., 1].astype(np.float32)
        band[:4, :4] = -32768
        with rasterio.open(
            *(path, "w", "GTiff", 60, 40, 1, "EPSG:32631", place, "float32"), nodata=-32768
        ) as target:
            target.write(band, 1)
    done = invoke(
        *("stereo", *names, "-o", tmp_path / "a.tif", "--labels", 12),
        *("--confidence", tmp_path / "c.tif", "--report", tmp_path / "r.html"),
    )
    assert done.exit_code == 0, done.output
    for name in ("a.tif", "c.tif"):
        with rasterio.open(tmp_path / name) as stored:
            assert stored.crs.to_epsg() == 32631
            assert stored.transform == place
            assert stored.nodata == -32768
    found = rm.io.read_disparity(tmp_path / "a.tif")
    assert np.isnan(found[:4, :4]).all()
    assert np.isfinite(found).sum() == found.size - 16
    assert rm.stereo.evaluate(found, PAIR.disparity)["bad2"] < 25


def test_without_rasterio_it_says_what_is_lost(tmp_path, monkeypatch):
    from PIL import Image, TiffImagePlugin

    tags = TiffImagePlugin.ImageFileDirectory_v2()
    tags[33550] = (1.0, 1.0, 0.0)
    tags.tagtype[33550] = 12
    for name, image in (("left.tif", PAIR.left), ("right.tif", PAIR.right)):
        Image.fromarray(image).save(tmp_path / name, tiffinfo=tags)
    monkeypatch.setitem(sys.modules, "rasterio", None)
    done = invoke(
        *("stereo", tmp_path / "left.tif", tmp_path / "right.tif", "-o", tmp_path / "a.tif"),
        *("--labels", 12),
    )
    assert done.exit_code == 0, done.output
    assert "are not kept" in done.stderr
    assert "rangemoves[geo]" in done.stderr
