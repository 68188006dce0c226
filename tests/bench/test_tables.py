"""Tables: the lowest in bold, the paper's figures beside ours, marks where something is amiss."""

from dataclasses import fields, replace

import pytest

from rangemoves.bench import paper, tables
from rangemoves.bench.cell import CELLS, COLUMNS, PaperCell, Results, cell_of, record_of
from rangemoves.bench.cells import plan
from rangemoves.bench.claims import claims
from rangemoves.bench.judgement import misses
from rangemoves.bench.limits import EVERYTHING
from rangemoves.bench.problems import INSTANCES
from rangemoves.bench.rows import ROWS

ABOUT = {
    "kind": "paper",
    "command": "rangemoves bench paper -o out",
    "version": "1",
    "machine": {"processor": "a machine", "cores": 2, "simd": "plain"},
    "seed": 0,
}


def cell(row, energy, instance="venus", prior="quadratic", status="converged", **more):
    theirs = paper.figures().get((instance, prior, row))
    return PaperCell(
        instance=instance,
        own=INSTANCES[instance].own,
        prior=prior,
        row=row,
        method=row.removeprefix("E+"),
        start="expansion" if row.startswith("E+") else "zero",
        status=status,
        energy=energy,
        seconds=None if energy is None else 1.25,
        paper_energy=theirs and theirs.energy,
        paper_seconds=theirs and theirs.seconds,
        **more,
    )


def markdown(*cells):
    return tables.markdown(Results(ABOUT, list(cells)))


def latex(*cells):
    return tables.latex(Results(ABOUT, list(cells)))


def line(text, row):
    [found] = [line for line in text.splitlines() if line.startswith((f"| {row} |", f"{row} &"))]
    return found


@pytest.mark.parametrize("kind", CELLS)
def test_every_entry_of_a_cell_is_a_column(kind):
    assert {field.name for field in fields(CELLS[kind])} <= set(COLUMNS)


def test_a_cell_comes_back_as_it_was_stored():
    found = cell("gswap", 3_080_619.0)
    assert cell_of("paper", {**record_of(found), "of a later version": 1}) == found


def test_the_paper_has_all_its_figures():
    figures = paper.figures()
    assert len(figures) == 288
    assert figures["sawtooth", "quadratic", "trws"] == paper.Figure(1039100.0, 36.0, True)
    assert figures["cones", "linear", "expansion"] == paper.Figure(2342800.0, 20.0, False)
    assert figures["kitti-000070", "cauchy", "swap"].seconds == 360
    assert figures["teddy", "linear", "E+trws"] == paper.Figure(2653300.0, 384.0, False)
    assert {instance for instance, _, _ in figures} <= set(INSTANCES)
    assert "rswape" not in paper.rows_of("cauchy")
    assert "E+gswapf" in paper.rows_of("linear")


def test_the_paper_is_beside_ours_and_the_lowest_is_bold():
    text = markdown(cell("expansion", 3_208_800), cell("gswap", 3_080_619), cell("best", 3_077_400))
    assert line(text, "expansion") == "| expansion | 3208.8 / 3208.8 | 1.2 / 7 |"
    assert line(text, "gswap") == "| gswap | 3080.6 / 3080.6 | 1.2 / 13 |"
    assert line(text, "best") == "| best | **3077.4** | 1.2 |"
    assert ABOUT["command"] in text


def test_ties_of_the_printed_digit_are_all_bold():
    text = markdown(cell("gswap", 3_080_619), cell("gswapf", 3_080_641))
    assert "**3080.6** / 3080.6" in line(text, "gswap")
    assert "**3080.6** / 3080.6" in line(text, "gswapf")


@pytest.mark.parametrize(
    ("row", "prior", "energy", "missed"),
    [
        ("gswap", "quadratic", 3_080_649, False),
        ("gswap", "quadratic", 3_080_651, True),
        ("gswap", "cauchy", 2_558_400 * 1.0004, False),
        ("gswap", "cauchy", 2_558_400 * 1.0006, True),
        ("gswapf", "linear", 2_982_700 * 1.004, False),
        ("gswapf", "linear", 2_982_700 * 1.006, True),
        ("expansion", "quadratic", 3_208_800 * 1.019, False),
        ("expansion", "quadratic", 3_208_800 * 1.021, True),
        ("rswap", "quadratic", 7_958_500 * 1.09, False),
        ("irgc", "quadratic", 3_081_400 * 1.011, True),
        ("best", "quadratic", 9_000_000, False),
    ],
)
def test_a_cross_marks_what_ended_too_high(row, prior, energy, missed):
    found = cell(row, energy, prior=prior)
    assert misses(found) == missed
    assert ("✗" in line(markdown(found), row)) == missed
    assert ("\\times" in line(latex(found), row)) == missed


def test_instances_of_our_own_are_marked_and_not_judged():
    text = markdown(cell("gswap", 900_000, "map"))
    assert "map† E" in text
    assert "900.0** / 125.2" in line(text, "gswap")
    assert "✗" not in line(text, "gswap")


def test_what_has_no_energy_is_shown_as_such():
    text = markdown(
        cell("expansion", None, status="failed"),
        cell("gswap", None, status="pending"),
        cell("gswapf", None, prior="cauchy", status="refused"),
        cell("swap", 4_000_000, status="time_limit"),
        cell("best", 3_077_400, status="time_limit"),
    )
    assert "failed / 3208.8" in line(text, "expansion")
    assert "not run / 3080.6" in line(text, "gswap")
    assert "not possible" in line(text, "gswapf")
    assert "1.2\\* / 16" in line(text, "swap")
    assert "1.2\\*" in line(text, "best")


def test_rows_that_start_from_expansion_have_their_own_tables():
    text = markdown(cell("swap", 4_111_600), cell("E", 3_238_100), cell("E+rswap", 3_122_400))
    zero, late = text.split("## Truncated quadratic, from alpha-expansion")
    assert "| swap |" in zero
    assert "E+rswap" not in zero
    assert "their seconds are those of both together" in late
    assert "| E | 3238.1 | 1.2 |" in late
    assert "| E |" not in zero
    assert "3122.4** / 3122.4" in line(late, "E+rswap")


def test_latex_has_balanced_braces_and_bold():
    text = latex(cell("gswap", 3_080_619), cell("E+rswap", 3_122_400), cell("best", 3_077_400))
    assert text.count("{") == text.count("}")
    assert text.count("\\begin{tabular}") == text.count("\\end{tabular}") == 4
    assert line(text, "best") == "best & \\textbf{3077.4} & 1.2 \\\\"
    assert line(text, "gswap") == "gswap & 3080.6 / 3080.6 & 1.2 / 13 \\\\"


def test_by_default_the_rows_are_the_papers_and_ours():
    jobs = plan(["synthetic"], ["quadratic", "cauchy"])
    rows = {
        prior: [j.cell.row for j in jobs if j.cell.prior == prior]
        for prior in ("quadratic", "cauchy")
    }
    assert rows["cauchy"] == [
        *("expansion", "swap", "rswap", "trws", "irgc", "irgc+expansion", "gswap", "gswap-chord"),
        *("E", "E+rswap", "E+trws", "E+irgc", "E+gswap", "auto", "best"),
    ]
    assert rows["quadratic"][-1] == "best"
    assert "rexp" in rows["quadratic"]


def test_range_expansion_on_the_largest_instance_is_run_on_demand(data_folder):
    def rows(*wanted, **options):
        jobs = plan(["kitti-000070"], ["linear"], *wanted, data=data_folder, **options)
        return [job.cell.row for job in jobs]

    assert "rexp" not in rows()
    assert "E+rexp" not in rows()
    assert "rexp" in rows(with_slow=True)
    assert rows(["E+rexp"]) == ["E", "E+rexp"]


def test_a_row_with_a_rate_of_its_own_is_not_guessed_from_its_method():
    guess = {job.cell.row: job.cost for job in plan(["synthetic"], ["quadratic"], list(ROWS))}
    assert guess["gswap-chord"] > 2 * guess["gswap"]
    assert guess["gswap-as-written"] == guess["gswap"] > guess["gswapf"]
    assert guess["E+rswap-as-written"] == guess["E+rswap"] < guess["rswap"]


def test_rows_as_written_stand_beside_ours_with_the_papers_figures(data_folder):
    jobs = plan(
        ["venus"], ["cauchy"], ["rswap", "swap", "E+irgc"], with_written=True, data=data_folder
    )
    rows = {job.cell.row: job for job in jobs}
    assert list(rows) == [
        *("swap", "rswap", "rswap-as-written", "E", "E+irgc", "E+irgc-as-written")
    ]
    theirs = paper.figures()["venus", "cauchy", "rswap"].energy
    assert rows["rswap"].cell.paper_energy == theirs
    assert rows["rswap-as-written"].cell.paper_energy == theirs
    assert rows["rswap-as-written"].settings["options"] == {
        "convex_range": "prior",
        "ties": "highest",
    }
    assert rows["E+irgc-as-written"].cell.method == "irgc"
    assert rows["E+irgc-as-written"].needs == "venus-cauchy-E"


def test_seconds_with_and_without_those_of_the_start():
    text = markdown(cell("E+rswap", 3_122_400, start_seconds=0.5))
    assert "| 1.2 (0.8) / 13 |" in line(text, "E+rswap")


def test_table_2_has_range_swaps_from_both_starts_and_the_papers_methods():
    rows = ["rswap", "E+rswap", "rswape", "E+rswape", "gswap", "gswapf"]
    text = markdown(*(cell(row, 3_100_000) for row in [*reversed(rows), "expansion", "E"]))
    [table] = [part for part in text.split("## ") if "Table 2 of the paper" in part]
    lines = [line for line in table.splitlines() if line.startswith("| ")][2:]
    assert [line.split(" | ")[0].removeprefix("| ") for line in lines] == rows
    assert "Table 2" not in markdown(*(cell(row, 3_100_000) for row in ("rswap", "gswap")))


def test_what_was_not_run_still_shows_what_the_paper_has():
    text = markdown(
        cell("gswap", 3_080_619), cell("gswap", 900_000, "map"), cell("swap", 4_111_600)
    )
    assert line(text, "swap") == "| swap | – / 258.5 | – / 12 | 4111.6 / 4111.6 | 1.2 / 16 |"


def test_the_paper_is_shown_once_where_a_row_was_not_run_as_written():
    written = replace(cell("gswap", 3_080_619), row="gswap-as-written")
    text = markdown(cell("gswap", 900_000, "map"), cell("gswap", 3_080_619), written)
    assert line(text, "gswap-as-written").startswith("| gswap-as-written |  |  | **3080.6**")
    assert "| – / 125.2 |" in line(markdown(cell("swap", 2e5, "map"), written), written.row)


def test_large_instances_with_costs_of_our_own_get_little_time(data_folder):
    jobs = plan(
        ["map", "kitti-000070"],
        ["linear"],
        ["gswap"],
        data=data_folder,
        limits=EVERYTHING,
        with_written=True,
    )
    assert [(job.cell.instance, job.cell.row) for job in jobs] == [
        *(("map", "gswap"), ("map", "gswap-as-written"), ("kitti-000070", "gswap"))
    ]
    assert [job.settings["time_limit"] for job in jobs] == [300, 300, 60]


def remarks_of(*cells):
    return [part[2:] for part in markdown(*cells).splitlines() if part.startswith("- ")]


def test_each_cell_above_the_paper_is_explained():
    [expansion, ties, limit] = remarks_of(
        cell("expansion", 3_300_000),
        cell("rswap", 8_106_300),
        replace(cell("rswap", 7_958_540), row="rswap-as-written"),
        cell("rswape", 6_000_000, status="time_limit"),
        cell("gswap", 3_080_619),
    )
    assert expansion.startswith("expansion on venus (+2.8 %): what is found depends on the order")
    assert ties.startswith("rswap on venus (+1.9 %): of several best labellings")
    assert limit.startswith("rswape on venus (+4.5 %): ended by the time limit")


@pytest.mark.parametrize(
    ("row", "energy", "status", "why"),
    [
        ("swap", 4_200_000, "converged", "what is found depends on the order"),
        ("rexp", 3_200_000, "converged", "what is found depends on the order"),
        # A limit goes before all else.
        ("rexp", 3_200_000, "time_limit", "ended by the time limit"),
        ("trws", 3_110_000, "iteration_limit", "messages are rounded differently"),
        # Nothing shows that it is the ties where the row as written was not run.
        ("rswap", 8_106_300, "converged", "not explained."),
        ("gswap", 3_090_000, "converged", "not explained."),
        ("irgc", 3_090_000, "converged", "not explained."),
    ],
)
def test_every_reason_is_given_where_it_holds(row, energy, status, why):
    [remark] = remarks_of(cell(row, energy, status=status))
    assert remark.startswith(f"{row} on venus (+")
    assert remark.partition(" %): ")[2].startswith(why)


def test_ties_explain_nothing_where_the_row_as_written_is_too_high_as_well():
    written = replace(cell("rswap", 8_000_000), row="rswap-as-written")
    found = remarks_of(cell("rswap", 8_106_300), written)
    assert found == [
        "rswap on venus (+1.9 %), rswap-as-written on venus (+0.5 %): not explained.",
    ]


def test_what_was_cut_short_or_rounded_is_said_to_be():
    written = replace(cell("rswap", 8_200_000, status="time_limit"), row="rswap-as-written")
    [open_, limit] = remarks_of(cell("rswap", 8_106_300), written)
    assert open_.startswith("rswap on venus (+1.9 %): the rows -as-written, which would show")
    assert limit.startswith("rswap-as-written on venus (+3.0 %): ended by the time limit")
    rounded = replace(cell("rswap", 7_249_714, prior="cauchy"), row="rswap-as-written")
    [remark] = remarks_of(rounded)
    assert remark.startswith("rswap-as-written on venus (+0.1 %): the costs of edges are real")


def test_a_start_explains_what_follows_from_it_only_where_it_differs():
    late = cell("E+rswap", 3_140_000)
    [remark] = remarks_of(cell("E", 3_200_500), late)
    assert remark.startswith("E+rswap on venus (+0.6 %): they start from our alpha-expansion")
    # The paper's alpha-expansion ends at 3208.8.
    assert "not explained" in remarks_of(cell("E", 3_208_812), late)[0]
    assert "not explained" in remarks_of(late)[0]


def test_a_cell_has_the_same_reason_in_every_table():
    # The row as written starts from the same E, and ends at the paper's figure: so E is not why.
    found = remarks_of(
        cell("rswap", 7_958_540),
        cell("E", 3_200_500),
        cell("E+rswap", 3_140_000),
        replace(cell("E+rswap", 3_122_400), row="E+rswap-as-written"),
    )
    assert len(found) == 2
    assert len(set(found)) == 1
    assert found[0].startswith("E+rswap on venus (+0.6 %): of several best labellings")


def test_ties_alone_are_said_to_explain_range_swaps_only():
    written = replace(cell("gswapf", 3_080_600), row="gswapf-as-written")
    [remark] = remarks_of(cell("gswapf", 3_090_000), written)
    assert "with all options as in the paper, end at most 0.1 % above" in remark


def test_ties_alone_do_not_explain_range_swaps_whose_convex_range_is_another():
    written = replace(cell("rswap", 7_240_000, prior="cauchy"), row="rswap-as-written")
    [remark] = remarks_of(cell("rswap", 7_300_000, prior="cauchy"), written)
    assert "with all options as in the paper" in remark


def test_the_caption_of_table_2_says_where_its_rows_start():
    text = markdown(*(cell(row, 3_100_000) for row in ("rswap", "E+rswap", "E")))
    [table] = [part for part in text.split("## ") if "Table 2 of the paper" in part]
    assert "all others from label 0" in table
    assert "all other rows start from" not in table


def test_what_is_not_above_the_paper_or_not_to_be_compared_is_not_explained():
    assert remarks_of(cell("rswap", 7_958_500 * 1.0009), cell("E", 9_000_000)) == []
    assert remarks_of(cell("rswap", 900_000, "map")) == []


def test_rows_as_written_stand_in_a_table_of_their_own():
    def written(row, energy, **more):
        return replace(cell(row, energy, **more), row=f"{row}-as-written")

    text = markdown(
        cell("gswap", 3_080_619),
        written("gswap", 3_080_619),
        written("rswap", 2_417_682, instance="sawtooth", prior="cauchy"),
        written("rswape", 6_000_000, status="time_limit"),
        written("irgc", 3_080_619),
    )
    table = text.split("## As written")[1].partition("##")[0]
    assert "| method | venus | sawtooth |" in table
    assert "| gswap, truncated quadratic | 3080.619 / 3080.6 | – |" in table
    assert "| rswap, Cauchy | – | 2417.682 / 2430.8 (-0.5 %) |" in table
    assert "| rswape, truncated quadratic | 6000.000 / 5740.1 (+4.5 %)\\* | – |" in table
    assert "irgc" not in table
    assert "## As written" not in markdown(cell("gswap", 3_080_619))


def test_optima_are_those_that_best_has_proven():
    text = markdown(
        cell("best", 3_072_775, status="optimal", lower_bound=3_072_775.0),
        cell("best", 1_033_000, "sawtooth", status="time_limit", lower_bound=1_032_000.0),
        cell("best", 188_900, "map", status="optimal", lower_bound=188_900.0),
        cell("best", 2_694_923, "cones", status="optimal", lower_bound=2_694_923.0),
    )
    table = text.split("## Proven optima")[1]
    assert (
        "| venus | truncated quadratic | **3072775** | 3072775 | 3072775 | 1 | 3080.6 | 0.25 % |"
    ) in table
    assert "| – | 1033000 | 1032000 | 1 | 1039.1 | at most 0.69 % |" in table
    assert "| 2694.9 | 0.00 % |" in table  # 23 below the optimum: the paper rounds
    assert "| map† | truncated quadratic | **188900** | 188900 | 188900 | 1 | – | – |" in table
    assert "Proven optima" not in markdown(cell("gswap", 3_080_619))


def test_claims_are_answered_by_the_papers_figures_and_by_ours():
    cells = [cell("rswap", 7_958_500), cell("gswap", 3_080_600), cell("irgc", 3_081_400)]
    cells[0] = replace(cells[0], seconds=50.0)
    cells[2] = replace(cells[2], seconds=2.5)
    late = replace(cell("E+gswap", 3_142_212), start_seconds=1.0)
    found = claims([*cells, cell("rswape", 9e6, status="time_limit"), late])
    lower, faster, irgc, lowest, full_ends, late_swaps, starts, other_starts = found
    assert str(lowest.sources["paper"][0]) == "0.996 (sawtooth, quadratic, trws to gswap)"
    assert str(lowest.sources["ours"][0]) == "1.000 (venus, quadratic, irgc to gswap)"
    assert str(full_ends.sources["paper"][1]) == "1.018 (map, quadratic, gswapf to gswap)"
    assert str(late_swaps.sources["paper"][0]) == "0.999 (sawtooth, quadratic, E+rswape to gswap)"
    assert str(other_starts.sources["paper"][1]) == "1.070 (teddy, quadratic, E+irgc to irgc)"
    assert str(starts.sources["paper"][1]) == "1.078 (map, cauchy, E+gswap to gswap)"
    full = claims([cell("gswapf", 3_080_600), cell("E+gswapf", 3_388_660), cell("gswap", 3e6)])[-2]
    assert str(full.sources["ours"][1]) == "1.100 (venus, quadratic, E+gswapf to gswapf)"
    assert str(starts.sources["ours"][1]) == "1.020 (venus, quadratic, E+gswap to gswap)"
    assert str(lower.sources["paper"][1]) == "4.0 (map, cauchy, rswap to gswap)"
    assert str(faster.sources["paper"][1]) == "49.9 (cones, quadratic, rswape to gswap)"
    assert [f"{ratio.value:.2f}" for ratio in irgc.sources["paper"]] == ["0.98", "8.91"]
    assert [f"{ratio.value:.2f}" for ratio in lower.sources["ours"]] == ["2.58", "2.58"]
    assert [ratio.value for ratio in faster.sources["ours"]] == [1.0, 40.0]
    assert faster.sources["ours"][0].more
    assert irgc.sources["ours"][0].value == 2
    assert lower.sources["as written"] is None
    assert "| 2 to 9 times faster than IRGC |" in markdown(*cells)


def test_everything_starts_with_what_matters_most(data_folder):
    jobs = plan(
        ["map", "venus"],
        ["quadratic"],
        data=data_folder,
        limits=EVERYTHING,
        commit="abc",
        with_written=True,
        with_starts=True,
    )
    by_row = {(job.cell.instance, job.cell.row): job for job in jobs}
    assert by_row["venus", "gswap-as-written"].tier < by_row["venus", "irgc"].tier
    assert by_row["venus", "best"].tier < by_row["venus", "E+trws"].tier
    assert by_row["venus", "E+gswap"].tier < by_row["map", "gswap"].tier
    assert by_row["venus", "E+gswap"].tier < by_row["map", "gswap-as-written"].tier
    limits = {place: job.settings["time_limit"] for place, job in by_row.items()}
    assert limits["venus", "gswap"] == limits["venus", "E+rswap"] == 300
    assert limits["venus", "rswap"] == limits["venus", "rswape-as-written"] == 1800
    assert limits["venus", "best"] == limits["map", "best"] == 120
    assert limits["venus", "rexp"] == 300
    assert limits["map", "rexp"] == 300
    assert {job.settings["commit"] for job in jobs} == {"abc"}
    # Stored cells of runs that told no commit are still theirs.
    assert "commit" not in plan(["synthetic"], ["quadratic"])[0].settings
