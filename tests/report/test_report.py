"""The page: whole, alone, and alive in a real browser."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

import rangemoves as rm

pytest.importorskip("matplotlib")
pytest.importorskip("PIL")

PAIR = rm.datasets.synthetic_stereo(shape=(48, 64), labels=12)
RUN = SimpleNamespace(
    energy=1234567.0,
    lower_bound=1200000.0,
    gap=0.028,
    status="converged",
    iterations=2,
    trace=[
        {"iteration": 1, "seconds": 0.5, "energy": 1300000.0, "lower_bound": None},
        {"iteration": 2, "seconds": 1.0, "energy": 1234567.0, "lower_bound": 1200000.0},
    ],
)


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "report.html"
    rm.report.write_report(
        path,
        left=PAIR.left,
        right=PAIR.right,
        disparity=PAIR.disparity.round(),
        truth=PAIR.disparity,
        mask=PAIR.mask,
        result=RUN,
        parameters={"labels": 12, "prior": "<b>&"},
        title="A <title>",
    )
    return path


def test_everything_is_inside(page):
    text = page.read_text()
    for words in ("1,234,567.0", "1,200,000.0", "bad1_noc", "&lt;b&gt;&amp;", rm.__version__):
        assert words in text
    assert "<title>A &lt;title&gt;</title>" in text
    sources = re.findall(r'(?:src|href)="([^"]*)"', text)
    assert len(sources) >= 9
    assert all(source.startswith("data:") for source in sources)
    assert not re.search(r"https?://(?!www\.w3\.org)", text)


def test_run_and_truth_may_be_missing(tmp_path):
    path = tmp_path / "report.html"
    unknown = np.full(PAIR.disparity.shape, np.nan)
    wide = PAIR.left[..., 0].astype(np.uint16) * 200
    rm.report.write_report(path, left=wide, right=wide, disparity=unknown)
    text = path.read_text()
    assert "No iteration was recorded" in text
    assert "Evaluation" not in text


def test_disparity_of_another_size_is_refused_and_nothing_written(tmp_path):
    with pytest.raises(ValueError, match="disparity must have the height and width of left"):
        rm.report.write_report(
            tmp_path / "a.html", left=PAIR.left, right=PAIR.right, disparity=np.zeros((2, 3))
        )
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def tab(open_page, page):
    return open_page(page)


def test_browser_shows_every_picture_without_fault_or_network(tab, broken_images):
    assert tab.evaluate("document.images.length") >= 9
    assert tab.evaluate(broken_images) == 0
    assert tab.faults == []
    assert tab.evaluate("document.images[0].naturalWidth") == 64


def test_slider_moves_between_left_image_and_disparity(tab):
    def pixel_is_left(fraction):
        """Whether the left image is what is seen at this part of the width."""
        box = tab.locator("#compare").bounding_box()
        clip = {
            "x": box["x"] + fraction * box["width"],
            "y": box["y"] + 20,
            "width": 8,
            "height": 8,
        }
        before = tab.screenshot(clip=clip)
        tab.add_style_tag(content=".over, .handle { visibility: hidden; }")
        same = before == tab.screenshot(clip=clip)
        tab.locator("style").last.evaluate("element => element.remove()")
        return same

    assert pixel_is_left(0.25)
    assert not pixel_is_left(0.75)
    slider = tab.get_by_role("slider")
    slider.focus()
    tab.keyboard.press("End")
    assert slider.input_value() == "100"
    assert pixel_is_left(0.75)
    tab.keyboard.press("Home")
    assert not pixel_is_left(0.25)
    assert slider.get_attribute("aria-valuetext") == "0 percent left image"


def test_picture_itself_can_be_dragged(tab):
    box = tab.locator("#compare").bounding_box()
    tab.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 10)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 10)
    tab.mouse.up()
    assert tab.get_by_role("slider").input_value() == "80"


def test_page_fits_a_telephone(tab):
    tab.set_viewport_size({"width": 360, "height": 640})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360


def test_every_picture_has_words(tab):
    nameless = (
        "Array.from(document.images).filter(i => !i.alt && !i.closest('[aria-hidden]')).length"
    )
    assert tab.evaluate(nameless) == 0
    assert tab.get_by_role("slider", name="Drag to compare").count() == 1
