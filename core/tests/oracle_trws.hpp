// TRW-S once more, label by label and node by node, for any graph: what the kernels have to agree
// with to the digit, and what their speed is measured against. In 32 bits, 64, or as many that
// nothing can overflow.
#pragma once

#include <cstdint>
#include <vector>

#include "rangemoves/problem/energy.hpp"

namespace rangemoves {

template <class Value>
class ScalarTrws {
 public:
  ScalarTrws(const Energy& energy, std::int64_t scale);

  // Returns a lower bound of scale * energy.
  std::int64_t sweep(bool forward);

  // After a backward sweep.
  Labelling decode() const;

 private:
  const Energy& energy_;
  std::int64_t scale_;
  int left_ = 0, right_ = 0;  // g is straight beyond -left and beyond right
  std::vector<Value> g_;
  std::vector<Value> messages_;                         // per edge
  std::vector<std::vector<Incidence>> before_, after_;  // of a node, by the other end

  void send(std::int64_t edge, bool from_tail, Value* v, Value* out) const;
};

}  // namespace rangemoves
