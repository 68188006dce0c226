"""Certificates for tests, by plain Python, and what they prove by the letter of the rules.

Nothing here is fast. ``Problem`` follows the rules one step after the other, in fractions, with
every bound summed up anew; the checker of the library must agree with it. The writers at the end
make certificates: at random, which are all valid, or good ones by sweeps, splits and eliminations.
"""

import itertools
import math
from fractions import Fraction

import numpy as np

from rangemoves.certificate import Certificate, Island, Step

INF = math.inf


def exact(value):
    return INF if math.isinf(value) else Fraction(value)


class Problem:
    """Some variables of an energy with the edges among them, and what is stored on each edge."""

    def __init__(self, unary, edges, costs, scale):
        self.unary = [list(row) for row in unary]  # without any edge
        self.edges = edges  # pairs of variables
        # Per edge, by the labels of its tail (rows) and its head (columns); None without a weight.
        self.costs = costs
        self.scale = scale
        self.labels = len(self.unary[0])
        self.allowed = [
            [label for label in range(self.labels) if row[label] < INF] for row in self.unary
        ]
        self.stored = [(i, [Fraction(0)] * self.labels) for i, _ in edges]

    @classmethod
    def of(cls, energy, scale):
        count = energy.num_variables
        unary = [[exact(c) for c in row] for row in energy.unary.reshape(count, -1).tolist()]
        edges, costs = [], []
        kinds = energy.table_index if energy.table_index.size else np.zeros(energy.num_edges, int)
        at = np.arange(energy.num_labels)
        for (i, j), weight, kind in zip(
            energy.edges.tolist(), energy.weights.tolist(), kinds, strict=True
        ):
            table = energy.tables[kind][energy.num_labels - 1 + at[:, None] - at].tolist()
            rows = [[exact(g) * Fraction(weight) for g in row] for row in table] if weight else None
            edges.append((i, j))
            costs.append(rows)
        return cls(unary, edges, costs, scale)

    def part(self, variables, scale):
        """An island: what edges to others leave its variables, and the edges among them."""
        inner = self.inner_edges(variables)
        place = {variable: k for k, variable in enumerate(variables)}
        unary = [self.belief(i, [e for e in self.edges_at(i) if e not in inner]) for i in variables]
        edges = [(place[self.edges[e][0]], place[self.edges[e][1]]) for e in inner]
        return Problem(unary, edges, [self.costs[e] for e in inner], scale)

    def inner_edges(self, variables):
        return [
            e
            for e, ends in enumerate(self.edges)
            if set(ends) <= set(variables) and self.costs[e] is not None
        ]

    def restricted(self, allowed):
        """The same problem with fewer labels and nothing stored yet."""
        other = Problem(self.unary, self.edges, self.costs, self.scale)
        other.allowed = [list(labels) for labels in allowed]
        return other

    def edges_at(self, i):
        return [e for e, ends in enumerate(self.edges) if i in ends and self.costs[e] is not None]

    def cost(self, e, i, a, b):
        """Of edge e with label a of its end i and label b of the other."""
        return self.costs[e][a][b] if self.edges[e][0] == i else self.costs[e][b][a]

    def other(self, e, i):
        tail, head = self.edges[e]
        return head if tail == i else tail

    def store(self, e, to, vector):
        self.stored[e] = (to, [Fraction(value) for value in vector])

    def vector(self, e, i):
        """What edge e makes the labels of its end i cost."""
        to, stored = self.stored[e]
        if to == i:
            return stored
        return [
            min((self.cost(e, to, a, b) - stored[a] for a in self.allowed[to]), default=INF)
            for b in range(self.labels)
        ]

    def belief(self, i, edges=None):
        edges = self.edges_at(i) if edges is None else edges
        vectors = [self.unary[i], *(self.vector(e, i) for e in edges)]
        return [sum(values) for values in zip(*vectors, strict=True)]

    def least(self, i):
        belief = self.belief(i)
        return min((belief[label] for label in self.allowed[i]), default=INF)

    def bound(self, variables=None):
        variables = range(len(self.unary)) if variables is None else variables
        return sum((self.least(i) for i in variables), Fraction(0))

    def visit(self, i, before, after, parts=None):
        """Send on from i to neighbours ``after``; returns what each label of i costs at least.

        Each gets a part of what labels cost more than the best one; by default they share it.
        """
        belief, least = self.belief(i), self.least(i)
        bound = self.bound()
        labels = {label: bound - least + belief[label] for label in self.allowed[i]}
        edges = self.edges_at(i)
        sends = [e for e in edges if self.other(e, i) in after]
        gets = [e for e in edges if self.other(e, i) in before]
        parts = parts or max(1, len(sends), len(gets))
        share = {
            label: Fraction(math.floor((belief[label] - least) * self.scale / parts)) / self.scale
            for label in self.allowed[i]
            if belief[label] < INF
        }
        vectors = {}
        for e in sends:
            to_i = self.vector(e, i)
            vectors[e] = [
                min((share[a] - to_i[a] + self.cost(e, i, a, b) for a in share), default=0)
                for b in range(self.labels)
            ]
        for e, vector in vectors.items():
            # Where nothing goes with a label any number will do.
            self.store(e, self.other(e, i), [0 if v == INF else v for v in vector])
        return labels

    def sweep(self, order):
        """Visit all variables in an order; returns what each label costs at least."""
        found = {}
        for k, i in enumerate(order):
            found[i] = self.visit(i, set(order[:k]), set(order[k + 1 :]))
        return found

    def follow(self, order, sent):
        """As ``sweep``, but what edges store after the visit of their first end is given."""
        found = {}
        for k, i in enumerate(order):
            bound, least, belief = self.bound(), self.least(i), self.belief(i)
            found[i] = {label: bound - least + belief[label] for label in self.allowed[i]}
            for e in self.edges_at(i):
                if self.other(e, i) in order[k + 1 :]:
                    self.store(e, self.other(e, i), sent[e])
        return found

    def messages(self, edges):
        """What is stored on edges, in integers, and whether it is addressed to their heads."""
        rows = [[round(value * self.scale) for value in self.stored[e][1]] for e in edges]
        to_head = [self.stored[e][0] == self.edges[e][1] for e in edges]
        return np.array(rows, np.int64).reshape(-1, self.labels), np.array(to_head, bool)


# ---- what a certificate proves ---------------------------------------------------------------


def proven(energy, certificate):
    """The bound of a certificate by the letter."""
    whole = Problem.of(energy, certificate.scale)
    take(whole, certificate.edge.tolist(), certificate.to_head, certificate.messages)
    inside = {i for island in certificate.islands for i in island.variables.tolist()}
    bound = whole.bound(set(range(energy.num_variables)) - inside)
    for island in certificate.islands:
        part = whole.part(island.variables.tolist(), island.scale)
        bound += tree_bound(part, list(island.steps), part.allowed)
    return bound


def take(problem, edges, to_head, messages):
    """Store the messages of a certificate, as the floats that they are for float costs."""
    for e, head, row in zip(edges, to_head.tolist(), messages.tolist(), strict=True):
        problem.store(e, problem.edges[e][1 if head else 0], in_units(row, problem.scale))


def in_units(row, scale):
    if float(scale).is_integer():
        return [Fraction(m, int(scale)) for m in row]
    return [Fraction(float(m) / scale) for m in row]


def tree_bound(island, steps, allowed):
    step = steps.pop(0)
    if step.kind == "split":
        i, k = step.split
        low, high = ([list(labels) for labels in allowed] for _ in range(2))
        low[i] = [label for label in allowed[i] if label <= k]
        high[i] = [label for label in allowed[i] if label > k]
        return min(tree_bound(island, steps, low), tree_bound(island, steps, high))
    problem = island.restricted(allowed)
    take(problem, range(len(problem.edges)), step.to_head, step.messages)
    if step.kind == "leaf":
        return problem.bound()
    if step.kind == "tables":
        return with_tables(problem, step)
    sent = [in_units(row, problem.scale) for row in step.sent.tolist()]
    found = problem.follow(np.argsort(step.order).tolist(), sent)
    removed = [(i, label) for i, label in step.eliminated.tolist() if label in allowed[i]]
    bounds = [found[i][label] for i, label in removed]
    rest = [
        [label for label in labels if (i, label) not in removed] for i, labels in enumerate(allowed)
    ]
    return min([*bounds, tree_bound(island, steps, rest)])


def with_tables(problem, step):
    """What a search that goes through all labellings finds, where tables leave out no cost."""
    base = problem.bound()
    cut = Fraction(step.above) / Fraction(problem.scale)
    if base == INF or cut <= 0:
        return base
    edges = [e for e, costs in enumerate(problem.costs) if costs is not None]
    least = INF
    for x in itertools.product(*problem.allowed):
        values = [row[label] for row, label in zip(problem.unary, x, strict=True)]
        values += [problem.costs[e][x[problem.edges[e][0]]][x[problem.edges[e][1]]] for e in edges]
        least = min(least, sum(values))
    return min(base + cut, least)


# ---- writers ---------------------------------------------------------------------------------


def random_certificate(rng, energy, scales=(1, 4, 64)):
    """Messages, islands and trees without any sense: valid, whatever they are."""
    size = float(rng.choice([1, 10, 100]))
    scale = float(rng.choice(scales))
    edges = np.flatnonzero(rng.random(energy.num_edges) < rng.choice([0, 0.5, 1]))
    islands, free = [], rng.permutation(energy.num_variables).tolist()
    for _ in range(int(rng.integers(0, 3))):
        variables = [free.pop() for _ in range(min(len(free), int(rng.integers(1, 5))))]
        if variables:
            own = float(rng.choice(scales))
            steps = random_steps(rng, energy, variables, own, size, int(rng.integers(0, 4)))
            islands.append(Island(variables, own, tuple(steps)))
    return Certificate(
        scale=scale,
        edge=edges,
        to_head=rng.random(len(edges)) < 0.5,
        messages=random_messages(rng, energy, len(edges), scale * size),
        islands=tuple(islands),
    )


def random_messages(rng, energy, rows, size):
    return rng.integers(-size, size + 1, (rows, energy.num_labels))


def random_steps(rng, energy, variables, scale, size, depth):
    edges = Problem.of(energy, 1).inner_edges(variables)
    messages = random_messages(rng, energy, len(edges), scale * size)
    count, labels = len(variables), energy.num_labels
    kind = rng.choice(["leaf", "split", "eliminate", "tables"] if depth else ["leaf", "tables"])
    if kind == "leaf":
        return [Step("leaf", messages, rng.random(len(edges)) < 0.5)]
    if kind == "tables":
        place = {variable: k for k, variable in enumerate(variables)}
        pairs = [(place[i], place[j]) for i, j in energy.edges[edges].tolist()]
        tables = random_tables(rng, count, pairs)
        above = int(rng.integers(-1, 10 * scale * size))
        return [Step(kind, messages, rng.random(len(edges)) < 0.5, tables=tables, above=above)]
    if kind == "split" and labels > 1:
        split = (int(rng.integers(0, count)), int(rng.integers(0, labels - 1)))
        below = [random_steps(rng, energy, variables, scale, size, depth - 1) for _ in range(2)]
        return [Step("split", split=split), *below[0], *below[1]]
    place = dict(zip(variables, rng.permutation(count).tolist(), strict=True))
    ends = energy.edges[edges].tolist()
    step = Step(
        "eliminate",
        messages,
        np.array([place[j] < place[i] for i, j in ends], bool),
        order=[place[i] for i in variables],
        eliminated=np.argwhere(rng.random((count, labels)) < 0.3),
        sent=random_messages(rng, energy, len(edges), scale * size),
    )
    return [step, *random_steps(rng, energy, variables, scale, size, depth - 1)]


def random_tables(rng, count, pairs):
    """Tables that take out all variables in some order and leave out no cost."""
    waiting = [{i} for i in range(count)] + [set(pair) for pair in pairs]
    tables = []
    for variable in rng.permutation(count).tolist():
        mine = [scope for scope in waiting if variable in scope]
        waiting = [scope for scope in waiting if variable not in scope]
        groups = []
        for k in rng.integers(0, rng.integers(1, len(mine) + 1), len(mine)).tolist():
            groups += [set() for _ in range(k + 1 - len(groups))]
            groups[k] |= mine.pop()
        for group in groups:
            if group:
                others = rng.permutation(sorted(group - {variable})).tolist()
                tables += [len(group), *others, variable]
                waiting.append(set(others))
    return np.array(tables, np.int32)


def swept(energy, scale, sweeps, order=None):
    """The whole problem after sweeps there and back: messages go to who comes first."""
    problem = Problem.of(energy, scale)
    order = list(range(energy.num_variables)) if order is None else order
    for _ in range(sweeps):
        problem.sweep(order)
        problem.sweep(order[::-1])
    return problem


def good_certificate(energy, variables, optimum, sweeps=4, scale=64):
    """Sweeps over the whole, and an island that is searched until nothing is below ``optimum``."""
    whole = swept(energy, scale, sweeps)
    messages, to_head = whole.messages(range(len(whole.edges)))
    part = whole.part(variables, scale)
    outside = whole.bound(set(range(energy.num_variables)) - set(variables))
    steps = search(part, part.allowed, optimum - outside, sweeps)
    island = Island(variables, scale, tuple(steps))
    return Certificate(scale, np.arange(len(messages)), to_head, messages, (island,))


def search(island, allowed, goal, sweeps):
    """Branch and bound: remove what costs too much, split what is left, until messages suffice."""
    problem = island.restricted(allowed)
    order = list(range(len(allowed)))
    for _ in range(sweeps):
        problem.sweep(order)
        problem.sweep(order[::-1])
    messages, to_head = problem.messages(range(len(problem.edges)))
    if problem.bound() >= goal or all(len(labels) <= 1 for labels in allowed):
        return [Step("leaf", messages, to_head)]
    found = problem.sweep(order)
    removed = [(i, label) for i in order for label, bound in found[i].items() if bound >= goal]
    if removed:
        rest = [
            [label for label in labels if (i, label) not in removed]
            for i, labels in enumerate(allowed)
        ]
        sent, _ = problem.messages(range(len(problem.edges)))
        step = Step("eliminate", messages, to_head, order=order, eliminated=removed, sent=sent)
        return [step, *search(island, rest, goal, sweeps)]
    i = max(order, key=lambda i: len(allowed[i]))
    k = allowed[i][len(allowed[i]) // 2 - 1]
    low, high = ([list(labels) for labels in allowed] for _ in range(2))
    low[i] = [label for label in allowed[i] if label <= k]
    high[i] = [label for label in allowed[i] if label > k]
    halves = [search(island, part, goal, sweeps) for part in (low, high)]
    return [Step("split", split=(i, k)), *halves[0], *halves[1]]


def enumerated(energy, scale=1):
    """All variables one island, split down to single labels: exact without a single message."""
    part = Problem.of(energy, scale)
    count = energy.num_variables
    rows = len(part.inner_edges(range(count)))
    leaf = Step("leaf", np.zeros((rows, energy.num_labels), np.int64), np.zeros(rows, bool))

    def steps(variable, low, high):
        if low == high:
            variable, low, high = variable + 1, 0, energy.num_labels - 1
        if variable == count:
            return [leaf]
        if low == high:
            return steps(variable, low, high)
        split = Step("split", split=(variable, low))
        return [split, *steps(variable, low, low), *steps(variable, low + 1, high)]

    island = Island(np.arange(count), scale, tuple(steps(0, 0, energy.num_labels - 1)))
    empty = np.zeros((0, energy.num_labels), np.int64)
    return Certificate(scale, np.zeros(0, np.int32), np.zeros(0, bool), empty, (island,))
