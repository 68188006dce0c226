#include "rangemoves/moves/kept_messages.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "rangemoves/messages/messages.hpp"

namespace rangemoves {

void KeptMessages::reserve(Range& range, std::size_t messages) const {
  range.edges.reserve(messages);
  with_steps(range, [&](auto& steps) { steps.reserve(messages * range.each); });
}

void KeptMessages::write(Messages& to, const Range& from, std::size_t k) {
  message_.assign(from.each + 1, 0);
  for (std::size_t s = 0; s < from.each; ++s)
    message_[s + 1] = message_[s] + step(from, k * from.each + s);
  to.write(from.edges[k], message_.data());
}

// Any message is feasible: one with a step that does not fit is kept less steep.
void KeptMessages::add_step(Range& range, double step) const {
  with_steps(range, [step](auto& steps) {
    using Step = typename std::decay_t<decltype(steps)>::value_type;
    constexpr double most = static_cast<double>(std::numeric_limits<Step>::max());
    steps.push_back(static_cast<Step>(std::clamp(step, -most, most)));
  });
}

void KeptMessages::add(Messages& messages, std::int64_t edge, Range& now) {
  message_.resize(now.each + 1);
  messages.read(edge, message_.data());
  now.edges.push_back(static_cast<std::int32_t>(edge));
  for (std::size_t s = 0; s < now.each; ++s) add_step(now, message_[s + 1] - message_[s]);
}

void KeptMessages::replace(int range, Range now) {
  bytes_ -= at(range).bytes();
  if (bytes_ + now.bytes() > most_bytes_) now = {};
  bytes_ += now.bytes();
  at(range) = std::move(now);
}

}  // namespace rangemoves
