// How long a sweep takes per edge and label, for every kind of graph, and how much longer than on a
// 4-connected grid. Kinds take turns, and the best of many rounds counts: whatever else the machine
// does comes and goes.
//
//   sweeps [rounds] [labels ...]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rangemoves/messages/backend.hpp"
#include "rangemoves/problem/convex_problem.hpp"
#include "rangemoves/run/random.hpp"

namespace {

using namespace rangemoves;

// Of unary costs and messages together, times labels.
constexpr std::int64_t kMessages = 24 << 20;

struct Edges {
  std::vector<std::int32_t> tail, head;
  void add(std::int64_t i, std::int64_t j) {
    tail.push_back(static_cast<std::int32_t>(i));
    head.push_back(static_cast<std::int32_t>(j));
  }
};

// reach: how many coordinates of two neighbours may differ.
Neighbourhood grid(int depth, int height, int width, int reach) {
  Edges edges;
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        for (int dz = 0; dz <= 1; ++dz)
          for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
              const bool later = dz > 0 || dy > 0 || (dy == 0 && dx > 0);
              if (!later || std::abs(dz) + std::abs(dy) + std::abs(dx) > reach) continue;
              if (z + dz >= depth || y + dy < 0 || y + dy >= height || x + dx < 0 ||
                  x + dx >= width)
                continue;
              edges.add((z * height + y) * width + x,
                        ((z + dz) * height + y + dy) * width + x + dx);
            }
  return Neighbourhood(depth * height * width, edges.tail, edges.head, width);
}

// Points of a square, joined where they are close, about six neighbours each; numbered from one
// side to the other.
Neighbourhood geometric(int nodes) {
  Random random(7);
  const double radius = std::sqrt(6.0 / (3.14159 * nodes));
  std::vector<std::pair<double, double>> points;
  for (int i = 0; i < nodes; ++i) {
    const double y = static_cast<double>(random.below(1 << 30)) / (1 << 30);
    points.emplace_back(y, static_cast<double>(random.below(1 << 30)) / (1 << 30));
  }
  std::sort(points.begin(), points.end());
  Edges edges;
  for (int i = 0; i < nodes; ++i)
    for (int j = i + 1; j < nodes && points[j].first - points[i].first < radius; ++j)
      if (std::hypot(points[j].first - points[i].first, points[j].second - points[i].second) <
          radius)
        edges.add(i, j);
  return Neighbourhood(nodes, edges.tail, edges.head, 256);
}

Table truncated_quadratic(int labels, int threshold) {
  std::vector<std::int64_t> values;
  for (int d = 1 - labels; d < labels; ++d)
    values.push_back(std::min(d * d, threshold * threshold));
  return Table(values);
}

// Straight on beyond the threshold: what a move solves.
Table huber(int labels, int threshold) {
  std::vector<std::int64_t> values;
  for (int d = 1 - labels; d < labels; ++d) {
    const int far = std::abs(d), near = std::min(far, threshold);
    values.push_back(near * near + (far - near) * (2 * near - 1));
  }
  return Table(values);
}

struct Run {
  std::string name;
  std::unique_ptr<Messages> messages;
  double values;  // edges times labels
  double forward = 1e9, backward = 1e9;
};

Run make(const std::string& name, const Neighbourhood& graph, const Table& table, bool wide) {
  Control control;
  Random random(3);
  const int labels = table.labels();
  const auto n = static_cast<std::size_t>(graph.nodes());
  ConvexProblem problem{graph,
                        labels,
                        CostVolume(graph.nodes(), labels, false, control),
                        {},
                        {ConvexTable::of_any(table)},
                        {},
                        std::vector<std::int32_t>(n, 0),
                        std::vector<std::int32_t>(n, labels - 1)};
  for (std::int32_t i = 0; i < graph.nodes(); ++i)
    for (int l = 0; l < labels; ++l)
      problem.unary.set(i, l, static_cast<std::int64_t>(random.below(60)));
  for (std::int64_t e = 0; e < graph.edges(); ++e)
    problem.weight.push_back(1 + static_cast<std::int32_t>(random.below(4)));
  Run run{name, make_messages(problem, {64, wide}, {}, control),
          static_cast<double>(graph.edges()) * labels};
  run.messages->load(problem, control);
  return run;
}

double seconds(Messages& messages, bool forward) {
  Control control;
  const std::clock_t start = std::clock();  // of this process: others may run meanwhile
  messages.sweep(forward, nullptr, control);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
  std::vector<int> all_labels;
  for (int k = 2; k < argc; ++k) all_labels.push_back(std::atoi(argv[k]));
  if (all_labels.empty()) all_labels = {16, 32, 64};
  std::printf("%s\n%-6s %-10s %-5s %-10s %9s %9s %9s %7s\n", chosen_level().name, "labels", "prior",
              "bits", "graph", "forward", "backward", "ns", "ratio");
  for (const int labels : all_labels) {
    // As much memory for every kind, more than a cache holds.
    const auto length = [&](int edges, int plane) {
      return static_cast<int>(kMessages / labels / (1 + edges) / plane);
    };
    const Neighbourhood four = grid(1, length(2, 320), 320, 1),
                        eight = grid(1, length(4, 320), 320, 2),
                        six = grid(length(3, 64 * 96), 64, 96, 1),
                        all = grid(length(13, 64 * 96), 64, 96, 3), any = geometric(length(3, 1));
    for (const bool wide : {false, true})
      for (const bool convex : {false, true}) {
        const Table table = convex ? huber(labels, 3) : truncated_quadratic(labels, 3);
        std::vector<Run> runs;
        runs.push_back(make("4-grid", four, table, wide));
        runs.push_back(make("8-grid", eight, table, wide));
        runs.push_back(make("3-D 6", six, table, wide));
        runs.push_back(make("3-D 26", all, table, wide));
        runs.push_back(make("geometric", any, table, wide));
        for (int k = 0; k < rounds; ++k)
          for (Run& run : runs) {
            run.forward = std::min(run.forward, seconds(*run.messages, true));
            run.backward = std::min(run.backward, seconds(*run.messages, false));
          }
        const auto ns = [](const Run& run) {
          return 1e9 * (run.forward + run.backward) / (2 * run.values);
        };
        for (const Run& run : runs)
          std::printf("%-6d %-10s %-5d %-10s %9.3f %9.3f %9.3f %7.2f\n", labels,
                      convex ? "convex" : "truncated", wide ? 64 : 32, run.name.c_str(),
                      1e9 * run.forward / run.values, 1e9 * run.backward / run.values, ns(run),
                      ns(run) / ns(runs.front()));
      }
  }
}
