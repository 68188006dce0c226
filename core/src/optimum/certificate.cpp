#include "rangemoves/optimum/certificate.hpp"

#include <cmath>

#include "rangemoves/messages/tree_reweighted.hpp"

namespace rangemoves {

Certificate certificate_of(Trws& trws, Control& control) {
  Certificate certificate;
  const Neighbourhood& graph = trws.problem().graph;
  for (std::int32_t i = 0; i < graph.nodes(); ++i) certificate.rank.push_back(graph.rank(i));
  trws.restore(control);
  if (!trws.messages()) return certificate;  // one label: nothing is sent
  certificate.scale = trws.scale();
  std::vector<double> message(static_cast<std::size_t>(trws.problem().labels));
  for (std::int64_t e = 0; e < graph.edges(); ++e) {
    if ((e & 0xfff) == 0) control.poll();
    trws.messages()->read(e, message.data());
    certificate.edges.push_back(e);
    for (const double value : message) certificate.messages.push_back(std::llround(value));
  }
  return certificate;
}

}  // namespace rangemoves
