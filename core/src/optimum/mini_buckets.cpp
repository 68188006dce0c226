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
    for (const std::vector<Scope>& scopes : found.plan.scopes) {
      std::vector<BucketTable>& tables = found_.tables.emplace_back();
      for (const Scope& scope : scopes)
        tables.emplace_back().costs.assign(static_cast<std::size_t>(entries(costs_, scope)), 0);
    }
    for (const CostFunction& function : costs.functions) put(function);
  }

  void run(const std::function<void()>& poll) {
    for (int round = 0; round < found_.plan.rounds; ++round) {
      for (std::size_t p = places(); p-- > 0;) {
        poll();
        agree_within(p);
        agree_with_next(p);
      }
      for (std::size_t p = 0; p < places(); ++p) {
        poll();
        agree_with_next(p);
        agree_within(p);
      }
    }
    for (std::size_t p = places(); p-- > 0;) {
      poll();
      take_out(p);
    }
  }

 private:
  const ReducedCosts& costs_;
  MiniBuckets& found_;
  const Places place_;

  struct Table {
    const Scope& scope;
    std::vector<std::int64_t>& costs;
  };

  std::size_t choices(std::int32_t i) const { return static_cast<std::size_t>(costs_.choices(i)); }
  std::size_t places() const { return found_.plan.order.size(); }
  Table table(std::size_t p, std::size_t t) {
    return {found_.plan.scopes[p][t], found_.tables[p][t].costs};
  }

  // Where a cost of these variables goes: the first table of the last one that has them all.
  Table table_for(const Scope& scope) {
    const std::size_t p = place_(scope.back());
    std::size_t t = 0;
    while (!place_.has_all(found_.plan.scopes[p][t], scope)) ++t;
    return table(p, t);
  }

  void put(CostFunction function) {
    if (function.scope.empty()) {
      found_.bound += function.values.front();
      return;
    }
    if (function.scope.size() == 2 && place_(function.scope[0]) > place_(function.scope[1]))
      turn(function);
    add(function, table_for(function.scope));
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
    agree_within(p);
    const auto own = static_cast<std::ptrdiff_t>(choices(found_.plan.order[p]));
    for (std::size_t t = 0; t < found_.tables[p].size(); ++t) {
      BucketTable& table = found_.tables[p][t];
      for (auto row = table.costs.begin(); row != table.costs.end(); row += own)
        table.least.push_back(*std::min_element(row, row + own));
      put({without_own(p, t), table.least});
    }
  }

  Scope without_own(std::size_t p, std::size_t t) const {
    const Scope& scope = found_.plan.scopes[p][t];
    return Scope(scope.begin(), scope.end() - 1);
  }

  void agree_within(std::size_t p) {
    for (std::size_t t = 1; t < found_.tables[p].size(); ++t)
      for (std::size_t u = 0; u < t; ++u) agree(table(p, t), table(p, u));
  }

  // Each table of a variable with the one that its least costs will go to.
  void agree_with_next(std::size_t p) {
    for (std::size_t t = 0; t < found_.tables[p].size(); ++t) {
      const Scope rest = without_own(p, t);
      if (!rest.empty()) agree(table(p, t), table_for(rest));
    }
  }

  // Visits the rows of a table, each all labels of its own variable: where the row begins, where in
  // a table over some of the variables, and whether that moves on from label to label.
  template <class Visit>
  void each_row(const Scope& scope, const Scope& part, Visit&& visit) const {
    std::vector<std::size_t> step(scope.size(), 0), at(scope.size(), 0);
    std::size_t size = 1, end = 1;
    for (std::size_t k = part.size(); k-- > 0;) {
      const auto where = std::find(scope.begin(), scope.end(), part[k]) - scope.begin();
      step[static_cast<std::size_t>(where)] = size;
      size *= choices(part[k]);
    }
    for (const std::int32_t i : scope) end *= choices(i);
    const std::size_t last = scope.size() - 1, own = choices(scope[last]);
    std::size_t in_part = 0;
    for (std::size_t row = 0; row < end; row += own) {
      visit(row, in_part, step[last] > 0);
      for (std::size_t k = last; k-- > 0;) {
        in_part += step[k];
        if (++at[k] < choices(scope[k])) break;
        in_part -= step[k] * choices(scope[k]);
        at[k] = 0;
      }
    }
  }

  // Adds a function of some of the variables of a table to it.
  void add(const CostFunction& function, const Table& to) const {
    const std::size_t own = choices(to.scope.back());
    each_row(to.scope, function.scope, [&](std::size_t row, std::size_t at, bool moves) {
      const std::int64_t* from = function.values.data() + at;
      std::int64_t* costs = to.costs.data() + row;
      if (moves)
        for (std::size_t l = 0; l < own; ++l) costs[l] += from[l];
      else
        for (std::size_t l = 0; l < own; ++l) costs[l] += *from;
    });
  }

  // What a table costs at least for each choice of some of its variables.
  CostFunction least_over_others(const Table& table, const Scope& part) const {
    const std::size_t own = choices(table.scope.back());
    CostFunction least{part, std::vector<std::int64_t>(
                                 static_cast<std::size_t>(entries(costs_, part)), INT64_MAX)};
    each_row(table.scope, part, [&](std::size_t row, std::size_t at, bool moves) {
      const std::int64_t* costs = table.costs.data() + row;
      std::int64_t* to = least.values.data() + at;
      if (moves)
        for (std::size_t l = 0; l < own; ++l) to[l] = std::min(to[l], costs[l]);
      else
        *to = std::min(*to, *std::min_element(costs, costs + own));
    });
    return least;
  }

  // What two tables cost at least for each choice of the variables that they have in common is
  // shared equally. Their sum stays what it is, and no entry becomes negative.
  void agree(const Table& a, const Table& b) const {
    const Scope common = place_.common(a.scope, b.scope);
    CostFunction to_a = least_over_others(a, common), to_b = least_over_others(b, common);
    for (std::size_t k = 0; k < to_a.values.size(); ++k) {
      const std::int64_t sum = to_a.values[k] + to_b.values[k];
      to_a.values[k] = sum / 2 - to_a.values[k];
      to_b.values[k] = sum - sum / 2 - to_b.values[k];
    }
    add(to_a, a);
    add(to_b, b);
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
