// What proves a bound, for somebody who trusts nothing but the definition of the energy: messages
// on the whole problem, and for some parts of it a tree of smaller problems, each with messages of
// its own.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace rangemoves {

// One step of a tree, which is written down root first: a split is followed by the steps of its
// lower part, then by those of its upper part; an elimination by those of what is left.
struct ProofStep {
  enum class Kind { leaf, eliminate, split, tables };
  Kind kind = Kind::leaf;
  // Of all but a split: to the earlier node of every edge of the island, by edge and label.
  std::vector<std::int64_t> messages;
  std::vector<std::pair<std::int32_t, std::int32_t>> eliminated;  // variables, labels
  // Of an elimination: what its forward pass sent to the later node of every edge.
  std::vector<std::int64_t> sent;
  std::int32_t variable = 0, label = 0;  // of a split: labels up to this one, labels above it
  // Of a search by tables: which tables, and their rounds, as in TableResult. Every labelling costs
  // at least `above` more than what the messages prove.
  std::vector<std::int32_t> tables;
  std::int32_t rounds = 0;
  std::int64_t above = 0;
};

struct IslandProof {
  std::vector<std::int32_t> variables;  // of the whole problem, in the order of sweeps
  std::vector<std::int64_t> edges;  // of the whole problem: those inside, in the order of messages
  std::int64_t scale = 1;           // what costs were multiplied by to be in units of messages
  std::vector<ProofStep> steps;
};

struct Certificate {
  std::vector<std::int32_t> rank;  // of every variable in the order of sweeps
  std::int64_t scale = 1;
  std::vector<std::int64_t> edges;     // of the whole problem, in the order of messages
  std::vector<std::int64_t> messages;  // to the earlier node of each, by edge and label
  std::vector<IslandProof> islands;
};

class Trws;
class Control;

// What the messages of full sweeps prove, after a backward one.
Certificate certificate_of(Trws& trws, Control& control);

}  // namespace rangemoves
