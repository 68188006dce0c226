#include "rangemoves/moves/kept_messages.hpp"

#include <algorithm>
#include <utility>

#include "rangemoves/messages/messages.hpp"

namespace rangemoves {

void KeptMessages::reserve(Range& range, std::size_t messages) const {
  range.edges.reserve(messages);
  narrow_ ? range.narrow.reserve(messages * range.each) : range.wide.reserve(messages * range.each);
}

void KeptMessages::write(Messages& to, const Range& from, std::size_t k) {
  message_.assign(from.each + 1, 0);
  for (std::size_t s = 0; s < from.each; ++s)
    message_[s + 1] = message_[s] + step(from, k * from.each + s);
  to.write(from.edges[k], message_.data());
}

// Any message is feasible: one with a step that does not fit is kept less steep.
void KeptMessages::add(Messages& messages, std::int64_t edge, Range& now) {
  const double most = narrow_ ? INT16_MAX : INT32_MAX;
  message_.resize(now.each + 1);
  messages.read(edge, message_.data());
  now.edges.push_back(static_cast<std::int32_t>(edge));
  for (std::size_t s = 0; s < now.each; ++s)
    add_step(now,
             static_cast<std::int32_t>(std::clamp(message_[s + 1] - message_[s], -most, most)));
}

void KeptMessages::replace(int range, Range now) {
  bytes_ -= at(range).bytes();
  if (bytes_ + now.bytes() > most_bytes_) now = {};
  bytes_ += now.bytes();
  at(range) = std::move(now);
}

}  // namespace rangemoves
