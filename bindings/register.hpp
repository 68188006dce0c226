// One register_X.cpp per concept; module.cpp only lists them.
#pragma once

#include <nanobind/nanobind.h>

void register_pieces(nanobind::module_& m);    // convexify, topology, active sets, max-flow
void register_minimize(nanobind::module_& m);  // the methods
void register_stereo(nanobind::module_& m);    // matching costs, filling
void register_views(nanobind::module_& m);     // views in bytes and 16-bit messages
