// Convex range and surrogate of every table, as the settings ask for them.
#pragma once

#include "rangemoves/run/settings.hpp"
#include "rangemoves/surrogate/choice.hpp"

namespace rangemoves {

// What the setting `convex_range` asks for. The range of a prior is cut to what its table allows:
// rounded, or seen at integers only, g may be convex on less than its formula says.
PerEdge<ConvexRange> chosen_ranges(const PerEdge<Table>& g, const Settings& settings);

// Whether the convex ranges of all tables hold every difference: then a move of all variables is
// the whole problem, and its solution the global optimum.
bool ranges_hold_all(const PerEdge<Table>& g, const Settings& settings);

// How many steps apart the labels of a range may be, for g to be convex between them; at least one
// where there is more than one label.
int range_width(const PerEdge<Table>& g, const Settings& settings);

// The one h of each table that the setting `surrogate` asks for; the tight one where it asks for
// none, or for one per difference.
PerEdge<Table> chosen_tables(const PerEdge<Table>& g, const Settings& settings);

// The same as moves need it, with one per difference where the setting asks for that.
SurrogateTables chosen_surrogate(const PerEdge<Table>& g, const Settings& settings);

}  // namespace rangemoves
