#include "rangemoves/optimum/mini_buckets.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace rangemoves {

namespace {

using Scope = std::vector<std::int32_t>;

// Places of variables in an order.
class Places {
  std::vector<std::size_t> places_;

  auto before() const {
    return [this](std::int32_t i, std::int32_t j) { return (*this)(i) < (*this)(j); };
  }

 public:
  Places(const ReducedCosts& costs, const std::vector<std::int32_t>& order)
      : places_(costs.left.size()) {
    for (std::size_t p = 0; p < order.size(); ++p) places_[static_cast<std::size_t>(order[p])] = p;
  }

  std::size_t operator()(std::int32_t i) const { return places_[static_cast<std::size_t>(i)]; }

  void sort(Scope& scope) const { std::sort(scope.begin(), scope.end(), before()); }
  Scope joined(const Scope& a, const Scope& b) const {
    Scope both;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both), before());
    return both;
  }
  Scope common(const Scope& a, const Scope& b) const {
    Scope both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both),
                          before());
    return both;
  }
  bool has_all(const Scope& scope, const Scope& part) const {
    return std::includes(scope.begin(), scope.end(), part.begin(), part.end(), before());
  }
};

double entries(const ReducedCosts& costs, const Scope& scope) {
  double size = 1;
  for (const std::int32_t i : scope) size *= static_cast<double>(costs.choices(i));
  return size;
}

class Filling {
 public:
  Filling(const ReducedCosts& costs, MiniBuckets& found)
      : costs_(costs), found_(found), place_(costs, found.plan.order) {
    waiting_.resize(found.plan.order.size());
    found_.tables.resize(found.plan.order.size());
    for (const CostFunction& function : costs.functions) put(function);
  }

  void run(const std::function<void()>& poll) {
    for (std::size_t p = found_.plan.order.size(); p-- > 0;) {
      poll();
      take_out(p);
    }
  }

 private:
  const ReducedCosts& costs_;
  MiniBuckets& found_;
  const Places place_;
  std::vector<std::vector<CostFunction>> waiting_;  // to be counted, by the last of their places

  std::size_t choices(std::int32_t i) const { return static_cast<std::size_t>(costs_.choices(i)); }

  // Scopes are in the order of the places from here on.
  void put(CostFunction function) {
    if (function.scope.empty()) {
      found_.bound += function.values.front();
      return;
    }
    if (function.scope.size() == 2 && place_(function.scope[0]) > place_(function.scope[1]))
      turn(function);
    waiting_[place_(function.scope.back())].push_back(std::move(function));
  }

  void turn(CostFunction& function) const {
    const std::size_t rows = choices(function.scope[0]), columns = choices(function.scope[1]);
    std::vector<std::int64_t> turned(rows * columns);
    for (std::size_t a = 0; a < rows; ++a)
      for (std::size_t b = 0; b < columns; ++b)
        turned[b * rows + a] = function.values[a * columns + b];
    function.values = std::move(turned);
    std::swap(function.scope[0], function.scope[1]);
  }

  void take_out(std::size_t p) {
    std::vector<BucketTable>& tables = found_.tables[p];
    const std::vector<Scope>& scopes = found_.plan.scopes[p];
    for (const Scope& scope : scopes)
      tables.emplace_back().costs.assign(static_cast<std::size_t>(entries(costs_, scope)), 0);
    for (const CostFunction& function : waiting_[p]) {
      std::size_t t = 0;
      while (!place_.has_all(scopes[t], function.scope)) ++t;
      add(function, scopes[t], tables[t].costs);
    }
    waiting_[p].clear();
    for (std::size_t t = 1; t < tables.size(); ++t)
      for (std::size_t u = 0; u < t; ++u)
        agree(scopes[t], tables[t].costs, scopes[u], tables[u].costs);
    const auto own = static_cast<std::ptrdiff_t>(choices(found_.plan.order[p]));
    for (std::size_t t = 0; t < tables.size(); ++t) {
      for (auto row = tables[t].costs.begin(); row != tables[t].costs.end(); row += own)
        tables[t].least.push_back(*std::min_element(row, row + own));
      put({Scope(scopes[t].begin(), scopes[t].end() - 1), tables[t].least});
    }
  }

  // Adds a function of some of the variables of a table to it.
  void add(const CostFunction& function, const Scope& scope, std::vector<std::int64_t>& to) const {
    std::vector<std::size_t> step(scope.size(), 0), at(scope.size(), 0);
    std::size_t size = 1;
    for (std::size_t k = function.scope.size(); k-- > 0;) {
      const auto where = std::find(scope.begin(), scope.end(), function.scope[k]) - scope.begin();
      step[static_cast<std::size_t>(where)] = size;
      size *= choices(function.scope[k]);
    }
    const std::size_t last = scope.size() - 1, own = choices(scope[last]);
    std::size_t from = 0;
    for (std::size_t row = 0; row < to.size(); row += own) {
      for (std::size_t l = 0; l < own; ++l) to[row + l] += function.values[from + l * step[last]];
      for (std::size_t k = last; k-- > 0;) {
        from += step[k];
        if (++at[k] < choices(scope[k])) break;
        from -= step[k] * choices(scope[k]);
        at[k] = 0;
      }
    }
  }

  // For each entry of a table over one scope: the entry of a table over a part of it.
  std::vector<std::uint32_t> projection(const Scope& scope, const Scope& onto) const {
    std::vector<std::uint32_t> step(scope.size(), 0);
    std::uint32_t size = 1;
    for (std::size_t k = scope.size(); k-- > 0;) {
      if (std::find(onto.begin(), onto.end(), scope[k]) == onto.end()) continue;
      step[k] = size;
      size *= static_cast<std::uint32_t>(choices(scope[k]));
    }
    std::vector<std::uint32_t> found{0}, next;
    for (std::size_t k = 0; k < scope.size(); ++k) {
      next.clear();
      for (const std::uint32_t at : found)
        for (std::uint32_t l = 0; l < choices(scope[k]); ++l) next.push_back(at + l * step[k]);
      found.swap(next);
    }
    return found;
  }

  // What two tables cost at least for each choice of the variables that they have in common is
  // shared equally. Their sum stays what it is, and no entry becomes negative.
  void agree(const Scope& scope_a, std::vector<std::int64_t>& a, const Scope& scope_b,
             std::vector<std::int64_t>& b) const {
    const Scope common = place_.common(scope_a, scope_b);
    std::vector<std::int64_t>* const costs[] = {&a, &b};
    const std::vector<std::uint32_t> onto[] = {projection(scope_a, common),
                                               projection(scope_b, common)};
    std::vector<std::int64_t> least[2];
    for (int side = 0; side < 2; ++side) {
      least[side].assign(static_cast<std::size_t>(entries(costs_, common)), INT64_MAX);
      for (std::size_t k = 0; k < costs[side]->size(); ++k) {
        std::int64_t& at = least[side][onto[side][k]];
        at = std::min(at, (*costs[side])[k]);
      }
    }
    for (std::size_t k = 0; k < least[0].size(); ++k) {
      const std::int64_t sum = least[0][k] + least[1][k];
      least[0][k] = sum / 2 - least[0][k];
      least[1][k] = sum - sum / 2 - least[1][k];
    }
    for (int side = 0; side < 2; ++side)
      for (std::size_t k = 0; k < costs[side]->size(); ++k)
        (*costs[side])[k] += least[side][onto[side][k]];
  }
};

}  // namespace

TablePlan plan_tables(const ReducedCosts& costs, const std::vector<std::int32_t>& order,
                      double each) {
  TablePlan plan;
  plan.order = order;
  plan.scopes.resize(order.size());
  const Places place(costs, order);
  std::vector<std::vector<Scope>> waiting(order.size());
  for (const CostFunction& function : costs.functions) {
    Scope scope = function.scope;
    place.sort(scope);
    waiting[place(scope.back())].push_back(std::move(scope));
  }
  for (std::size_t p = order.size(); p-- > 0;) {
    // The largest first, each into the first table that has room.
    std::stable_sort(waiting[p].begin(), waiting[p].end(), [&](const Scope& a, const Scope& b) {
      return entries(costs, a) > entries(costs, b);
    });
    std::vector<Scope>& tables = plan.scopes[p];
    for (const Scope& scope : waiting[p]) {
      const auto table = std::find_if(tables.begin(), tables.end(), [&](const Scope& t) {
        return entries(costs, place.joined(t, scope)) <= each;
      });
      if (table == tables.end())
        tables.push_back(scope);
      else
        *table = place.joined(*table, scope);
    }
    plan.is_whole = plan.is_whole && tables.size() < 2;
    for (Scope scope : tables) {
      plan.entries += entries(costs, scope);
      plan.largest = std::max(plan.largest, entries(costs, scope));
      scope.pop_back();
      if (!scope.empty()) waiting[place(scope.back())].push_back(std::move(scope));
    }
  }
  return plan;
}

MiniBuckets fill_tables(const ReducedCosts& costs, TablePlan plan,
                        const std::function<void()>& poll) {
  MiniBuckets found{std::move(plan), {}, costs.bound};
  Filling(costs, found).run(poll);
  return found;
}

}  // namespace rangemoves
