// Where messages live and who sweeps: a table of backends, of which the settings pick one by name.
// A backend joins with one row in backend.cpp and the functions below; engine, sweeps on the prior
// and coarse start all ask here and know no other way to messages.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "rangemoves/messages/messages.hpp"
#include "rangemoves/problem/limits.hpp"
#include "rangemoves/run/settings.hpp"

namespace rangemoves {

struct Backend {
  const char* name;
  bool (*is_there)();  // whether this machine has what it needs
  // Messages for problems over the graph and labels of this one, in 32 and in 64 bits. Costs are
  // multiplied by `scale`, which limits.hpp has chosen so that everything fits.
  std::unique_ptr<MessagesOf<std::int32_t>> (*make_narrow)(const ConvexProblem& problem,
                                                           std::int64_t scale, int threads,
                                                           Control& control);
  std::unique_ptr<MessagesOf<std::int64_t>> (*make_wide)(const ConvexProblem& problem,
                                                         std::int64_t scale, int threads,
                                                         Control& control);
  // Bytes of this machine's memory that they would take.
  std::int64_t (*bytes)(const Neighbourhood& graph, int labels, bool wide);

  template <class Value>
  std::unique_ptr<MessagesOf<Value>> make(const ConvexProblem& problem, std::int64_t scale,
                                          int threads, Control& control) const {
    if constexpr (sizeof(Value) == 4)
      return make_narrow(problem, scale, threads, control);
    else
      return make_wide(problem, scale, threads, control);
  }
};

// The asked-for device is not there, or failed.
struct BackendError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Of those that this machine has what they need for.
std::vector<std::string> backend_names();

// Throws BackendError where there is none of that name, or not on this machine.
const Backend& find_backend(const std::string& name);

// Messages of the backend and type that were chosen.
std::unique_ptr<Messages> make_messages(const ConvexProblem& problem, const MessagePlan& plan,
                                        const EngineOptions& options, Control& control);

}  // namespace rangemoves
