#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "rangemoves/messages/storage.hpp"
#include "rangemoves/problem/limits.hpp"
#include "rangemoves/run/aligned.hpp"
#include "rangemoves/run/parallel.hpp"
#include "rangemoves/run/pipeline.hpp"

namespace rangemoves {

namespace {

// How much of a message of blocks goes to a finer edge. Any rounding will do, since any message is
// feasible, as long as it is the same everywhere: towards zero. part: less than 2^40, for which
// weights and scales leave room.
template <class Value>
typename PartFactor<Value>::Type part_factor(std::int64_t part, std::int64_t whole) {
  const std::int64_t units = (part << kPartBits) / whole;
  if constexpr (sizeof(Value) == 4)
    return static_cast<double>(units) / (1 << kPartBits);
  else
    return units;
}

// Bytes of unary terms from which on it pays to load them a second time: a load takes as long as
// three sweeps.
constexpr std::size_t kMuchUnary = std::size_t{1} << 26;

// A 4-connected grid: lanes are rows.
template <class Value>
class WavefrontMessages : public StoredMessages<Value> {
 public:
  WavefrontMessages(const ConvexProblem& problem, std::int64_t scale, int threads, Control& control)
      : StoredMessages<Value>(problem),
        scale_(scale),
        kernels_(chosen_level().of<Value>()),
        lanes_(kernels_.lanes),
        width_(graph_.topology().width),
        height_(graph_.topology().height),
        strips_((height_ + lanes_ - 1) / lanes_),
        steps_(width_ + lanes_ - 1),
        cells_(static_cast<std::int64_t>(strips_) * steps_),
        shapes_(problem.tables.front()),
        has_right_(static_cast<std::size_t>(cells_), 0),
        has_down_(has_right_),
        is_empty_(static_cast<std::size_t>(cells_), 1),
        takes_part_(static_cast<std::size_t>(graph_.nodes()), 0) {
    threads_ = useful_threads(threads, static_cast<std::int64_t>(graph_.nodes()) * labels_);
    for (int t = 0; t < threads_; ++t)
      scratch_.emplace_back(static_cast<std::size_t>(wavefront_scratch_size(labels_, lanes_)));
    while (1 << lane_bits_ < lanes_) ++lane_bits_;
    lane_mask_ = static_cast<std::uint32_t>(lanes_ - 1);
    allocate(control);
    std::fill_n(right_edge_.data(), right_edge_.size(), -1);
    std::fill_n(down_edge_.data(), down_edge_.size(), -1);
    for (std::int64_t e = 0; e < graph_.edges(); ++e)
      (is_right(e) ? right_edge_ : down_edge_)[scalar_at(place_of(e))] =
          static_cast<std::int32_t>(e);
    rows_.rows = strips_;
    rows_.length = steps_;
    rows_.depends_on.resize(static_cast<std::size_t>(strips_));
    // Lane 0 reads what the last lane of the strip above sent, lanes - 1 steps ahead; one more,
    // because a backward sweep stores what came from below a step before it is used.
    for (std::int32_t r = 1; r < strips_; ++r) rows_.depends_on[r].push_back({r - 1, lanes_});
  }

  bool accepts(const ConvexProblem& problem) const override { return fits_wavefront(problem); }

  void load(const ConvexProblem& problem, const UnaryRows& unary_of, Control& control) override {
    if (unary_.size() == 0) unary_ = AlignedArray<Value>(right_.size(), &control);
    this->changed_.resize(static_cast<std::size_t>(graph_.nodes()));
    shapes_ = ShapePair<Value>(problem.tables.front());
    border_is_old_ = true;
    load_strips(problem, unary_of, control);
    all_take_part_ = std::all_of(takes_part_.begin(), takes_part_.end(),
                                 [](std::uint8_t is) { return is != 0; });
    load_edges(problem, control);
  }

  // The weights of the edges, and no message where there is none.
  void load_edges(const ConvexProblem& problem, Control& control) {
    share_out(strips_, threads_, control, [&](std::int32_t strip, Watch& watch) {
      for (std::int32_t step = 0; step < steps_; ++step) {
        if ((step & 0xff) == 0) watch.poll();
        for (const bool right : {true, false})
          load_edges_of(std::int64_t{strip} * steps_ + step, right, problem);
      }
    });
  }

  void set_unary_aside() override {
    if (unary_.size() * sizeof(Value) >= kMuchUnary) unary_ = AlignedArray<Value>();
  }
  void bring_unary_back(const ConvexProblem& problem, Control& control) override {
    if (unary_.size() > 0) return;
    unary_ = AlignedArray<Value>(right_.size(), &control);
    // What has changed since the load before is still what it was.
    const std::vector<std::uint8_t> changed = this->changed_;
    load_strips(problem, {}, control);
    this->changed_ = changed;
  }

  std::int64_t sweep(bool forward, const BandNote* note, Control& control) override {
    const WavefrontView<Value> view = this->view();
    if (!forward && border_is_old_) copy_border(control);
    border_is_old_ = false;
    RankedNote ranked(graph_, note);
    const std::int64_t bound =
        walk(forward, control,
             [&](std::int32_t strip, std::int32_t first, std::int32_t last, int thread) {
               return kernels_.wavefront(view, strip, first, last, forward, ranked.get(),
                                         scratch_[thread].data());
             });
    ranked.hand_over();
    return bound;
  }

  std::int64_t decode(const ConvexProblem& problem, Labelling& x, Control& control) override {
    const WavefrontView<Value> view = this->view();
    return put_labels(problem, x, [&](const WavefrontLabels<Value>& to) {
      return walk(true, control,
                  [&](std::int32_t strip, std::int32_t first, std::int32_t last, int) {
                    return kernels_.decode(view, strip, first, last, to);
                  });
    });
  }

  // Both read the same memory.
  std::int64_t decode_and_sweep(const ConvexProblem& problem, Labelling& x,
                                std::optional<std::int64_t>& bound, Control& control) override {
    const WavefrontView<Value> view = this->view();
    border_is_old_ = false;
    std::atomic<std::int64_t> cost{0};
    bound = put_labels(problem, x, [&](const WavefrontLabels<Value>& to) {
      return walk(true, control,
                  [&](std::int32_t strip, std::int32_t first, std::int32_t last, int thread) {
                    std::int64_t here = 0;
                    const std::int64_t part = kernels_.wavefront_decode(
                        view, strip, first, last, to, &here, scratch_[thread].data());
                    cost += here;
                    return part;
                  });
    });
    return cost;
  }

  void for_each_tight(const ConvexProblem&, const std::uint8_t* chosen,
                      const typename EdgeAccess<Value>::Visit& visit) override {
    border_is_old_ = true;
    AlignedArray<Value> room(this->room_for(labels_, lanes_));
    for (std::int64_t cell = 0; cell < cells_; ++cell)
      for (const bool right : {true, false}) {
        const LaneBits has = (right ? has_right_ : has_down_)[cell];
        const std::int32_t* edges = (right ? right_edge_ : down_edge_).data() + cell * lanes_;
        const LaneBits lanes = lanes_with_chosen_end(graph_, has, edges, chosen);
        if (lanes == 0) continue;
        show_edges({cell, right, lanes}, room.data(), scratch_.front().data(), visit);
      }
  }

  int tight_threads() const override { return threads_; }

  void share_tight(const ConvexProblem&, const std::uint8_t* chosen, EdgeOrder order,
                   Control& control, const ThreadVisit<Value>& visit) override {
    border_is_old_ = true;
    const std::vector<LaneBits> of_cell = chosen_lanes(chosen, control);
    std::vector<AlignedArray<Value>> room;
    for (int t = 0; t < threads_; ++t) room.emplace_back(this->room_for(labels_, lanes_));
    for (const Round& round : rounds(order))
      share_out((strips_ - round.first + round.every - 1) / round.every, threads_, control,
                [&](std::int32_t k, Watch& watch, int thread) {
                  const auto t = static_cast<std::size_t>(thread);
                  const auto show = [&](const EdgeMessages<Value>& edge) { visit(edge, thread); };
                  show_strip(round.first + k * round.every, round, of_cell, watch, [&](auto& of) {
                    show_edges(of, room[t].data(), scratch_[t].data(), show);
                  });
                });
  }

  MessageVector<Value> to_later(std::int64_t e) override {
    border_is_old_ = true;
    return {(is_right(e) ? right_ : down_).data() + vector_at(place_of(e)), lanes_};
  }

  // See add_block_messages. Strips are independent of each other.
  void add_from(const WavefrontMessages& blocks, std::int64_t part, std::int64_t whole,
                Control& control) {
    border_is_old_ = true;
    share_out(strips_, threads_, control, [&](std::int32_t strip, Watch& watch) {
      BlockParts parts(*this, blocks, part, whole);
      for (std::int32_t step = 0; step < steps_; ++step) {
        if ((step & 0xf) == 0) watch.poll();
        const std::int64_t cell = std::int64_t{strip} * steps_ + step;
        for (const bool right : {true, false})
          if ((right ? has_right_ : has_down_)[cell] != 0)
            parts.add(strip, step, right,
                      (right ? right_ : down_).data() + cell * labels_ * lanes_);
      }
    });
  }

  void snapshot() override {
    remembered_.reserve(right_.size() + down_.size());
    remembered_.assign(right_.data(), right_.data() + right_.size());
    remembered_.insert(remembered_.end(), down_.data(), down_.data() + down_.size());
  }
  void restore() override {
    if (remembered_.empty()) return;
    border_is_old_ = true;
    std::copy_n(remembered_.begin(), right_.size(), right_.data());
    std::copy_n(remembered_.begin() + static_cast<std::ptrdiff_t>(right_.size()), down_.size(),
                down_.data());
    remembered_ = {};
  }

 private:
  using StoredMessages<Value>::graph_;
  using StoredMessages<Value>::labels_;

  std::int64_t scale_;
  const Kernels<Value>& kernels_;
  std::int32_t lanes_, width_, height_, strips_, steps_;
  std::int64_t cells_;
  ShapePair<Value> shapes_;
  AlignedArray<Value> unary_;  // empty before the first load, and while it is set aside
  SharedMemory memory_;        // of all arrays that are placed
  PlacedArray<Value> right_, down_, border_, right_weight_, down_weight_;
  PlacedArray<std::int32_t> right_edge_, down_edge_;  // per cell and lane: which edge this is
  // Whether messages may have been set since the last sweep, by one thread or several.
  std::atomic<bool> border_is_old_{false};
  std::vector<LaneBits> has_right_, has_down_;
  std::vector<std::uint8_t> is_empty_;
  std::vector<std::uint8_t> takes_part_;
  bool all_take_part_ = true;
  LargeVector<Value> remembered_;
  std::vector<AlignedArray<Value>> scratch_;
  int threads_ = 1;
  int lane_bits_ = 0;
  std::uint32_t lane_mask_ = 0;
  Pipeline rows_;

  void allocate(Control& control) {
    const auto lanes = static_cast<std::size_t>(cells_ * lanes_),
               labels = static_cast<std::size_t>(labels_);
    for (PlacedArray<Value>* messages : {&right_, &down_}) memory_.plan(*messages, lanes * labels);
    memory_.plan(border_, static_cast<std::size_t>(cells_) * labels);
    for (PlacedArray<Value>* weight : {&right_weight_, &down_weight_}) memory_.plan(*weight, lanes);
    for (PlacedArray<std::int32_t>* edge : {&right_edge_, &down_edge_}) memory_.plan(*edge, lanes);
    memory_.allocate(&control);
  }

  std::size_t block_size() const {
    return static_cast<std::size_t>(labels_) * static_cast<std::size_t>(lanes_);
  }

  // Edges of a cell: to the right or downward, of some of its lanes.
  struct CellEdges {
    std::int64_t cell;
    bool right;
    LaneBits lanes;
  };
  // Strips that share no node, so that several threads may show their edges at once, and which of
  // the edges.
  struct Round {
    LaneBits right, down;
    std::int32_t first, every;  // strips
  };
  static std::vector<Round> rounds(EdgeOrder order) {
    constexpr LaneBits all = ~LaneBits{0}, even = 0x55555555;
    // The edges of a strip lead to nodes of its own and to the first row of the next strip.
    if (order == EdgeOrder::any) return {{all, all, 0, 2}, {all, all, 1, 2}};
    // Edges to the right, then those down from even rows, then those down from odd ones. The number
    // of lanes is even, so that this is one order for all of them, and the one in which the edges
    // of a part of a grid are listed. And no two strips share a node in a round: only edges down
    // from the last, odd row lead to another strip, to its first row.
    return {{all, 0, 0, 1}, {0, even, 0, 1}, {0, ~even, 0, 1}};
  }

  // show(edges) for every cell of a strip that has any to show.
  template <class Show>
  void show_strip(std::int32_t strip, const Round& round, const std::vector<LaneBits>& chosen,
                  Watch& watch, const Show& show) const {
    for (std::int32_t step = 0; step < steps_; ++step) {
      if ((step & 0xf) == 0) watch.poll();
      for (const bool right : {true, false}) {
        const CellEdges edges{
            std::int64_t{strip} * steps_ + step, right,
            lanes_to_show(chosen, strip, step, right) & (right ? round.right : round.down)};
        if (edges.lanes != 0) show(edges);
      }
    }
  }

  // Per cell the lanes whose node is chosen; without a choice all of them are.
  std::vector<LaneBits> chosen_lanes(const std::uint8_t* chosen, Control& control) const {
    std::vector<LaneBits> lanes(static_cast<std::size_t>(cells_), chosen ? 0 : ~LaneBits{0});
    if (!chosen) return lanes;
    share_out(strips_, threads_, control, [&](std::int32_t strip, Watch&) {
      const std::int32_t top = strip * lanes_, bottom = std::min(height_, top + lanes_);
      for (std::int32_t y = top; y < bottom; ++y)
        for (std::int32_t x = 0; x < width_; ++x)
          if (chosen[graph_.at_rank(y * width_ + x)]) {
            const Place at = place_at(y, x);
            lanes[static_cast<std::size_t>(at.cell)] |= LaneBits{1} << at.lane;
          }
    });
    return lanes;
  }

  // The lanes of a cell whose edge to the right, or downward, is on and has a chosen end. The node
  // to the right is in the same lane of the next step, the one below in the lane after it; below
  // the last lane it is in lane 0 of the next strip, as many steps before.
  LaneBits lanes_to_show(const std::vector<LaneBits>& chosen, std::int32_t strip, std::int32_t step,
                         bool right) const {
    const std::size_t cell = static_cast<std::size_t>(std::int64_t{strip} * steps_ + step);
    const LaneBits has = (right ? has_right_ : has_down_)[cell];
    if (has == 0) return 0;
    const LaneBits next = step + 1 < steps_ ? chosen[cell + 1] : 0;
    LaneBits other = right ? next : next >> 1;
    const std::int32_t last = lanes_ - 1;
    if (!right && step >= last && strip + 1 < strips_) {
      const std::size_t below = cell + static_cast<std::size_t>(steps_ - last);
      other |= (chosen[below] & 1) << last;
    }
    return has & (chosen[cell] | other);
  }

  // Shows the tight messages of these edges. earlier: room for a block.
  template <class Show>
  void show_edges(const CellEdges& of, Value* room, Value* scratch, const Show& visit) {
    Value* later =
        (of.right ? right_ : down_).data() + of.cell * static_cast<std::int64_t>(block_size());
    const Value* weight = (of.right ? right_weight_ : down_weight_).data() + of.cell * lanes_;
    const std::int32_t* edges = (of.right ? right_edge_ : down_edge_).data() + of.cell * lanes_;
    const auto tighten = [&](Value* earlier) {
      kernels_.tighten_lanes(shapes_.from_head(), shapes_.from_tail(), weight, earlier, later,
                             labels_, scratch);
    };
    this->show({edges, lanes_, room, later}, of.lanes, tighten, visit);
  }

  void copy_border(Control& control) {
    share_out(strips_, threads_, control, [&](std::int32_t strip, Watch& watch) {
      watch.poll();
      const std::int64_t first = std::int64_t{strip} * steps_ * labels_;
      const Value* last_lane = down_.data() + first * lanes_ + lanes_ - 1;
      Value* border = border_.data() + first;
      for (std::int64_t k = 0; k < std::int64_t{steps_} * labels_; ++k)
        border[k] = last_lane[k * lanes_];
    });
  }

  void load_strips(const ConvexProblem& problem, const UnaryRows& unary_of, Control& control) {
    // unary_of computes every row in the same memory, so that only one thread may call it.
    share_out(strips_, unary_of ? 1 : threads_, control, [&](std::int32_t strip, Watch& watch) {
      if (unary_of)
        load_strip(problem, strip, unary_of, watch);
      else
        load_strip(problem, strip, [&](std::int32_t i) { return problem.unary.row(i); }, watch);
    });
  }

  // Cell by cell rather than edge by edge: edges need not be looked for.
  void load_edges_of(std::int64_t cell, bool right, const ConvexProblem& problem) {
    const std::int64_t first = cell * lanes_;
    const std::int32_t* edges = (right ? right_edge_ : down_edge_).data() + first;
    Value* weights = (right ? right_weight_ : down_weight_).data() + first;
    Value* messages = (right ? right_ : down_).data() + first * labels_;
    LaneBits has = 0;
    for (std::int32_t lane = 0; lane < lanes_; ++lane) {
      if (edges[lane] < 0) continue;
      const Value w = static_cast<Value>(problem.weight[edges[lane]] * scale_);
      if (w > 0) has |= LaneBits{1} << lane;
      // The message of an edge that was switched off is zero already.
      const bool was_on = weights[lane] > 0;
      if (w != std::exchange(weights[lane], w) && was_on)
        for (std::int32_t l = 0; l < labels_; ++l) messages[l * lanes_ + lane] = 0;
    }
    (right ? has_right_ : has_down_)[static_cast<std::size_t>(cell)] = has;
  }

  // Column by column: the rows of a strip are lanes of the same vectors, and write next to each
  // other.
  template <class RowOf>
  void load_strip(const ConvexProblem& problem, std::int32_t strip, const RowOf& unary_of,
                  Watch& watch) {
    const std::int32_t top = strip * lanes_, bottom = std::min(height_, top + lanes_);
    std::fill_n(is_empty_.begin() + std::int64_t{strip} * steps_, steps_, 1);
    for (std::int32_t x = 0; x < width_; ++x) {
      if ((x & 0xf) == 0) watch.poll();
      for (std::int32_t y = top; y < bottom; ++y) {
        const Place at = place_at(y, x);
        const std::int32_t i = graph_.at_rank(y * width_ + x);
        load_unary(problem, unary_of, i, unary_.data() + vector_at(at));
        if (takes_part_[i]) is_empty_[at.cell] = 0;
      }
    }
    // Sweeps leave out these cells, so that nothing else would clear their border.
    for (std::int64_t cell = std::int64_t{strip} * steps_, k = 0; k < steps_; ++k, ++cell)
      if (is_empty_[cell]) std::fill_n(border_.data() + cell * labels_, labels_, Value{0});
  }

  template <class RowOf>
  void load_unary(const ConvexProblem& problem, const RowOf& unary_of, std::int32_t i,
                  Value* unary) {
    takes_part_[i] = problem.takes_part(i);
    Value other = 0;
    if (takes_part_[i])
      scaled_unary<Value>(unary_of(i), labels_, scale_, [&](int l, Value cost) {
        other |= unary[l * lanes_] ^ cost;
        unary[l * lanes_] = cost;
      });
    else
      for (int l = 0; l < labels_; ++l) unary[l * lanes_] = 0;
    this->changed_[i] = other != 0;
  }

  // Hands messages of blocks down to the edges of one cell. An edge between two blocks gets its
  // part of their message, one within a block the mean of those before and after it.
  class BlockParts {
   public:
    BlockParts(const WavefrontMessages& fine, const WavefrontMessages& blocks, std::int64_t part,
               std::int64_t whole)
        : fine_(fine), blocks_(blocks), part_(part), whole_(whole) {}

    void add(std::int32_t strip, std::int32_t step, bool right, Value* to) {
      for (const bool odd : {false, true}) find(strip, step, right, odd, lanes_[odd]);
      fine_.kernels_.add_block_parts(lanes_[0], lanes_[1], to, fine_.labels_);
    }

   private:
    const WavefrontMessages &fine_, &blocks_;
    std::int64_t part_, whole_;
    using Factor = typename PartFactor<Value>::Type;
    BlockLanes<Value> lanes_[2];  // even ones, odd ones
    // Most edges have the weights of the one before.
    Value mine_ = 0, theirs_ = 0;
    int share_ = 0;
    Factor last_{};

    Factor part_of(Value mine, Value theirs, int share) {
      if (theirs == 0) return 0;
      if (mine == mine_ && theirs == theirs_ && share == share_) return last_;
      mine_ = mine, theirs_ = theirs, share_ = share;
      // The weight of either without its scale, so that products fit.
      const std::int64_t weight = mine / fine_.scale_ * (fine_.scale_ / blocks_.scale_);
      last_ = part_factor<Value>(part_ * weight, whole_ * (theirs / blocks_.scale_) * share);
      return last_;
    }

    // Lane k of a strip stands at row strip * lanes + k, column step - k: the block of an even lane
    // is lane k / 2 of half a strip, in step / 2 of it, the block of an odd one in (step - 1) / 2.
    void find(std::int32_t strip, std::int32_t step, bool right, bool odd,
              BlockLanes<Value>& lanes) {
      const std::int32_t size = fine_.lanes_, half = size / 2, steps = blocks_.steps_;
      const std::int32_t offset = strip % 2 * half;
      const std::int64_t first_cell = std::int64_t{strip / 2} * steps;
      const std::int32_t here = (odd ? (step + 1) / 2 - 1 : step / 2) + offset;
      const auto cell_at = [&](std::int32_t k) {
        return first_cell + std::clamp<std::int32_t>(k, 0, steps - 1);
      };
      const std::int64_t now = cell_at(here), before = cell_at(here - 1);
      const Value* messages = (right ? blocks_.right_ : blocks_.down_).data();
      const Value* weights = (right ? blocks_.right_weight_ : blocks_.down_weight_).data();
      const Value* mine = (right ? fine_.right_weight_ : fine_.down_weight_).data() +
                          (std::int64_t{strip} * fine_.steps_ + step) * size;
      const auto message = [&](std::int64_t cell, std::int32_t lane) {
        return messages + cell * fine_.labels_ * size + lane;
      };
      // Before an edge downward lies the row of blocks above, in the lane before; that of the first
      // lane may be the last lane of the strip above.
      std::int64_t first_before = before;
      std::int32_t lane_before = right ? offset : offset - 1;
      if (lane_before < 0) {
        lane_before = size - 1;
        first_before = now - steps + size - 1;
        if (strip < 2 || first_before >= first_cell) first_before = now;
      }
      lanes.now = message(now, offset);
      const bool is_apart = !right && offset == 0;
      lanes.before = message(before, is_apart ? 0 : lane_before);
      lanes.first_before = is_apart ? message(first_before, lane_before) : nullptr;
      for (std::int32_t j = 0; j < half; ++j) {
        const std::int32_t k = 2 * j + odd, x = step - k;
        const Value weight = mine[k];  // 0 where there is no edge
        const bool within = right ? x % 2 == 0 : !odd;
        const bool is_first = right ? x == 0 : strip == 0 && k == 0;
        const Value after = weight == 0 ? 0 : weights[now * size + offset + j];
        const Value ahead = weight == 0 || !within || is_first ? 0
                            : j == 0 ? weights[first_before * size + lane_before]
                                     : weights[before * size + (right ? offset : offset - 1) + j];
        const int share = after > 0 && ahead > 0 ? 2 : 1;
        lanes.of_now[j] = part_of(weight, after, share);
        lanes.of_before[j] = part_of(weight, ahead, share);
      }
    }
  };

  WavefrontView<Value> view() {
    return {labels_,
            width_,
            strips_,
            steps_,
            unary_.data(),
            right_.data(),
            down_.data(),
            border_.data(),
            right_weight_.data(),
            down_weight_.data(),
            has_right_.data(),
            has_down_.data(),
            is_empty_.data(),
            shapes_.from_tail(),
            shapes_.from_head()};
  }

  // Has `decode` write labels by rank, and hands them to x. Returns what it returns.
  template <class Decode>
  std::int64_t put_labels(const ConvexProblem& problem, Labelling& x, Decode&& decode) const {
    // g(x_i - x_j) for i before j; where edges run the other way the table is symmetric.
    const std::int32_t far = labels_ - 1;
    std::vector<Value> g;
    for (std::int32_t d = -far; d <= far; ++d)
      g.push_back(static_cast<Value>(problem.tables.front().h(d)));
    const bool in_place = graph_.keeps_order() && all_take_part_;
    Labelling by_rank(in_place ? 0 : x.size());
    const std::int64_t result = decode(WavefrontLabels<Value>{
        g.data() + far, in_place ? x.data() : by_rank.data(), graph_.nodes()});
    for (std::int32_t i = 0; !in_place && i < graph_.nodes(); ++i)
      if (takes_part_[i]) x[i] = by_rank[graph_.rank(i)];
    return result;
  }

  // work(strip, first, last, thread) on all cells, strip by strip.
  template <class Work>
  std::int64_t walk(bool forward, Control& control, Work&& work) const {
    return rows_.run(threads_, control,
                     [&](std::int32_t row, std::int32_t first, std::int32_t last, int thread) {
                       if (forward) return work(row, first, last, thread);
                       return work(strips_ - 1 - row, steps_ - last, steps_ - first, thread);
                     });
  }

  bool is_right(std::int64_t e) const {
    return std::abs(graph_.rank(graph_.head(e)) - graph_.rank(graph_.tail(e))) == 1;
  }

  // Where a node lies. One division: places are looked up for every edge.
  struct Place {
    std::int64_t cell;
    std::int32_t lane;
  };
  Place place_at(std::int32_t y, std::int32_t x) const {
    const auto row = static_cast<std::uint32_t>(y);
    const auto lane = static_cast<std::int32_t>(row & lane_mask_);
    return {static_cast<std::int64_t>(row >> lane_bits_) * steps_ + x + lane, lane};
  }
  Place place_of_rank(std::int32_t r) const {
    const std::int32_t y = r / width_;
    return place_at(y, r - y * width_);
  }
  // Where an edge begins; all places are those of ranks.
  Place place_of(std::int64_t e) const {
    return place_of_rank(std::min(graph_.rank(graph_.tail(e)), graph_.rank(graph_.head(e))));
  }
  std::int64_t scalar_at(const Place& at) const { return at.cell * lanes_ + at.lane; }
  std::int64_t vector_at(const Place& at) const { return at.cell * labels_ * lanes_ + at.lane; }
};

}  // namespace

template <class Value>
std::unique_ptr<MessagesOf<Value>> make_wavefront_messages(const ConvexProblem& problem,
                                                           std::int64_t scale, int threads,
                                                           Control& control) {
  return std::make_unique<WavefrontMessages<Value>>(problem, scale, threads, control);
}

template std::unique_ptr<MessagesOf<std::int32_t>> make_wavefront_messages(const ConvexProblem&,
                                                                           std::int64_t, int,
                                                                           Control&);
template std::unique_ptr<MessagesOf<std::int64_t>> make_wavefront_messages(const ConvexProblem&,
                                                                           std::int64_t, int,
                                                                           Control&);

template <class Value>
void add_block_messages(const ConvexProblem& problem, MessagesOf<Value>& grid,
                        MessagesOf<Value>& blocks, std::int64_t part, std::int64_t whole,
                        Control& control) {
  auto* const to = dynamic_cast<WavefrontMessages<Value>*>(&grid);
  auto* const from = dynamic_cast<WavefrontMessages<Value>*>(&blocks);
  if (!to || !from) throw std::logic_error("blocks hand their messages to a grid laid out by rows");
  to->load_edges(problem, control);
  to->add_from(*from, part, whole, control);
}

template void add_block_messages(const ConvexProblem&, MessagesOf<std::int32_t>&,
                                 MessagesOf<std::int32_t>&, std::int64_t, std::int64_t, Control&);
template void add_block_messages(const ConvexProblem&, MessagesOf<std::int64_t>&,
                                 MessagesOf<std::int64_t>&, std::int64_t, std::int64_t, Control&);

bool fits_wavefront(const ConvexProblem& problem) {
  const Neighbourhood& graph = problem.graph;
  if (graph.topology().kind != Topology::Kind::grid4 || problem.tables.size() != 1) return false;
  if (is_symmetric(problem.tables.front())) return true;
  for (std::int64_t e = 0; e < graph.edges(); ++e)
    if (!graph.tail_first(e)) return false;
  return true;
}

}  // namespace rangemoves
