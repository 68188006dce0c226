"""Faults to put into the code that proves optima, one at a time: a test must notice each.

``old`` stands exactly once in its file. Those of one file stand together, so that going from one to
the next compiles as little as can be; those of the kernels, which compile longest, come last.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutation:
    """A fault: where, instead of what, and what it makes untrue."""

    file: str
    old: str
    new: str
    breaks: str


ELIMINATION = "core/src/optimum/elimination.cpp"
BRANCHES = "core/src/optimum/branch_and_bound.cpp"
REDUCED = "core/src/optimum/reduced_costs.cpp"
BUCKETS = "core/src/optimum/mini_buckets.cpp"
LAYERS = "core/src/optimum/layered_search.cpp"
TABLES = "core/src/optimum/table_search.cpp"
BETTER = "core/src/optimum/better_labels.cpp"
PROOF = "core/src/optimum/proof.cpp"
ISLANDS = "core/include/rangemoves/optimum/islands.hpp"
SLACK = "core/include/rangemoves/optimum/slack.hpp"
LAZY = "core/src/messages/lazy_messages.cpp"
LAZY_HEADER = "core/include/rangemoves/messages/lazy_messages.hpp"
CERTIFY = "core/src/messages/certify.cpp"
KERNEL = "core/src/messages/kernels/lazy.inc"

MUTATIONS = (
    Mutation(
        ELIMINATION,
        "bound_ += least(i) - old;",
        "bound_ += std::max<std::int64_t>(0, least(i) - old);",
        "elimination: a bound kept up during the pass that never falls",
    ),
    Mutation(
        ELIMINATION,
        "others + belief[l] >= cut_",
        "others + belief[l] >= cut_ - 1",
        "elimination: a label one unit below the cut goes",
    ),
    Mutation(
        ELIMINATION,
        "      change(i, back, implied_.data());\n",
        "",
        "elimination: the message back is not the one that is feasible beside what was sent",
    ),
    Mutation(
        ELIMINATION,
        "problem_.message(arc.edge, false)",
        "problem_.message(arc.edge, true)",
        "elimination: messages to later nodes taken for those to earlier ones",
    ),
    Mutation(
        ELIMINATION,
        "std::copy_n(implied(k), labels_, to_later(problem_.arcs(i)[k].edge));",
        "std::fill_n(to_later(problem_.arcs(i)[k].edge), labels_, 0);",
        "elimination: what an edge sent before is not taken off",
    ),
    Mutation(
        BRANCHES,
        "    lowest_ = std::min(lowest_, cut_);\n",
        "",
        "branch and bound: labels that were taken out are not counted in the bound",
    ),
    Mutation(
        BRANCHES,
        "cut_ = result_.value - margin_;",
        "cut_ = result_.value + margin_;",
        "branch and bound: the margin has the wrong sign",
    ),
    Mutation(
        BRANCHES,
        "    cut_ = value - margin_;\n",
        "",
        "branch and bound: a better labelling does not lower the cut",
    ),
    Mutation(
        BRANCHES,
        "if ((l > split.label) != above && allowed_[place(split.node, l)])",
        "if (((l > split.label) != above || l == split.label) && allowed_[place(split.node, l)])",
        "branch and bound: a label is on neither side of a split",
    ),
    Mutation(
        BRANCHES,
        "if ((l > split.label) != above && allowed_[place(split.node, l)])",
        "if ((above ? l < split.label : l > split.label) && allowed_[place(split.node, l)])",
        "branch and bound: a label is on both sides of a split",
    ),
    Mutation(
        BRANCHES,
        "      lowest_ = std::min(lowest_, open_.top()->bound);\n      open_.pop();",
        "      open_.pop();",
        "branch and bound: parts that were cut off are forgotten",
    ),
    Mutation(
        BRANCHES,
        "        problem_.set_messages(before);\n        return found.bound;",
        "        return found.bound;",
        "branch and bound: a bound of messages that are gone",
    ),
    Mutation(
        BRANCHES,
        "      to_write.push_back(node.above);\n      to_write.push_back(node.below);",
        "      to_write.push_back(node.below);\n      to_write.push_back(node.above);",
        "certificate: the upper side of a split is written first",
    ),
    Mutation(
        BRANCHES,
        "      step.eliminated = found.labels;\n",
        "",
        "certificate: eliminated labels are not written down",
    ),
    Mutation(
        BRANCHES,
        "      step.sent = found.sent;\n",
        "      step.sent = step.messages;\n",
        "certificate: what a forward pass sends is not what was sent",
    ),
    Mutation(
        BRANCHES,
        "sum += problem.cost(e, x[static_cast<std::size_t>(e.earlier)],\n"
        "                        x[static_cast<std::size_t>(e.later)]);",
        "sum += problem.cost(e, x[static_cast<std::size_t>(e.later)],\n"
        "                        x[static_cast<std::size_t>(e.earlier)]);",
        "branch and bound: values with the ends of edges exchanged",
    ),
    Mutation(
        BRANCHES,
        "step.above = part.bound - problem_.bound();",
        "step.above = part.bound + 1 - problem_.bound();",
        "certificate: a cut above what a search by tables has shown",
    ),
    Mutation(
        BRANCHES,
        "    part.bound = found.bound;\n",
        "    part.bound = found.bound + 1;\n",
        "branch and bound: a part is worth more than its tables say",
    ),
    Mutation(
        REDUCED,
        "problem_.cost(edge, a, b) - to_earlier[a] - to_later[b]",
        "problem_.cost(edge, a, b) - to_earlier[a] - to_later[a]",
        "tables: what an edge leaves, with the label of the wrong end",
    ),
    Mutation(
        REDUCED,
        "value = std::min(value, most_);",
        "value = std::min(value, most_ - most_ / 4);",
        "tables: costs below the cut are cut off",
    ),
    Mutation(
        BUCKETS,
        "to_b.values[k] = sum - sum / 2 - to_b.values[k];",
        "to_b.values[k] = sum - to_b.values[k];",
        "tables: two of them share more than there is",
    ),
    Mutation(
        BUCKETS,
        "    add(to_b, b);\n",
        "",
        "tables: what one hands to another does not get there",
    ),
    Mutation(
        BUCKETS,
        "      turn(function);\n",
        "      std::swap(function.scope[0], function.scope[1]);\n",
        "tables: costs of an edge with its ends exchanged",
    ),
    Mutation(
        BUCKETS,
        "table.least.push_back(*std::min_element(row, row + own));",
        "table.least.push_back(*std::max_element(row, row + own));",
        "tables: the most instead of the least",
    ),
    Mutation(
        LAYERS,
        "if (excess >= gap_) continue;",
        "if (excess >= gap_ - 1) continue;",
        "layers: what is one unit below the cut is given up",
    ),
    Mutation(
        LAYERS,
        "} else if (excess < layer.excess[state]) {",
        "} else if (excess > layer.excess[state]) {",
        "layers: of two states the dearer one stays",
    ),
    Mutation(
        LAYERS,
        "if (result_.is_complete) result_.bound = result_.value;",
        "result_.bound = result_.value;",
        "layers: what was found is called the best though states were dropped",
    ),
    Mutation(
        LAYERS,
        "        result_.bound = buckets_.bound;\n",
        "",
        "layers: nothing below the cut, though states were dropped",
    ),
    Mutation(
        LAYERS,
        "for (std::size_t k = 0; k < to.size(); ++k) key[k] = row[source[k]];",
        "for (std::size_t k = 1; k < to.size(); ++k) key[k] = row[source[k]];",
        "layers: states that differ in what matters are taken for one",
    ),
    Mutation(
        TABLES,
        "result_.is_closed = found.is_complete || buckets.bound >= cut_;",
        "result_.is_closed = found.is_complete || found.labels;",
        "tables: a search that was narrowed is taken for one to the end",
    ),
    Mutation(
        TABLES,
        "      cut_ = found.value - margin_;\n",
        "      cut_ = found.value - 2 * margin_ - 1;\n",
        "tables: the cut falls below what may be left",
    ),
    Mutation(
        BETTER,
        "return !differ(j) || j > i;",
        "return true;",
        "better labels: edges inside a part are counted twice",
    ),
    Mutation(
        PROOF,
        "    std::int64_t visits = 0;\n    solved_.clear();\n",
        "    std::int64_t visits = 0;\n",
        "proof: islands solved before a sweep are believed after it",
    ),
    Mutation(
        PROOF,
        "    lazy_.mark_all();\n    solved_.clear();\n",
        "    lazy_.mark_all();\n",
        "proof: islands solved before messages were handed back are believed after it",
    ),
    Mutation(
        PROOF,
        "outside += owner[i] < 0 ? map.least[i] : 0;",
        "outside += map.least[i];",
        "proof: variables in islands are counted outside too",
    ),
    Mutation(
        PROOF,
        "sum_up(islands, x, outside * finer_);",
        "sum_up(islands, x, 0);",
        "proof: the variables outside of islands are dropped from the bound",
    ),
    Mutation(
        PROOF,
        "bound / scale + (bound % scale > 0);",
        "bound / scale + 1;",
        "proof: a round's bound that is an integer is rounded up to the next",
    ),
    Mutation(
        PROOF,
        "bound / scale_ + (bound % scale_ > 0)",
        "bound / scale_ + 1",
        "proof: the bound that is handed back is rounded up to the next integer",
    ),
    Mutation(
        PROOF,
        "bound / coarser - (bound % coarser < 0)",
        "bound / coarser + (bound % coarser > 0)",
        "proof: the bound of the finer messages is rounded up for the coarser ones",
    ),
    Mutation(
        PROOF,
        "kept_.push_back({island.nodes, island.unary, island.result.bound});",
        "kept_.push_back({island.nodes, island.unary, island.result.value});",
        "proof: an island's best value taken for its bound in certified bounds",
    ),
    Mutation(
        ISLANDS,
        "if (owner[static_cast<std::size_t>(arc.other)] == me) continue;",
        "if (owner[static_cast<std::size_t>(arc.other)] == me && arc.other > i) continue;",
        "islands: messages inside an island are added to its costs too",
    ),
    Mutation(
        ISLANDS,
        "if (owner[static_cast<std::size_t>(arc.other)] == me) continue;",
        "if (owner[static_cast<std::size_t>(arc.other)] >= 0) continue;",
        "islands: messages between two islands are dropped",
    ),
    Mutation(
        ISLANDS,
        "        message = implied.data();\n",
        "        message = whole.message(arc.edge, true);\n",
        "islands: the kept message to a later node instead of the feasible one",
    ),
    Mutation(
        SLACK,
        "map.slack[there] += paid - paid / 2;",
        "map.slack[there] += paid / 2;",
        "slack: does not add up to the gap",
    ),
    Mutation(
        LAZY_HEADER,
        "        m = out;\n",
        "        m = message(e, true);\n",
        "bounds: the kept message to a later node instead of the feasible one",
    ),
    Mutation(
        LAZY_HEADER,
        "      const Value* m = message(e, false);\n",
        "      const Value* m = message(e, k >= at.before);\n",
        "bounds: messages to later nodes taken for those to earlier ones",
    ),
    Mutation(
        LAZY,
        "unary(to_later ? e.later : e.earlier)",
        "unary(to_later ? e.earlier : e.later)",
        "feasible messages: the labels that are left out at the wrong end",
    ),
    Mutation(
        LAZY,
        "v[l] = theirs[l] < unreachable<Value> ? -given[l] : unreachable<Value>;",
        "v[l] = -given[l];",
        "feasible messages: labels that are left out take part",
    ),
    Mutation(
        LAZY,
        "send(edge, !to_later, v, out, room);",
        "send(edge, to_later, v, out, room);",
        "feasible messages: tables that are not symmetric, the wrong way round",
    ),
    Mutation(
        LAZY,
        "tail < head, problem.weight[e] * scale, e});",
        "true, problem.weight[e] * scale, e});",
        "edges whose tail comes later cost what they would the other way round",
    ),
    Mutation(
        CERTIFY,
        "const double less = belief_[at(l)] - solved[l];",
        "const double less = solved[l] - belief_[at(l)];",
        "certified bounds: rounding of unary costs with the wrong sign",
    ),
    Mutation(
        CERTIFY,
        "least = std::min(least, cost - solved - 4",
        "least = std::min(least, solved - cost - 4",
        "certified bounds: rounding of edges with the wrong sign",
    ),
    Mutation(
        CERTIFY,
        "      if (is_inside(i, n->other)) continue;\n",
        "",
        "certified bounds: edges inside a solved part are counted twice",
    ),
    Mutation(
        KERNEL,
        "t += load(view.message(arcs[k].edge, k < node.before) + at);",
        "t += load(view.message(arcs[k].edge, k >= node.before) + at);",
        "lazy sweeps: a node gathers what it sent instead of what it was sent",
    ),
    Mutation(
        KERNEL,
        "      step += 7;\n",
        "      step += 8;\n",
        "lazy sweeps: the node after eight that sleep is passed over",
    ),
)
