"""Every method on the paper's problems, our energies beside the paper's, into docs/methods.md.

    python benchmarks/methods_table.py                                  # write the page again
    python benchmarks/methods_table.py --run venus-quadratic            # run the methods first
    python benchmarks/methods_table.py --run venus-linear --methods rexp E+rexp

A row "E+method" starts from alpha-expansion, all others from label 0. What was run is kept in
benchmarks/results/methods.json, one figure per problem and method, so that the slow ones need not
be run again. The data are looked for in $RANGEMOVES_DATA, else in ../shared/data.
"""

import argparse
import csv
import json
from pathlib import Path

from trws import PRIORS, problem

import rangemoves as rm

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "methods.json"
PAGE = HERE.parent / "docs" / "methods.md"
INSTANCES = ("sawtooth", "venus", "teddy", "cones")

# Our name, the paper's, and how far above the paper's energy it may end (per cent).
ROWS = {
    "expansion": ("alpha-expansion", 2),
    "swap": ("alphabeta-swap", 10),
    "rswap": ("rswap", 10),
    "rswape": ("rswape", 10),
    "rexp": ("rexp", 1),
    "irgc": ("irgc", 1),
    "irgc+expansion": (None, None),
    "gswap": ("gswap", 1),
    "gswapf": ("gswapf", 1),
    "trws": ("trws", 1),
    "E+rswap": ("E+rswap", 1),
    "E+rswape": ("E+rswape", 1),
}
HEADINGS = {"quadratic": "Truncated quadratic", "linear": "Truncated linear", "cauchy": "Cauchy"}


def paper_figures():
    with (HERE / "paper-tables.csv").open(encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {
            (row["instance"] + "-" + row["prior"].removeprefix("truncated-"), row["method"]): (
                float(row["energy_k"]),
                float(row["time_s"]),
            )
            for row in rows
        }


def load():
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}


def run(case, methods, results):
    energy = problem(case)
    for name in methods:
        method = name.removeprefix("E+")
        [row] = [row for row in rm.methods() if row.name == method]
        if row.refusal(energy):
            continue
        result = rm.minimize(energy, method, init="expansion" if name != method else "zero")
        figure = {"energy": result.energy, "seconds": round(result.seconds, 1)}
        results.setdefault(case, {})[name] = figure
        print(f"{case} {name}: {result.energy:.0f}, {result.seconds:.1f} s", flush=True)
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def cell(ours, paper, allowed):
    """Ours / the paper's in thousands; bold where it is no higher, a cross where it is too high."""
    if ours is None:
        return "" if paper is None else f"- / {paper[0]:.1f}"
    value = ours["energy"] / 1000
    if paper is None:
        return f"{value:.1f}"
    # The paper prints one decimal.
    text = f"**{value:.1f}**" if value < paper[0] + 0.05 else f"{value:.1f}"
    missed = " ✗" if value > paper[0] * (1 + allowed / 100) else ""
    return f"{text} / {paper[0]:.1f}{missed}"


def page(results):
    paper = paper_figures()
    lines = [
        "# Every method on the paper's problems",
        "",
        "Energies in thousands, ours / the paper's; bold where ours is no higher. Started from",
        "label 0, rows with E+ from alpha-expansion. A cross marks what ended further above the",
        "paper than it should: expansion by 2 %, swap, rswap and rswape by 10 %, others by 1 %.",
        "A dash: not run. Made by `benchmarks/methods_table.py`.",
    ]
    for prior in PRIORS:
        lines += ["", f"## {HEADINGS[prior]}", ""]
        lines.append("| method | " + " | ".join(name.capitalize() for name in INSTANCES) + " |")
        lines.append("|---" * (len(INSTANCES) + 1) + "|")
        for name, (theirs, allowed) in ROWS.items():
            cells = [
                cell(
                    results.get(f"{instance}-{prior}", {}).get(name),
                    paper.get((f"{instance}-{prior}", theirs)),
                    allowed,
                )
                for instance in INSTANCES
            ]
            if any(cells):
                lines.append(f"| {name} | " + " | ".join(cells) + " |")
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    cases = [f"{instance}-{prior}" for instance in INSTANCES for prior in PRIORS]
    parser.add_argument("--run", nargs="+", choices=cases, default=[], metavar="PROBLEM")
    parser.add_argument("--methods", nargs="+", choices=ROWS, default=list(ROWS), metavar="METHOD")
    arguments = parser.parse_args()
    results = load()
    for case in arguments.run:
        run(case, arguments.methods, results)
    page(results)


if __name__ == "__main__":
    main()
