"""The page of a run: whole, alone, and alive in a real browser."""

import base64
import io
import re

import numpy as np
import pytest
from playwright.sync_api import expect

import rangemoves as rm
from rangemoves.result import Result, TraceRecord

pytest.importorskip("matplotlib")
pytest.importorskip("PIL")

from rangemoves.bench import figures, page
from rangemoves.bench.cell import CompareCell, PaperCell, Results, ScalingCell
from rangemoves.bench.figures.maps import label_palette
from rangemoves.bench.page.maps import map_uri

MARKUP = "killed by <b>signal</b> 9 & \"left\" <script>document.title = 'taken'</script>"
SHAPE = (20, 30)
ABOUT = {
    "kind": "paper",
    "command": "rangemoves bench paper -o out --instances 'a&b'",
    "version": rm.__version__,
    "machine": {
        "system": "Linux",
        "processor": "one <fast>",
        "cores": 2,
        "memory_bytes": 16 * 2**30,
        "python": "3.11",
        "simd": "avx2",
    },
    "seed": 7,
    "created": "2026-01-02T03:04:05+00:00",
}


def make_cell(out, instance, prior, row, energy, paper=None, bound=None, **facts):
    """A cell whose run made three moves down to its energy."""
    result = None
    if energy is not None:
        result = f"cells/{instance}-{prior}-{row}.npz"
        records = tuple(
            TraceRecord(i, 0.1 * i, energy + 3 - i, energy + i, energy + i, 9 // i, 500, bound)
            for i in (1, 2, 3)
        )
        labels = np.arange(600, dtype=np.int32).reshape(SHAPE) // 40
        Result(labels, energy, bound, "converged", 3, records, 0.3, row.removeprefix("E+")).save(
            out / result
        )
    ended = {} if energy is None else {"seconds": 0.3, "iterations": 3, "memory_bytes": 50 * 2**20}
    facts = {"status": "pending" if energy is None else "converged", **ended, **facts}
    return PaperCell(
        instance=instance,
        own=instance == "map",
        prior=prior,
        row=row,
        method=row.removeprefix("E+"),
        energy=energy,
        lower_bound=bound,
        threads=1,
        seed=7,
        paper_energy=paper,
        result=result,
        **facts,
    )


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    (folder / "cells").mkdir()
    cells = [
        make_cell(folder, "venus", "quadratic", "expansion", 3_208_900.0, 3_208_800.0),
        make_cell(folder, "venus", "quadratic", "gswap", 3_080_619.0, 3_080_600.0),
        make_cell(folder, "venus", "quadratic", "best", 990_000.0, bound=980_100.0),
        make_cell(folder, "venus", "quadratic", "E+rswap", 3_100_000.0, 3_000_000.0),
        make_cell(folder, "venus", "quadratic", "rexp", None, 3_157_500.0),
        make_cell(
            folder, "venus", "quadratic", "swap", None, status="failed", error=MARKUP, seconds=1.0
        ),
        make_cell(folder, "map", "cauchy", "gswap", 104_000.0, 89_300.0, status="time_limit"),
        make_cell(folder, "map", "cauchy", "gswapf", None, status="refused", error="no flat tails"),
    ]
    (folder / "tables.md").write_text("| a | <b> |\n", encoding="utf-8")
    results = Results(ABOUT, cells)
    # One problem has figures and maps, the other maps only.
    figures.draw(folder, cells[-2:])
    assert page.write(folder, results) == folder / "index.html"
    return folder


@pytest.fixture
def tab(open_page, out):
    return open_page(out / "index.html")


def column(tab, number):
    """Texts of one column of the rows that are shown, from the top."""
    return tab.locator(f"#results tbody tr:not([hidden]) td:nth-child({number})").all_inner_texts()


def energies(tab):
    return [text.replace(",", "") for text in column(tab, 5)]


def test_everything_is_inside(out):
    text = (out / "index.html").read_text(encoding="utf-8")
    sources = re.findall(r'(?:src|href)="([^"]*)"', text)
    assert all(source.startswith(("data:", "#")) for source in sources)
    assert not re.search(r"https?://(?!www\.w3\.org)", text)
    for words in ("&#x27;a&amp;b&#x27;", rm.__version__, "16.0 GiB", "one &lt;fast&gt;", "avx2"):
        assert words in text
    assert "| a | &lt;b&gt; |" in text
    assert "$" not in re.sub(r"data:[^\"]*", "", text), "a place of the template left open"


def test_browser_shows_it_without_fault_or_network(tab, broken_images):
    assert tab.locator(".maps img").count() == 5
    assert tab.locator(".chart img").count() == 4
    assert tab.evaluate(broken_images) == 0
    assert tab.faults == []
    size = tab.locator(".maps img").first.evaluate("i => [i.naturalHeight, i.naturalWidth]")
    assert tuple(size) == SHAPE


def test_text_of_results_cannot_become_markup(tab):
    assert tab.title() != "taken"
    failed = tab.locator('#results tr[data-status="failed"]')
    assert MARKUP in failed.inner_text()
    assert failed.locator("b, script").count() == 0


def test_what_has_no_result_is_shown_as_such(tab):
    for status, words in (
        ("failed", "failed"),
        ("pending", "pending"),
        ("refused", "refused"),
        ("time_limit", "time limit"),
    ):
        chip = tab.locator(f'#results tr[data-status="{status}"] .chip')
        assert chip.is_visible()
        assert chip.inner_text() == words
        counted = tab.get_by_role("list", name="How the cells ended")
        assert f"1 {words}" in counted.inner_text()
    assert tab.locator(".overview .chip.failed").is_visible()
    reason = tab.get_by_text("no flat tails")
    assert not reason.is_visible()
    tab.locator('#results tr[data-status="refused"] summary').press("Enter")
    assert reason.is_visible()


def test_sorting_by_energy_orders_the_rows_by_number(tab):
    button = tab.locator("#results thead").get_by_role("button", name="energy")
    heading = button.locator("xpath=..")
    assert heading.get_attribute("aria-sort") is None
    button.focus()
    tab.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"
    known = ["104000.0", "990000.0", "3080619.0", "3100000.0", "3208900.0"]
    assert energies(tab) == [*known, *["–"] * 3]
    tab.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "descending"
    assert energies(tab) == [*reversed(known), *["–"] * 3]


def test_every_column_can_be_sorted(tab):
    headings = tab.locator("#results thead th")
    assert headings.count() == headings.locator("button").count() == 13
    for number in range(headings.count()):
        headings.nth(number).get_by_role("button").click()
        assert tab.locator("#results th[aria-sort]").count() == 1
        assert headings.nth(number).get_attribute("aria-sort") == "ascending"
    headings.nth(2).get_by_role("button").click()
    names = column(tab, 3)
    assert names == sorted(names, key=str.lower)


def test_filters_hide_rows_and_say_how_many_are_left(tab):
    shown = tab.locator("#shown")
    assert shown.inner_text() == "8 rows"
    tab.locator("form").get_by_label("Instance").select_option("venus")
    assert set(column(tab, 1)) == {"venus"}
    assert shown.inner_text() == "6 of 8 rows"
    tab.locator("form").get_by_label("Method").select_option("gswap")
    assert energies(tab) == ["3080619.0"]
    tab.get_by_role("button", name="Show all").click()
    assert len(column(tab, 1)) == 8
    tab.locator("form").get_by_label("Prior").select_option("cauchy")
    assert set(column(tab, 2)) == {"cauchy"}
    tab.locator("form").get_by_label("Prior").select_option("")
    tab.get_by_label("Search").fill("VENUS signal")
    assert tab.locator("#results tbody tr:visible").count() == 1
    assert shown.inner_text() == "1 of 8 rows"


def test_the_lowest_energy_of_each_problem_is_highlighted(tab):
    highlighted = tab.locator("#results td.best")
    assert highlighted.all_inner_texts() == ["990,000.0", "104,000.0"]
    plain = tab.locator("#results tbody tr").first.locator("td").nth(4)
    paint = "e => getComputedStyle(e).backgroundColor"
    assert highlighted.first.evaluate(paint) != plain.evaluate(paint)


def test_the_paper_stands_beside_ours(tab):
    rows = {text: place for place, text in enumerate(column(tab, 3))}
    differences = column(tab, 7)
    assert differences[rows["expansion"]] == "+0.003"
    assert differences[1] == "=", "the same to the last digit that the paper prints"
    assert differences[rows["E+rswap"]] == "+3.333"
    assert differences[6] == "–", "own costs are not compared"
    assert column(tab, 6)[6] == "–"
    assert column(tab, 9)[rows["best"]] == "1.0000", "gap in per cent"
    assert column(tab, 1)[6].split() == ["map", "own"]


def test_figures_of_one_problem_are_shown_at_a_time(tab):
    groups = tab.locator(".group")
    assert groups.count() == 2
    expect(groups.nth(0)).to_be_visible()
    expect(groups.nth(1)).to_be_hidden()
    chooser = tab.get_by_label("Choose an instance and a prior")
    link = chooser.get_by_role("link", name="cauchy")
    link.press("Enter")
    expect(groups.nth(0)).to_be_hidden()
    expect(groups.nth(1)).to_be_visible()
    expect(link).to_have_attribute("aria-current", "true")
    chooser.get_by_role("link", name="everything").click()
    expect(groups.nth(0)).to_be_visible()
    expect(groups.nth(1)).to_be_visible()
    # From the overview straight to the figures of a column.
    tab.locator(".overview").get_by_role("link", name="map").click()
    expect(groups.nth(0)).to_be_hidden()
    assert tab.faults == []


def test_maps_are_flicked_through_in_large(tab):
    tab.locator(".maps button").first.press("Enter")
    viewer = tab.get_by_role("dialog")
    expect(viewer).to_be_visible()
    expect(viewer).to_contain_text("expansion")
    tab.keyboard.press("ArrowRight")
    expect(viewer).to_contain_text("gswap")
    tab.keyboard.press("ArrowLeft")
    tab.keyboard.press("ArrowLeft")
    expect(viewer).to_contain_text("E+rswap")
    tab.keyboard.press("Escape")
    expect(viewer).to_be_hidden()


def test_page_fits_a_telephone(tab):
    tab.set_viewport_size({"width": 360, "height": 640})
    tab.get_by_role("link", name="everything").click()
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360


def test_every_picture_and_field_has_words(tab):
    nameless = (
        "Array.from(document.images).filter("
        "i => !i.alt && !i.closest('[aria-hidden]') && !i.closest('dialog')).length"
    )
    assert tab.evaluate(nameless) == 0
    fields = "Array.from(document.querySelectorAll('select, input')).filter(e => !e.labels.length)"
    assert tab.evaluate(fields + ".length") == 0


@pytest.mark.parametrize("largest", [9, 300])
def test_maps_keep_their_labels_apart(largest):
    pillow = pytest.importorskip("PIL.Image")
    labels = np.arange(largest, -1, -1, dtype=np.int32)[None]
    uri = map_uri(labels, label_palette(largest))
    with pillow.open(io.BytesIO(base64.b64decode(uri.partition(",")[2]))) as picture:
        found = np.asarray(picture.convert("RGB"))
    np.testing.assert_array_equal(found, rm.plots.disparity_colours(labels, (0, largest)))


@pytest.mark.parametrize("kind", ["scaling", "compare"])
def test_other_kinds_have_a_page_too(tmp_path, open_page, broken_images, kind):
    make = {"scaling": ScalingCell, "compare": CompareCell}[kind]
    cells = [
        make(
            case="pixels",
            solver=solver,
            pixels=pixels,
            labels=16,
            T=3,
            seconds=seconds * pixels / 1000,
            memory_bytes=1000 * pixels,
            energy=5.0,
            status="converged",
        )
        for pixels in (1000, 2000)
        for solver, seconds in (("gswap", 10.0), ("rangemoves expansion", 9.0))
    ]
    missing = {"status": "not installed", "error": MARKUP}
    cells.append(make(case="pixels", solver="gco", pixels=1000, labels=16, T=3, **missing))
    results = Results({**ABOUT, "kind": kind}, cells)
    draw = {"scaling": figures.draw_scaling, "compare": figures.draw_compare}[kind]
    assert draw(tmp_path, cells)
    tab = open_page(page.write(tmp_path, results))
    assert tab.evaluate(broken_images) == 0
    assert tab.locator(".chart img").count() == 1
    assert MARKUP in tab.locator('tr[data-status="not installed"]').inner_text()
    tab.locator("#results thead").get_by_role("button", name="seconds").click()
    assert tab.locator("#results tbody tr").first.get_attribute("data-solver") != "gswap"
    tab.get_by_label("Solver").select_option("gswap")
    assert tab.locator("#results tbody tr:visible").count() == 2
    if kind == "scaling":
        assert "1.00" in tab.locator(".overview").inner_text()
    assert tab.faults == []
