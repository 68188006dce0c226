#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "rangemoves/messages/storage.hpp"
#include "rangemoves/run/aligned.hpp"
#include "rangemoves/run/pipeline.hpp"

namespace rangemoves {

namespace {

// A grid cut into strips of as many rows as there are lanes, and these put together to chains; see
// StencilView.
struct StencilGrid {
  std::int32_t depth, height, width, lanes;
  std::int32_t count;  // of offsets
  const StencilOffset* offsets;
  std::int32_t skew, chain, chains, steps;
  std::int64_t cells;

  StencilGrid(const Topology& grid, std::int32_t lanes_of_vector, int threads)
      : depth(grid.depth), height(grid.height), width(grid.width), lanes(lanes_of_vector) {
    using Kind = Topology::Kind;
    const Kind kind = grid.kind;
    count = kind == Kind::grid4 ? 2 : kind == Kind::grid6 ? 3 : kind == Kind::grid8 ? 4 : 13;
    offsets = kind == Kind::grid4   ? kStencil4
              : kind == Kind::grid6 ? kStencil6
              : kind == Kind::grid8 ? kStencil8
                                    : kStencil26;
    skew = kind == Kind::grid4 || kind == Kind::grid6 ? 1 : 2;
    const std::int32_t strips = (height + lanes - 1) / lanes;
    // The first lane of a strip must come after the last lane of the one before, and a column more.
    // Threads share a plane strip by strip, a volume slice by slice.
    const bool may_chain = width >= skew * lanes && (threads == 1 || depth >= 2 * threads);
    chain = may_chain ? strips : 1;
    chains = strips / chain;
    steps = chain * width + skew * (lanes - 1);
    cells = std::int64_t{depth} * chains * steps;
  }

  struct Slot {
    std::int64_t cell;
    std::int32_t lane;
  };
  Slot slot(std::int32_t rank) const {
    const std::int32_t x = rank % width, y = rank / width % height, z = rank / width / height;
    const std::int32_t lane = y % lanes, strip = y / lanes;
    return {(std::int64_t{z} * chains + strip / chain) * steps + strip % chain * width + x +
                skew * lane,
            lane};
  }

  // Which offset leads from one node to a later one.
  std::int32_t offset(std::int32_t from, std::int32_t to) const {
    const std::int32_t dx = to % width - from % width,
                       dy = to / width % height - from / width % height,
                       dz = to / width / height - from / width / height;
    const std::int32_t place = (dz * 3 + dy) * 3 + dx - 1;  // among all 13
    if (count > 3) return place;
    return place == 0 ? 0 : place == 2 ? 1 : 2;
  }
};

// Of an offset: its table, and whether its edges run from the earlier node to the later.
struct Orientation {
  std::int32_t table = -1;
  bool tail_first = true;
};
using Orientations = std::array<Orientation, kMostOffsets>;

// False where edges of the same offset differ.
bool orient(const ConvexProblem& problem, Orientations& found) {
  const Neighbourhood& graph = problem.graph;
  const StencilGrid grid(graph.topology(), 1, 1);
  std::vector<std::uint8_t> symmetric, used(problem.tables.size(), 0);
  for (const ConvexTable& table : problem.tables) symmetric.push_back(is_symmetric(table));
  found = {};
  for (std::int64_t e = 0; e < graph.edges(); ++e) {
    const std::int32_t a = graph.rank(graph.tail(e)), b = graph.rank(graph.head(e));
    Orientation& offset =
        found[static_cast<std::size_t>(grid.offset(std::min(a, b), std::max(a, b)))];
    const std::int32_t table = problem.table_of_edge.empty() ? 0 : problem.table_of_edge[e];
    if (offset.table < 0) {
      offset = {table, a < b};
      used[static_cast<std::size_t>(table)] = 1;
    }
    if (offset.table != table) return false;
    if (offset.tail_first != (a < b) && !symmetric[static_cast<std::size_t>(table)]) return false;
  }
  // Tables that no edge uses yet are for later moves, in which edges of one offset may differ: then
  // this layout would not do, and messages would be lost on the way to another.
  return problem.tables.size() == 1 ||
         std::all_of(used.begin(), used.end(), [](std::uint8_t is) { return is != 0; });
}

template <class Value>
class StencilMessages : public StoredMessages<Value> {
 public:
  StencilMessages(const ConvexProblem& problem, std::int64_t scale, int threads, Control& control)
      : StoredMessages<Value>(problem),
        scale_(scale),
        kernels_(chosen_level().of<Value>()),
        threads_(useful_threads(threads, static_cast<std::int64_t>(graph_.nodes()) * labels_)),
        grid_(graph_.topology(), kernels_.lanes, threads_),
        lanes_(kernels_.lanes),
        unary_(static_cast<std::size_t>(grid_.cells * labels_ * lanes_), &control),
        messages_(unary_.size() * static_cast<std::size_t>(grid_.count), &control),
        weight_(static_cast<std::size_t>(grid_.cells * grid_.count * lanes_), &control),
        has_(static_cast<std::size_t>(grid_.cells * grid_.count), 0),
        edge_(weight_.size(), -1),
        takes_part_(static_cast<std::size_t>(grid_.cells), 0) {
    for (int t = 0; t < threads_; ++t)
      scratch_.emplace_back(static_cast<std::size_t>(wavefront_scratch_size(labels_, lanes_)));
    for (std::int64_t e = 0; e < graph_.edges(); ++e) {
      const Place at = place(e);
      edge_[static_cast<std::size_t>(at.block * lanes_ + at.lane)] = static_cast<std::int32_t>(e);
    }
    if (!graph_.keeps_order()) {
      node_at_.reserve(static_cast<std::size_t>(graph_.nodes()));
      for (std::int32_t r = 0; r < graph_.nodes(); ++r) node_at_.push_back(graph_.at_rank(r));
    }
    lay_out_rows();
  }

  bool accepts(const ConvexProblem& problem) const override {
    Orientations orientations;
    return orient(problem, orientations);
  }

  void load(const ConvexProblem& problem, const UnaryRows& given, Control& control) override {
    const UnaryRows unary_of = this->rows_or_own(problem, given);
    this->changed_.resize(static_cast<std::size_t>(graph_.nodes()));
    load_shapes(problem);
    std::fill(takes_part_.begin(), takes_part_.end(), 0);
    for (std::int32_t i = 0; i < graph_.nodes(); ++i) {
      if ((i & 0xff) == 0) control.poll();
      const auto [cell, lane] = grid_.slot(graph_.rank(i));
      Value* unary = unary_.data() + cell * labels_ * lanes_ + lane;
      Value other = 0;
      if (problem.takes_part(i)) {
        takes_part_[cell] |= LaneBits{1} << lane;
        scaled_unary<Value>(unary_of(i), labels_, scale_, [&](int l, Value cost) {
          other |= unary[l * lanes_] ^ cost;
          unary[l * lanes_] = cost;
        });
      } else {
        for (int l = 0; l < labels_; ++l) unary[l * lanes_] = 0;
      }
      this->changed_[i] = other != 0;
    }
    std::fill(has_.begin(), has_.end(), 0);
    for (std::int64_t e = 0; e < graph_.edges(); ++e) {
      if ((e & 0xfff) == 0) control.poll();
      const Value w = static_cast<Value>(problem.weight[e] * scale_);
      const Place at = place(e);
      Value& weight = weight_[static_cast<std::size_t>(at.block * lanes_ + at.lane)];
      if (w > 0) has_[static_cast<std::size_t>(at.block)] |= LaneBits{1} << at.lane;
      if (w == weight) continue;
      weight = w;
      Value* message = vector_of(at);
      for (int l = 0; l < labels_; ++l) message[l * lanes_] = 0;
    }
  }

  std::int64_t sweep(bool forward, const BandNote* note, Control& control) override {
    const StencilView<Value> view = this->view();
    return walk(
        forward, control, [&](std::int32_t row, std::int32_t first, std::int32_t last, int thread) {
          return kernels_.stencil(view, row, first, last, forward, note, scratch_[thread].data());
        });
  }

  std::int64_t decode(const ConvexProblem& problem, Labelling& x, Control& control) override {
    Orientations orientations;
    orient(problem, orientations);
    const std::int32_t far = labels_ - 1;
    std::vector<std::vector<Value>> tables;
    std::vector<const Value*> middles;
    for (std::int32_t o = 0; o < grid_.count; ++o) {
      const auto [table, tail_first] = orientations[static_cast<std::size_t>(o)];
      const Table& h = problem.tables[static_cast<std::size_t>(std::max(0, table))].h;
      tables.emplace_back();
      for (std::int32_t d = -far; d <= far; ++d)
        tables.back().push_back(static_cast<Value>(h(tail_first ? d : -d)));
      middles.push_back(tables.back().data() + far);
    }
    const StencilView<Value> view = this->view();
    return walk(true, control,
                [&](std::int32_t row, std::int32_t first, std::int32_t last, int thread) {
                  return kernels_.stencil_decode(view, row, first, last, middles.data(), x.data(),
                                                 scratch_[thread].data());
                });
  }

  void for_each_tight(const ConvexProblem&, const std::uint8_t* chosen,
                      const typename EdgeAccess<Value>::Visit& visit) override {
    AlignedArray<Value> room(this->room_for(labels_, lanes_));
    for (std::int64_t block = 0; block < grid_.cells * grid_.count; ++block)
      show_block(block, chosen, room.data(), visit);
  }

  void share_tight(const ConvexProblem& problem, const std::uint8_t* chosen, EdgeOrder order,
                   Control& control, const ThreadVisit<Value>& visit) override {
    const typename EdgeAccess<Value>::Visit alone =
        polling([&](const EdgeMessages<Value>& edge) { visit(edge, 0); }, control);
    if (order == EdgeOrder::any) return for_each_tight(problem, chosen, alone);
    // Offset by offset: a node then sees for each of them first the edge from the node before it,
    // whose cell comes first, and then its own, whatever the number of lanes.
    AlignedArray<Value> room(this->room_for(labels_, lanes_));
    for (std::int64_t o = 0; o < grid_.count; ++o)
      for (std::int64_t cell = 0; cell < grid_.cells; ++cell)
        show_block(cell * grid_.count + o, chosen, room.data(), alone);
  }

  MessageVector<Value> to_later(std::int64_t e) override { return {vector_of(place(e)), lanes_}; }

  void snapshot() override {
    remembered_.assign(messages_.data(), messages_.data() + messages_.size());
  }
  void restore() override {
    if (remembered_.empty()) return;
    std::copy(remembered_.begin(), remembered_.end(), messages_.data());
    remembered_ = {};
  }

 private:
  // An edge's lane in a block, one block per cell and offset.
  struct Place {
    std::int64_t block;
    std::int32_t lane;
  };

  using StoredMessages<Value>::graph_;
  using StoredMessages<Value>::labels_;

  std::int64_t scale_;
  const Kernels<Value>& kernels_;
  int threads_;
  StencilGrid grid_;
  std::int32_t lanes_;
  AlignedArray<Value> unary_;              // by cell
  AlignedArray<Value> messages_, weight_;  // by cell and offset, each at the edge's earlier node
  LargeVector<LaneBits> has_;              // the same: which are on
  LargeVector<std::int32_t> edge_;         // the same, and lane
  LargeVector<LaneBits> takes_part_;       // by cell
  std::vector<ShapePair<Value>> shapes_;   // per table
  std::vector<EdgeShape<Value>> to_later_, to_earlier_;  // per offset
  LargeVector<std::int32_t> node_at_;                    // empty where nodes are in raster order
  LargeVector<Value> remembered_;
  std::vector<AlignedArray<Value>> scratch_;
  Pipeline rows_;

  Place place(std::int64_t e) const {
    const std::int32_t a = graph_.rank(graph_.tail(e)), b = graph_.rank(graph_.head(e));
    const std::int32_t first = std::min(a, b);
    const auto [cell, lane] = grid_.slot(first);
    return {cell * grid_.count + grid_.offset(first, std::max(a, b)), lane};
  }
  Value* vector_of(const Place& at) {
    return messages_.data() + at.block * labels_ * lanes_ + at.lane;
  }

  void load_shapes(const ConvexProblem& problem) {
    Orientations orientations;
    orient(problem, orientations);
    shapes_.clear();
    to_later_.clear();
    to_earlier_.clear();
    for (const ConvexTable& table : problem.tables) shapes_.emplace_back(table);
    for (std::int32_t o = 0; o < grid_.count; ++o) {
      const auto [table, tail_first] = orientations[static_cast<std::size_t>(o)];
      const ShapePair<Value>& shape = shapes_[static_cast<std::size_t>(std::max(0, table))];
      to_later_.push_back(tail_first ? shape.from_tail() : shape.from_head());
      to_earlier_.push_back(tail_first ? shape.from_head() : shape.from_tail());
    }
  }

  // Chains behind each other, slices behind each other. What a cell needs is at most one column to
  // the right of its own, at a lane of its strip or the first or last one of a strip beside. With a
  // strip per chain the strip above has to be that far ahead, skew steps per lane; and one lane's
  // more, because on the way back two strips write to different lanes of the same vector, each all
  // that is not the other's. (Chains that run the other way mirror all of this.)
  void lay_out_rows() {
    const std::int32_t chains = grid_.chains, skew = grid_.skew;
    const std::int32_t strip = skew * lanes_,
                       next_strip = grid_.chain > 1 ? grid_.width - skew * (lanes_ - 1) + 1 : 0;
    rows_.rows = grid_.depth * chains;
    rows_.length = grid_.steps;
    rows_.depends_on.resize(static_cast<std::size_t>(rows_.rows));
    for (std::int32_t row = 0; row < rows_.rows; ++row) {
      const std::int32_t c = row % chains, above = row - chains;
      std::vector<RowDependency>& needs = rows_.depends_on[static_cast<std::size_t>(row)];
      if (c > 0) needs.push_back({row - 1, strip});
      if (above < 0) continue;
      needs.push_back({above, std::max(skew + 1, next_strip)});
      if (c > 0) needs.push_back({above - 1, strip});
      if (c + 1 < chains) needs.push_back({above + 1, skew + 1});
    }
  }

  StencilView<Value> view() {
    return {labels_,
            grid_.height,
            grid_.width,
            grid_.chain,
            grid_.chains,
            grid_.steps,
            grid_.skew,
            grid_.count,
            grid_.offsets,
            unary_.data(),
            messages_.data(),
            weight_.data(),
            has_.data(),
            takes_part_.data(),
            to_later_.data(),
            to_earlier_.data(),
            node_at_.empty() ? nullptr : node_at_.data()};
  }

  // Shows the edges of a block that have a chosen end.
  template <class Show>
  void show_block(std::int64_t block, const std::uint8_t* chosen, Value* room, const Show& visit) {
    const auto o = static_cast<std::size_t>(block % grid_.count);
    const LaneBits lanes = has_[static_cast<std::size_t>(block)];
    const std::int32_t* edges = edge_.data() + block * lanes_;
    const LaneBits visited = lanes_with_chosen_end(graph_, lanes, edges, chosen);
    if (visited == 0) return;
    Value* later = messages_.data() + block * std::int64_t{labels_} * lanes_;
    const auto tighten = [&](Value* earlier) {
      kernels_.tighten_lanes(to_earlier_[o], to_later_[o], weight_.data() + block * lanes_, earlier,
                             later, labels_, scratch_.front().data());
    };
    this->show({edges, lanes_, room, later}, visited, tighten, visit);
  }

  // work(row, first, last, thread) on all cells, chain by chain.
  template <class Work>
  std::int64_t walk(bool forward, Control& control, Work&& work) const {
    return rows_.run(threads_, control,
                     [&](std::int32_t row, std::int32_t first, std::int32_t last, int thread) {
                       if (forward) return work(row, first, last, thread);
                       return work(rows_.rows - 1 - row, grid_.steps - last, grid_.steps - first,
                                   thread);
                     });
  }
};

}  // namespace

bool fits_stencil(const ConvexProblem& problem) {
  Orientations orientations;
  return is_grid(problem.graph.topology()) && orient(problem, orientations);
}

bool fills_stencil(const Topology& grid, std::int32_t lanes, int threads) {
  const StencilGrid stencil(grid, lanes, threads);
  const std::int64_t nodes = std::int64_t{grid.depth} * grid.height * grid.width;
  return 3 * nodes >= stencil.cells * lanes;
}

std::vector<std::int64_t> edges_by_offset(const ConvexProblem& problem) {
  if (!fits_stencil(problem)) return {};
  const Neighbourhood& graph = problem.graph;
  const StencilGrid grid(graph.topology(), 1, 1);
  std::vector<std::vector<std::int64_t>> edges(static_cast<std::size_t>(grid.count));
  for (std::int32_t rank = 0; rank < graph.nodes(); ++rank) {
    const std::int32_t i = graph.at_rank(rank);
    for (const Incidence* n = graph.begin(i); n != graph.end(i); ++n)
      if (graph.rank(n->other) > rank)
        edges[static_cast<std::size_t>(grid.offset(rank, graph.rank(n->other)))].push_back(n->edge);
  }
  std::vector<std::int64_t> all;
  for (const std::vector<std::int64_t>& of_offset : edges)
    all.insert(all.end(), of_offset.begin(), of_offset.end());
  return all;
}

std::int64_t stencil_message_bytes(const Topology& grid, int labels, bool wide, int threads) {
  const std::int32_t lanes = wide ? chosen_level().wide.lanes : chosen_level().narrow.lanes;
  const StencilGrid stencil(grid, lanes, threads);
  const std::int64_t value = wide ? 8 : 4, bits = sizeof(LaneBits);
  const std::int64_t direction = lanes * (value * (labels + 1) + std::int64_t{4}) + bits;
  return stencil.cells * (stencil.count * direction + lanes * value * labels + bits) +
         value * wavefront_scratch_size(labels, lanes);
}

template <class Value>
std::unique_ptr<MessagesOf<Value>> make_stencil_messages(const ConvexProblem& problem,
                                                         std::int64_t scale, int threads,
                                                         Control& control) {
  return std::make_unique<StencilMessages<Value>>(problem, scale, threads, control);
}

template std::unique_ptr<MessagesOf<std::int32_t>> make_stencil_messages(const ConvexProblem&,
                                                                         std::int64_t, int,
                                                                         Control&);
template std::unique_ptr<MessagesOf<std::int64_t>> make_stencil_messages(const ConvexProblem&,
                                                                         std::int64_t, int,
                                                                         Control&);

}  // namespace rangemoves
