#include "code_pages.hpp"
#include "register.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of rangemoves. Arguments are checked by the Python above it.";
  rangemoves::read_in_code();
  register_pieces(m);
  register_minimize(m);
  register_stereo(m);
  register_views(m);
}
