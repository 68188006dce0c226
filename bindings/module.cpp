#include "register.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of rangemoves. Arguments are checked by the Python above it.";
  register_pieces(m);
  register_minimize(m);
  register_stereo(m);
}
