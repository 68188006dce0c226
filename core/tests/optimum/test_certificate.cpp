// What the messages of full sweeps prove, computed anew from the energy and the certificate alone.
#include "rangemoves/optimum/certificate.hpp"

#include "check.hpp"
#include "proof_steps.hpp"
#include "rangemoves/messages/tree_reweighted.hpp"

using namespace rangemoves;

namespace {

oracles::OwnedEnergy random_energy(Random& random, std::int64_t seed) {
  const int labels = oracles::between(random, 1, 4);
  Neighbourhood graph = seed % 3 == 0   ? oracles::grid(2, 4)
                        : seed % 3 == 1 ? oracles::random_graph(random, 7, 10)
                                        : oracles::random_graph(random, 7, 3);
  return oracles::random_energy(
      random, std::move(graph),
      {oracles::truncated(labels, 2, 4), oracles::any_table(random, labels)});
}

void proves_its_bound(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const oracles::OwnedEnergy owned = random_energy(random, seed);
  const Energy energy = owned.view();
  Control control;
  Trws trws(energy, {}, control);
  const std::int64_t optimum = oracles::brute_force(energy);
  for (int sweeps = 0; sweeps < 6; ++sweeps) {
    if (sweeps > 0) trws.sweep(control);
    if (seed % 2 == 0) {
      // Sweeps of other costs must leave nothing behind.
      trws.perturb(static_cast<std::uint64_t>(seed), 20, 2, control);
      trws.sweep(control);
    }
    const Certificate certificate = certificate_of(trws, control);
    expect(certificate.islands.empty(), "nothing but messages", seed);
    if (owned.labels > 1)
      expect(static_cast<std::int64_t>(certificate.edges.size()) == owned.graph.edges() &&
                 certificate.scale == trws.scale(),
             "a message per edge", seed);
    const oracles::ProvenBound proven = oracles::proven_bound(owned, certificate);
    expect(proven.bound <= proven.scale * optimum, "no labelling costs less", seed);
    expect(proven.rounded_up() >= trws.lower_bound(), "as much as the sweeps say", seed);
  }
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 1500; ++seed) proves_its_bound(seed);
}
