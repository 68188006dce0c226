#include "rangemoves/messages/backend.hpp"

namespace rangemoves {

extern const Backend cpu_backend;

namespace {
const Backend* const backends[] = {&cpu_backend};
}  // namespace

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const Backend* backend : backends)
    if (backend->is_there()) names.emplace_back(backend->name);
  return names;
}

const Backend& find_backend(const std::string& name) {
  std::string known;
  for (const Backend* backend : backends) {
    if (name == backend->name) {
      if (backend->is_there()) return *backend;
      throw BackendError("backend " + name + " is not there on this machine; use cpu");
    }
    known += (known.empty() ? "" : ", ") + std::string(backend->name);
  }
  throw BackendError("backend must be one of " + known + "; found " + name);
}

std::unique_ptr<Messages> make_messages(const ConvexProblem& problem, const MessagePlan& plan,
                                        const EngineOptions& options, Control& control) {
  const Backend& backend = find_backend(options.backend);
  if (plan.wide) return backend.make_wide(problem, plan.scale, options.threads, control);
  return backend.make_narrow(problem, plan.scale, options.threads, control);
}

}  // namespace rangemoves
