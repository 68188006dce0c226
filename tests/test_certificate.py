"""Certificates and their checker: never above the optimum, whatever the certificate."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import hypothesis
import numpy as np
import pytest
from certificate_writer import (
    Problem,
    enumerated,
    good_certificate,
    proven,
    random_certificate,
    random_tables,
    search,
    swept,
)
from hypothesis import strategies as st
from oracles import (
    best_energy,
    edge_costs,
    energies,
    every_labelling,
    size,
    tables_of_edges,
    takes_part,
    unary_costs,
)

import rangemoves as rm
from rangemoves.certificate import Certificate, Island, Step
from rangemoves.testing._bound import certified_bound
from rangemoves.testing._tables import Cost, TableSearch

KINDS = ["convex", "robust", "flat", "any"]
SEEDS = st.integers(0, 2**32 - 1)


def with_certificate(energy, certificate, labels=None, **claims):
    """A result that claims nothing but the energy of its labels, unless told otherwise."""
    if labels is None:
        labels = np.zeros(energy.shape, np.int32)
        labels[...] = energy.unary.argmin(axis=-1)
        if energy.mask is not None:
            labels[~energy.mask] = -1
    given = {"energy": energy(labels), "lower_bound": None, "status": "converged", **claims}
    return rm.Result(
        labels=labels,
        iterations=0,
        trace=(),
        seconds=0.0,
        method="best",
        certificate=certificate,
        **given,
    )


def bound_of(energy, certificate):
    return rm.testing.check_certificate(energy, with_certificate(energy, certificate))


def true_optimum(energy):
    """The least energy in fractions."""
    problem = Problem.of(energy, 1)
    least = math.inf
    choices = [range(energy.num_labels if taken else 1) for taken in takes_part(energy)]
    for labels in itertools.product(*choices):
        value = sum(problem.unary[i][label] for i, label in enumerate(labels))
        for (i, j), costs in zip(problem.edges, problem.costs, strict=True):
            value += 0 if costs is None else costs[labels[i]][labels[j]]
        least = min(least, value)
    return least


def knot(seed, labels=3):
    """Few variables with many edges, most of which want to differ: sweeps leave a gap."""
    rng = np.random.default_rng(seed)
    pairs = np.array(list(itertools.combinations(range(5), 2)))
    edges = rng.permuted(pairs[rng.permutation(len(pairs))[:8]], axis=1)
    table = rng.integers(0, 4, 2 * labels - 1)
    table[labels - 1] = 8
    return rm.Energy(rng.integers(0, 6, (5, labels)), rm.TablePrior(table), edges=edges)


def pull(seed):
    """Strong edges that pull labels together: the first sweep hands over most of the data."""
    unary = np.random.default_rng(seed).integers(0, 10, (2, 3, 3))
    return rm.Energy(unary, rm.TruncatedLinear(1), 6)


def sorted_labellings(energy):
    """All labellings with their energies, the best first."""
    labellings = every_labelling(energy)
    pairs = edge_costs(energy, labellings, tables_of_edges(energy))
    values = unary_costs(energy, labellings) + pairs.sum(axis=1)
    order = np.argsort(values, kind="stable")
    shown = labellings[order].astype(np.int32).reshape(-1, *energy.shape)
    return shown, values[order]


# ---- never above the optimum -----------------------------------------------------------------


@hypothesis.settings(max_examples=400)
@hypothesis.given(data=st.data())
def test_integers_are_proven_to_the_letter(data):
    kind, forbid, features = data.draw(st.tuples(st.sampled_from(KINDS), *[st.booleans()] * 2))
    energy = data.draw(energies(kind, forbid, features=features))
    certificate = random_certificate(np.random.default_rng(data.draw(SEEDS)), energy)
    bound = bound_of(energy, certificate)
    assert bound == math.ceil(proven(energy, certificate))
    assert bound <= best_energy(energy)


@pytest.mark.parametrize("seed", range(60))
def test_every_visit_of_a_forward_pass_is_followed_to_the_letter(seed):
    """All labels of a variable removed: nothing is left but what the pass says of them."""
    rng = np.random.default_rng(seed)
    count, labels, scale = 6, 3, int(rng.choice([1, 8]))
    edges = [rng.permutation(count)[:2] for _ in range(11)]
    prior = rm.TablePrior(rng.integers(-9, 10, 2 * labels - 1))
    energy = rm.Energy(rng.integers(0, 30, (count, labels)), prior, edges=edges)
    order = rng.permutation(count)
    messages, sent = rng.integers(-9, 10, (2, len(edges), labels)) * scale
    to_head = [bool(order[j] < order[i]) for i, j in edges]
    nothing = Certificate(scale, [], [], np.zeros((0, labels), int))
    for s in range(count):
        every = [(s, label) for label in range(labels)]
        step = Step("eliminate", messages, to_head, order=order, eliminated=every, sent=sent)
        steps = (step, Step("leaf", messages, to_head))
        island = Island(np.arange(count), scale, steps)
        certificate = replace(nothing, islands=(island,))
        assert certified_bound(energy, certificate) == proven(energy, certificate)
        assert proven(energy, certificate) <= best_energy(energy)


@hypothesis.settings(max_examples=300)
@hypothesis.given(data=st.data())
def test_real_costs_are_safe_from_rounding(data):
    kind, forbid, features = data.draw(st.tuples(st.sampled_from(KINDS), *[st.booleans()] * 2))
    energy = data.draw(energies(kind, forbid, real=True, features=features))
    rng = np.random.default_rng(data.draw(SEEDS))
    certificate = random_certificate(rng, energy, scales=(0.37, 3, 1000.1))
    bound = bound_of(energy, certificate)
    assert bound <= true_optimum(energy)
    letter = proven(energy, certificate)
    assert bound <= letter
    assert bound == pytest.approx(float(letter), rel=1e-12, abs=1e-12 * size(energy) + 1e-9)


@hypothesis.settings(max_examples=300)
@hypothesis.given(seed=SEEDS)
def test_forbidden_differences(seed):
    rng = np.random.default_rng(seed)
    labels = int(rng.integers(2, 5))
    table = rng.integers(-5, 10, 2 * labels - 1).astype(float)
    table[: int(rng.integers(0, labels))] = np.inf
    table[int(rng.integers(labels, 2 * labels)) :] = np.inf
    if seed % 3 == 0:
        table += 0.3
    unary = rng.integers(0, 9, (2, 3, labels) if labels < 4 else (2, 2, labels))
    energy = rm.Energy(unary, rm.TablePrior(table), int(rng.integers(1, 3)))
    certificate = random_certificate(rng, energy)
    optimum = float(true_optimum(energy))
    bound = bound_of(energy, certificate)
    assert bound <= optimum
    steps = [step for island in certificate.islands for step in island.steps]
    if all(step.kind == "leaf" for step in steps):
        # Labels that go with none are left out, which can only raise a bound.
        assert bound >= float(proven(energy, certificate)) - 1e-9 * size(energy)


def test_a_leaf_knows_which_differences_are_forbidden():
    table = [np.inf, 0.0, np.inf]
    energy = rm.Energy([[[0, 4], [7, 0]]], rm.TablePrior(table))
    assert bound_of(energy, enumerated(energy)) == 4 == best_energy(energy)
    nothing = rm.Energy([[[0, np.inf], [np.inf, 0]]], rm.TablePrior(table))
    assert bound_of(nothing, enumerated(nothing)) == math.inf


@hypothesis.settings(max_examples=200)
@hypothesis.given(data=st.data())
def test_numbers_beyond_64_bits_are_no_danger(data):
    energy = data.draw(energies("any"))
    rng = np.random.default_rng(data.draw(SEEDS))
    certificate = random_certificate(rng, energy)
    factor = 2 ** int(rng.integers(30, 60))
    islands = tuple(
        replace(island, steps=tuple(larger(step, factor) for step in island.steps))
        for island in certificate.islands
    )
    certificate = replace(larger(certificate, factor), islands=islands)
    assert bound_of(energy, certificate) <= best_energy(energy)


def larger(part, factor):
    return replace(part, messages=np.clip(part.messages, -8, 7) * factor)


def test_large_integers_are_exact():
    unary = np.array([[[2**52 - 1, 2**52], [1, 2**50 + 1]]])
    energy = rm.Energy(unary, rm.Linear(), 2**20 + 1)
    assert bound_of(energy, enumerated(energy)) == best_energy(energy) == 2**52
    huge = rm.Energy(unary * 2**6, rm.Linear(), 1)
    assert bound_of(huge, enumerated(huge)) <= 2**58
    assert bound_of(huge, enumerated(huge)) == pytest.approx(2**58)


def test_no_message_is_zeros():
    unary = np.array([[[3, 5], [9, 2]]])
    energy = rm.Energy(unary, rm.TablePrior([4, 1, 4]))
    empty = Certificate(1.0, [], [], np.zeros((0, 2), int))
    # Zeros to the tail: the head gets the least that the edge costs.
    assert bound_of(energy, empty) == 3 + 2 + 1


def test_edges_without_weight_cost_nothing():
    energy = rm.Energy(np.array([[[3, 5], [9, 2]]]), rm.TablePrior([np.inf, 1.0, np.inf]), 0)
    certificate = Certificate(1.0, [0], [True], [[700, -300]])
    assert bound_of(energy, certificate) == 5


def test_costs_that_float64_cannot_add_up_are_refused():
    energy = rm.Energy(np.full((1, 2, 2), 1.5e307), rm.TablePrior([1e300, 0.5, 1e300]), 5e6)
    certificate = Certificate(1e-290, [0], [True], [[2**62, 2**62]])
    with pytest.raises(ValueError, match="sums within float64"):
        bound_of(energy, certificate)


# ---- as high as the optimum, where the certificate is good ------------------------------------


@hypothesis.settings(max_examples=100)
@hypothesis.given(data=st.data())
def test_splits_down_to_single_labels_reach_the_optimum(data):
    kind, forbid, features = data.draw(st.tuples(st.sampled_from(KINDS), *[st.booleans()] * 2))
    energy = data.draw(energies(kind, forbid, most=600, features=features))
    result = with_certificate(
        energy,
        enumerated(energy, scale=2),
        labels=sorted_labellings(energy)[0][0],
        status="optimal",
        lower_bound=best_energy(energy),
    )
    assert rm.testing.check_certificate(energy, result) == result.energy
    assert rm.testing.verify_result(energy, result).optimal


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("real", [False, True])
def test_tables_reach_the_optimum_or_their_cut(seed, real):
    rng = np.random.default_rng(seed)
    energy = knot(seed, labels=int(rng.integers(2, 4)))
    if real:
        unary = energy.unary + rng.random(energy.unary.shape)
        energy = rm.Energy(unary, rm.TablePrior(energy.tables[0]), 0.37, edges=energy.edges)
    part = swept(energy, 64, 2)
    messages, to_head = part.messages(range(len(part.edges)))
    tables = random_tables(rng, energy.num_variables, energy.edges.tolist())

    def of_step(step):
        island = Island(np.arange(energy.num_variables), 64, (step,))
        return Certificate(64, np.zeros(0, int), np.zeros(0, bool), messages[:0], (island,))

    leaf = of_step(Step("leaf", messages, to_head))
    missing = 64 * (true_optimum(energy) - proven(energy, leaf))
    for share in (0, Fraction(1, 2), 1, 2):
        above = math.ceil(missing * share)
        rounds = int(rng.integers(0, 4))
        step = Step("tables", messages, to_head, tables=tables, rounds=rounds, above=above)
        certificate = of_step(step)
        bound = certified_bound(energy, certificate)
        letter = proven(energy, certificate)
        assert bound <= letter <= true_optimum(energy)
        assert float(letter - Fraction(bound)) <= (1e-9 * size(energy) if real else 0)
        assert (true_optimum(energy) == letter) == (above >= missing)


@pytest.mark.parametrize("seed", range(30))
def test_tables_that_leave_out_costs_prove_less_but_nothing_false(seed):
    rng = np.random.default_rng(seed)
    energy = knot(seed)
    part = swept(energy, 64, 2)
    messages, to_head = part.messages(range(len(part.edges)))
    some = [pair for pair in energy.edges.tolist() if rng.random() < 0.6]
    tables = random_tables(rng, energy.num_variables, some)
    for above, rounds in itertools.product((64, 10**4), (0, 2)):
        step = Step("tables", messages, to_head, tables=tables, rounds=rounds, above=above)
        island = Island(np.arange(energy.num_variables), 64, (step,))
        certificate = Certificate(64, np.zeros(0, int), np.zeros(0, bool), messages[:0], (island,))
        bound = certified_bound(energy, certificate)
        assert part.bound() <= bound <= true_optimum(energy)
        assert bound <= part.bound() + Fraction(above, 64)


def test_rounds_move_costs_to_where_tables_bound_more():
    """Five variables that all share costs, and tables of two: each pair is alone with its costs."""
    pairs = list(itertools.combinations(range(5), 2))
    tables = [*sorted(pairs, key=lambda pair: -pair[1]), (0,)]
    raised = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        costs = [Cost(pair, rng.integers(0, 1000, (3, 3))) for pair in pairs]
        joint = sum(
            cost.values.reshape([3 if v in cost.variables else 1 for v in range(5)])
            for cost in costs
        )
        bounds = []
        for rounds in (0, 10):
            search = TableSearch(costs, [3] * 5, tables, rounds, "here")
            assert search.bound <= search.least(10**6) == joint.min()
            bounds.append(search.bound)
        raised += bounds[1] > bounds[0]
    assert raised > 15


def test_good_certificates_close_the_gap_with_all_kinds_of_steps():
    kinds, gaps = set(), 0
    for seed in range(20):
        energy = knot(seed)
        optimum = int(best_energy(energy))
        certificate = good_certificate(energy, range(energy.num_variables), optimum)
        assert bound_of(energy, certificate) == optimum
        gaps += bound_of(energy, replace(certificate, islands=())) < optimum
        kinds |= {step.kind for step in certificate.islands[0].steps}
    assert kinds == {"leaf", "split", "eliminate"}
    assert gaps > 10


@pytest.mark.parametrize("real", [False, True], ids=["integers", "floats"])
def test_an_island_around_a_cycle_with_chains_around_it(real):
    """Messages are exact on the chains; the frustrated cycle is left to the island."""
    rng = np.random.default_rng(5)
    cycle = [(0, 1), (1, 2), (2, 0)]
    chains = [(0, 3), (3, 4), (1, 5), (6, 5)]
    differ = rm.TablePrior([0, 8, 0])
    unary = rng.integers(0, 3, (7, 2)) / (8 if real else 1) + (0.1 if real else 0)
    energy = rm.Energy(unary, differ, edges=cycle + chains)
    optimum = best_energy(energy)
    assert swept(energy, 64, 4).bound() <= optimum - 1
    certificate = good_certificate(energy, [2, 0, 1], Fraction(optimum))
    if not real:
        assert bound_of(energy, certificate) == optimum
    claim = {"labels": sorted_labellings(energy)[0][0], "status": "optimal"}
    verified = rm.testing.verify_result(energy, with_certificate(energy, certificate, **claim))
    assert verified.optimal
    assert verified.lower_bound == pytest.approx(optimum, abs=1e-6)
    alone = replace(certificate, islands=())
    with pytest.raises(ValueError, match="must not be 'optimal'"):
        rm.testing.verify_result(energy, with_certificate(energy, alone, **claim))


# ---- a bound in the middle of a sweep -----------------------------------------------------------


def test_a_running_bound_is_not_believed():
    """Variables count as they were when visited, though they gave away their excess since."""
    false = 0
    for seed in range(10):
        energy = pull(seed)
        optimum, order = best_energy(energy), list(range(6))
        problem, visited = Problem.of(energy, 64), Fraction(0)
        for k, i in enumerate(order):
            visited += problem.least(i)
            problem.visit(i, set(order[:k]), set(order[k + 1 :]), parts=1)
            running = visited + problem.bound(order[k + 1 :])
            messages, to_head = problem.messages(range(len(problem.edges)))
            certificate = Certificate(64, np.arange(len(messages)), to_head, messages)
            assert bound_of(energy, certificate) == math.ceil(problem.bound()) <= optimum
            if running > optimum:
                false += 1
                claim = with_certificate(energy, certificate, lower_bound=float(running))
                with pytest.raises(ValueError, match="lower_bound must be what the certificate"):
                    rm.testing.check_certificate(energy, claim)
    assert false > 5


def test_labels_are_not_eliminated_by_a_running_bound():
    """The trap that once "proved" a false optimum: the bound now, and the excess of before.

    What a label costs more than the best one at a visit has raised the bound since.
    """
    false = 0
    for seed in range(20):
        energy = pull(seed)
        labellings, values = sorted_labellings(energy)
        second = values[values > values[0]][0]
        problem, order = Problem.of(energy, 64), list(range(6))
        messages, to_head = problem.messages(range(len(problem.edges)))
        excess = {}
        for k, i in enumerate(order):
            excess[i] = [value - problem.least(i) for value in problem.belief(i)]
            problem.visit(i, set(order[:k]), set(order[k + 1 :]))
        running = problem.bound()
        removed = [
            (i, lab) for i in order for lab in range(3) if running + excess[i][lab] >= second
        ]
        if not any(labellings[0].flat[i] == label for i, label in removed):
            continue
        false += 1
        sent, _ = problem.messages(range(len(problem.edges)))
        pass_ = {"order": order, "eliminated": removed, "sent": sent}
        eliminate = Step("eliminate", messages, to_head, **pass_)
        kept = [[lab for lab in range(3) if (i, lab) not in removed] for i in order]
        steps = (eliminate, *search(Problem.of(energy, 64), kept, int(second), 4))
        certificate = Certificate(64, [], [], np.zeros((0, 3), int), (Island(order, 64, steps),))
        assert bound_of(energy, certificate) <= values[0]
        claim = {"labels": labellings[values == second][0], "lower_bound": float(second)}
        with pytest.raises(ValueError, match="lower_bound must be what the certificate"):
            rm.testing.check_certificate(energy, with_certificate(energy, certificate, **claim))
    assert false > 3


# ---- broken certificates, and results that say too much -----------------------------------------

ENERGY = rm.Energy(np.random.default_rng(0).integers(0, 9, (3, 3, 4)), rm.TruncatedLinear(2), 2)
EDGES = ENERGY.edges.tolist()
PLACES = np.array([2, 0, 1, 3], np.int32)  # of variables 0, 1, 3 and 4
# The inner edges of 0, 1, 3 and 4, counted within them: down, down, right, right.
INNER = [(0, 2), (1, 3), (0, 1), (2, 3)]
FIRST = [bool(PLACES[j] < PLACES[i]) for i, j in INNER]
MESSAGES = np.arange(16).reshape(4, 4)
LEAF = Step("leaf", MESSAGES, FIRST)
SPLIT = Step("split", split=(1, 2))
SENT = MESSAGES[::-1] - 5
ELIMINATE = Step("eliminate", MESSAGES, FIRST, order=PLACES, eliminated=[(0, 1), (3, 2)], sent=SENT)
STEPS = (ELIMINATE, SPLIT, LEAF, LEAF)
ISLAND = Island([0, 1, 3, 4], 2.0, STEPS)
WHOLE = Certificate(4.0, [0, 7], [True, False], [[1, 2, 3, 4], [0, -9, 5, 0]], (ISLAND,))


def test_the_one_that_is_broken_below_is_whole():
    assert bound_of(ENERGY, WHOLE) == math.ceil(proven(ENERGY, WHOLE)) <= 100
    assert [EDGES[e] for e in (0, 1, 6, 8)] == [[0, 3], [1, 4], [0, 1], [3, 4]]


def island(*steps, **changes):
    return replace(WHOLE, islands=(replace(ISLAND, steps=steps or STEPS, **changes),))


def tables(*numbers, rounds=0, above=100):
    return Step("tables", MESSAGES, FIRST, tables=numbers, rounds=rounds, above=above)


@pytest.mark.parametrize(
    ("certificate", "words"),
    [
        (lambda: None, "must have a certificate; found none"),
        (lambda: replace(WHOLE, edge=[0, 12]), r"must name edges 0 \.\. 11; found 0 \.\. 12"),
        (lambda: replace(WHOLE, edge=[-1, 3]), "must name edges"),
        (lambda: replace(WHOLE, edge=[3, 3]), "each edge at most once"),
        (lambda: replace(WHOLE, messages=np.zeros((2, 5), int)), "must have 4 labels; found 5"),
        (lambda: island(variables=[0, 1, 3, 9]), r"must be 0 \.\. 8; found 0 \.\. 9"),
        (lambda: island(variables=[0, 1, 3, -4]), "found -4"),
        (lambda: island(variables=[0, 1, 3, 3]), "each variable once"),
        (lambda: island(variables=[]), "must have variables"),
        (lambda: replace(WHOLE, islands=(ISLAND, ISLAND)), "must not overlap"),
        (lambda: replace(WHOLE, islands=(replace(ISLAND, steps=()),)), "must be a whole tree"),
        (lambda: island(*STEPS[:-1]), "without its last 1 parts"),
        (lambda: island(ELIMINATE), "without its last 1 parts"),
        (lambda: island(*STEPS, LEAF), "found more after its end"),
        (lambda: island(Step("split", split=(4, 0)), LEAF, LEAF), r"found \(4, 0\)"),
        (lambda: island(Step("split", split=(-1, 0)), LEAF, LEAF), r"found \(-1, 0\)"),
        (lambda: island(Step("split", split=(0, 3)), LEAF, LEAF), r"label 0 \.\. 2; found \(0, 3"),
        (lambda: island(Step("split", split=(0, -1)), LEAF, LEAF), r"found \(0, -1\)"),
        (lambda: island(Step("leaf", MESSAGES[:3], FIRST[:3])), "a row per inner edge"),
        (lambda: island(Step("leaf", MESSAGES[:, :3], FIRST)), "a row per inner edge"),
        (lambda: island(Step("leaf")), r"must have shape \(4, 4\)"),
        (
            lambda: island(replace(ELIMINATE, order=[0, 1, 2, 2]), LEAF),
            "the place of each variable",
        ),
        (lambda: island(replace(ELIMINATE, order=[0, 1, 2]), LEAF), "the place of each variable"),
        (lambda: island(replace(ELIMINATE, order=[1, 2, 3, 4]), LEAF), "the place of each"),
        (lambda: island(replace(ELIMINATE, to_head=[True] * 4), LEAF), "comes first in its order"),
        (lambda: island(replace(ELIMINATE, eliminated=[(4, 0)]), LEAF), r"found \(4, 0\)"),
        (lambda: island(replace(ELIMINATE, eliminated=[(0, 4)]), LEAF), r"found \(0, 4\)"),
        (lambda: island(replace(ELIMINATE, eliminated=[(0, -1)]), LEAF), r"found \(0, -1\)"),
        (lambda: island(tables(2, 0, 4)), r"variables 0 \.\. 3; found \(0, 4\)"),
        (lambda: island(tables(2, -1, 0)), r"found \(-1, 0\)"),
        (lambda: island(tables(2, 0, 0)), "none twice; found 2"),
        (lambda: island(tables(0)), "none twice; found 0"),
        (lambda: island(tables(-3, 0)), "none twice; found -3"),
        (lambda: island(tables(3, 0, 1)), "none twice; found 3"),
        (lambda: island(tables(40, *range(40))), "1 to 30 variables each"),
        (lambda: island(tables(2, 1, 0, 2, 0, 1)), r"taken out before; found \(0, 1\)"),
        (lambda: island(tables(1, 0, 1, 1, 1, 0)), r"taken out before; found \(0,\)"),
        (lambda: island(tables(1, 0, rounds=-1)), "in 0 to 100 rounds; found -1"),
        (lambda: island(tables(1, 0, rounds=101)), "in 0 to 100 rounds; found 101"),
        (lambda: island(tables(2, 1, 0)), r"take out all their variables; found \{1\} left"),
        (lambda: island(replace(tables(1, 0), messages=MESSAGES[:3], to_head=FIRST[:3])), "a row"),
    ],
)
def test_broken_certificates_are_refused(certificate, words):
    with pytest.raises(ValueError, match=words):
        bound_of(ENERGY, certificate())


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: replace(WHOLE, scale=0.0), "finite number above 0; found 0"),
        (lambda: replace(WHOLE, scale=math.nan), "finite number above 0; found nan"),
        (lambda: replace(ISLAND, scale=math.inf), "scale of an island must be"),
        (lambda: replace(WHOLE, edge=[0]), "found 1 and 2"),
        (lambda: replace(WHOLE, to_head=[True]), "found 2 and 1"),
        (lambda: replace(WHOLE, to_head=[1, 0]), "must be bool; found int64"),
        (lambda: replace(WHOLE, messages=[[0.5] * 4] * 2), "must be int64; found float64"),
        (lambda: replace(WHOLE, messages=np.full((2, 4), 2**63, np.uint64)), "must fit int64"),
        (lambda: replace(WHOLE, edge=[0, 2**31]), "must fit int32"),
        (lambda: replace(WHOLE, messages=[1, 2]), "must have 2 axes"),
        (lambda: Step("grow"), "must be one of leaf, eliminate, split, tables; found 'grow'"),
        (lambda: Step("split"), "must go with kind 'split'"),
        (lambda: Step("leaf", split=(0, 0)), "must go with kind 'split'"),
        (lambda: replace(LEAF, to_head=[True]), "found 4 and 1"),
        (lambda: tables(1, 0, above=2**63), "above of a step must fit int64"),
        (lambda: tables(1, 0, rounds=2**63), "rounds of a step must fit int64"),
        (lambda: replace(ELIMINATE, eliminated=[[1, 2, 3]]), "pairs of a variable and a label"),
        (lambda: replace(ELIMINATE, sent=SENT[:3]), "the shape of its messages"),
        (lambda: replace(ELIMINATE, sent=SENT[:, :3]), "the shape of its messages"),
        (lambda: replace(LEAF, sent=SENT[:1]), "only a step 'eliminate' has it"),
    ],
)
def test_what_is_no_certificate_at_all_cannot_be_made(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_a_search_that_would_take_too_much_is_refused(monkeypatch):
    whole = tables(4, 0, 1, 2, 3, 3, 0, 1, 2, 2, 0, 1, 1, 0)
    assert bound_of(ENERGY, island(whole)) <= true_optimum(ENERGY)
    monkeypatch.setattr("rangemoves.testing._tables.MOST_ENTRIES", 100)
    with pytest.raises(ValueError, match="must have 100 entries at most; found 340"):
        bound_of(ENERGY, island(whole))
    monkeypatch.undo()
    monkeypatch.setattr("rangemoves.testing._tables.MOST_CHOICES", 2)
    single = tables(1, 3, 2, 0, 2, 1, 1, 1, 0, above=10**6)
    with pytest.raises(ValueError, match="must leave 2 choices at a time at most; found"):
        bound_of(ENERGY, island(single))
    large = [Cost((0,), np.array([0, 2**60]))] * 3
    with pytest.raises(ValueError, match=r"must have a sum within 2\*\*61"):
        TableSearch(large, [2], [(0,)], 0, "of island 0")


def test_certificates_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        WHOLE.messages[0, 0] = 3
    assert repr(WHOLE) == "Certificate(messages=2, islands=1, steps=4)"


@pytest.mark.parametrize("real", [False, True], ids=["integers", "floats"])
@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"energy": 1.0}, "energy must be that of its labels"),
        ({"energy": math.nan}, "energy must be that of its labels"),
        ({"energy": math.inf}, "energy must be that of its labels"),
        ({"lower_bound": 101.0}, "lower_bound must be what the certificate proves"),
        ({"lower_bound": math.nan}, "lower_bound must be what the certificate proves"),
        ({"status": "optimal"}, "status must not be 'optimal'"),
        ({"labels": np.zeros((3, 2), np.int32)}, r"result.labels must have shape \(3, 3\)"),
        ({"labels": np.full((3, 3), 4, np.int32)}, "result.labels must be between 0 and 3"),
    ],
    ids=str,
)
def test_results_that_say_too_much_are_refused(claims, words, real):
    energy = rm.Energy(ENERGY.unary * 1.1, rm.TruncatedLinear(2), 2) if real else ENERGY
    labels = np.ones((3, 3), np.int32)
    honest = with_certificate(energy, WHOLE, labels)
    assert rm.testing.check_certificate(energy, honest) < energy(labels)
    with pytest.raises(ValueError, match=words):
        rm.testing.check_certificate(energy, replace(honest, **claims))


def test_other_things_are_not_results():
    with pytest.raises(TypeError, match=r"energy must be an rm\.Energy"):
        rm.testing.check_certificate(3, with_certificate(ENERGY, WHOLE))
    with pytest.raises(TypeError, match=r"result must be an rm\.Result"):
        rm.testing.check_certificate(ENERGY, WHOLE)


def test_the_words_of_the_core_become_a_certificate():
    found = {
        "scale": 4.0,
        "edge": WHOLE.edge,
        "to_head": WHOLE.to_head,
        "messages": WHOLE.messages,
        "islands": [
            {
                "variables": ISLAND.variables,
                "scale": 2.0,
                "steps": [
                    {
                        "kind": "eliminate",
                        "messages": ELIMINATE.messages,
                        "to_head": ELIMINATE.to_head,
                        "order": ELIMINATE.order,
                        "eliminated": ELIMINATE.eliminated,
                        "sent": SENT,
                    },
                    {"kind": "split", "split": (1, 2)},
                    {"kind": "leaf", "messages": LEAF.messages, "to_head": LEAF.to_head},
                    {"kind": "leaf", "messages": LEAF.messages, "to_head": LEAF.to_head},
                ],
            }
        ],
    }
    certificate = Certificate.from_core(found)
    assert bound_of(ENERGY, certificate) == bound_of(ENERGY, WHOLE)
    assert [step.kind for step in certificate.islands[0].steps] == [s.kind for s in STEPS]
