#include "rangemoves/optimum/layered_search.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace rangemoves {

namespace {

using Key = std::uint16_t;  // a label, counted among those that are left

constexpr std::int64_t kStatesPerPoll = 1 << 12;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Choices of labels for the variables before a place, told apart by those that still matter.
struct Layer {
  std::vector<Key> keys;              // a row per state
  std::vector<std::int64_t> excess;   // what it costs above the bound
  std::vector<std::uint32_t> parent;  // in the layer before
  std::vector<Key> label;             // of the place before

  std::size_t size() const { return excess.size(); }
};

// Finds states with the same keys.
class StateIndex {
 public:
  explicit StateIndex(std::size_t width) : width_(width), slots_(1024, kNone) {}

  // The number of a state of the layer with these keys, or `next`, which it is from now on.
  std::uint32_t find(const std::vector<Key>& keys, const Key* key, std::uint32_t next) {
    if (2 * static_cast<std::size_t>(next) >= slots_.size()) grow(keys, next);
    for (std::size_t at = slot(key);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at] == kNone) return slots_[at] = next;
      if (std::equal(key, key + width_, keys.data() + slots_[at] * width_)) return slots_[at];
    }
  }

 private:
  std::size_t width_;
  std::vector<std::uint32_t> slots_;

  std::size_t slot(const Key* key) const {
    std::uint64_t hash = 0;
    for (std::size_t k = 0; k < width_; ++k) hash = (hash + key[k] + 1) * 0x9e3779b97f4a7c15u;
    return static_cast<std::size_t>(hash ^ (hash >> 32)) & (slots_.size() - 1);
  }

  void grow(const std::vector<Key>& keys, std::uint32_t states) {
    slots_.assign(2 * slots_.size(), kNone);
    for (std::uint32_t s = 0; s < states; ++s) {
      std::size_t at = slot(keys.data() + s * width_);
      while (slots_[at] != kNone) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = s;
    }
  }
};

class LayeredSearch {
 public:
  LayeredSearch(const ReducedCosts& costs, const MiniBuckets& buckets, std::int64_t cut,
                std::size_t widest, TooWide too_wide, const std::function<void()>& poll)
      : costs_(costs),
        buckets_(buckets),
        gap_(cut - buckets.bound),
        widest_(widest),
        too_wide_(too_wide),
        poll_(poll) {
    find_what_matters();
  }

  LayeredResult run() {
    result_.bound = buckets_.bound + std::max<std::int64_t>(0, gap_);
    if (gap_ <= 0) return std::move(result_);
    layers_.push_back({{}, {0}, {0}, {0}});
    for (std::size_t p = 0; p < places() && layers_.back().size() > 0; ++p) {
      layers_.push_back(next_layer(p));
      if (layers_.back().size() > widest_) {
        result_.is_complete = false;
        result_.bound = buckets_.bound;
        if (too_wide_ == TooWide::give_up) return std::move(result_);
        keep_best(layers_.back(), matters_[p + 1].size());
      }
      result_.states += static_cast<std::int64_t>(layers_.back().size());
      Layer& before = layers_[p];
      before.keys = {};  // from now on only parents and labels are needed, to read off labels
      before.excess = {};
    }
    if (layers_.back().size() > 0 && layers_.size() == places() + 1) read_off();
    return std::move(result_);
  }

 private:
  const ReducedCosts& costs_;
  const MiniBuckets& buckets_;
  const std::int64_t gap_;
  const std::size_t widest_;
  const TooWide too_wide_;
  const std::function<void()>& poll_;
  // Per place: variables before it that tables of it or later places ask for.
  std::vector<std::vector<std::int32_t>> matters_;
  std::vector<Layer> layers_;
  std::int64_t until_poll_ = 0;
  LayeredResult result_;

  const TablePlan& plan() const { return buckets_.plan; }
  std::size_t places() const { return plan().order.size(); }

  void find_what_matters() {
    matters_.resize(places() + 1);
    std::vector<std::uint8_t> asked(costs_.left.size(), 0);
    for (std::size_t p = places(); p-- > 0;) {
      for (const std::vector<std::int32_t>& scope : plan().scopes[p])
        for (const std::int32_t i : scope) asked[static_cast<std::size_t>(i)] = 1;
      for (std::size_t q = 0; q < p; ++q)
        if (asked[static_cast<std::size_t>(plan().order[q])])
          matters_[p].push_back(plan().order[q]);
    }
  }

  // How to find the row of a table that belongs to a state.
  struct Reader {
    const BucketTable* table;
    std::vector<std::pair<std::size_t, std::size_t>> steps;  // key, by which it is multiplied
  };

  std::vector<Reader> readers(std::size_t p) const {
    std::vector<Reader> readers;
    const std::vector<std::int32_t>& keys = matters_[p];
    for (std::size_t t = 0; t < buckets_.tables[p].size(); ++t) {
      const std::vector<std::int32_t>& scope = plan().scopes[p][t];
      Reader& reader = readers.emplace_back(Reader{&buckets_.tables[p][t], {}});
      std::size_t step = 1;
      for (std::size_t k = scope.size() - 1; k-- > 0;) {
        const auto at = std::find(keys.begin(), keys.end(), scope[k]) - keys.begin();
        reader.steps.emplace_back(static_cast<std::size_t>(at), step);
        step *= static_cast<std::size_t>(costs_.choices(scope[k]));
      }
    }
    return readers;
  }

  Layer next_layer(std::size_t p) {
    const Layer& layer = layers_.back();
    const std::vector<Reader> tables = readers(p);
    const std::vector<std::int32_t>&from = matters_[p], &to = matters_[p + 1];
    std::vector<std::size_t> source;  // of each key of the next layer; the new label at the end
    for (const std::int32_t i : to)
      source.push_back(
          static_cast<std::size_t>(std::find(from.begin(), from.end(), i) - from.begin()));
    const auto choices = static_cast<std::size_t>(costs_.choices(plan().order[p]));
    Layer next;
    StateIndex index(to.size());
    std::vector<std::int64_t> more(choices);
    std::vector<Key> key(to.size()), row(from.size() + 1);
    for (std::uint32_t s = 0; s < layer.size(); ++s) {
      if (too_wide_ == TooWide::give_up && next.size() > widest_) return next;
      if (--until_poll_ < 0) {
        until_poll_ = kStatesPerPoll;
        poll_();
      }
      std::copy_n(layer.keys.data() + s * from.size(), from.size(), row.data());
      find_more(tables, row, more);
      for (std::size_t l = 0; l < choices; ++l) {
        const std::int64_t excess = layer.excess[s] + more[l];
        if (excess >= gap_) continue;
        row[from.size()] = static_cast<Key>(l);
        for (std::size_t k = 0; k < to.size(); ++k) key[k] = row[source[k]];
        add(next, index, key, excess, s, static_cast<Key>(l));
      }
    }
    return next;
  }

  // What each label of a place adds to a state.
  static void find_more(const std::vector<Reader>& tables, const std::vector<Key>& row,
                        std::vector<std::int64_t>& more) {
    std::fill(more.begin(), more.end(), 0);
    for (const Reader& reader : tables) {
      std::size_t at = 0;
      for (const auto& [key, step] : reader.steps) at += row[key] * step;
      const std::int64_t least = reader.table->least[at];
      const std::int64_t* costs = reader.table->costs.data() + at * more.size();
      for (std::size_t l = 0; l < more.size(); ++l) more[l] += costs[l] - least;
    }
  }

  static void add(Layer& layer, StateIndex& index, const std::vector<Key>& key, std::int64_t excess,
                  std::uint32_t parent, Key label) {
    const auto next = static_cast<std::uint32_t>(layer.size());
    const std::uint32_t state = index.find(layer.keys, key.data(), next);
    if (state == next) {
      layer.keys.insert(layer.keys.end(), key.begin(), key.end());
      layer.excess.push_back(excess);
      layer.parent.push_back(parent);
      layer.label.push_back(label);
    } else if (excess < layer.excess[state]) {
      layer.excess[state] = excess;
      layer.parent[state] = parent;
      layer.label[state] = label;
    }
  }

  // Leaves the `widest_` cheapest states, in the order that they have. width: keys of a state.
  void keep_best(Layer& layer, std::size_t width) const {
    std::vector<std::uint32_t> best(layer.size());
    std::iota(best.begin(), best.end(), std::uint32_t{0});
    const auto is_better = [&](std::uint32_t a, std::uint32_t b) {
      return layer.excess[a] != layer.excess[b] ? layer.excess[a] < layer.excess[b] : a < b;
    };
    const auto end = best.begin() + static_cast<std::ptrdiff_t>(widest_);
    std::nth_element(best.begin(), end, best.end(), is_better);
    best.erase(end, best.end());
    std::sort(best.begin(), best.end());
    Layer kept;
    for (const std::uint32_t s : best) {
      const auto key = layer.keys.begin() + static_cast<std::ptrdiff_t>(s * width);
      kept.keys.insert(kept.keys.end(), key, key + static_cast<std::ptrdiff_t>(width));
      kept.excess.push_back(layer.excess[s]);
      kept.parent.push_back(layer.parent[s]);
      kept.label.push_back(layer.label[s]);
    }
    layer = std::move(kept);
  }

  // The last layer has one state: nothing matters any more.
  void read_off() {
    result_.value = buckets_.bound + layers_.back().excess.front();
    if (result_.is_complete) result_.bound = result_.value;
    Labelling x;
    for (const auto& left : costs_.left) x.push_back(left.front());
    std::uint32_t state = 0;
    for (std::size_t p = places(); p-- > 0;) {
      const auto i = static_cast<std::size_t>(plan().order[p]);
      x[i] = costs_.left[i][layers_[p + 1].label[state]];
      state = layers_[p + 1].parent[state];
    }
    result_.labels = std::move(x);
  }
};

}  // namespace

LayeredResult search_layers(const ReducedCosts& costs, const MiniBuckets& buckets, std::int64_t cut,
                            std::size_t widest, TooWide too_wide,
                            const std::function<void()>& poll) {
  return LayeredSearch(costs, buckets, cut, widest, too_wide, poll).run();
}

}  // namespace rangemoves
