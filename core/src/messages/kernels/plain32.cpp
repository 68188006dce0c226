#define RANGEMOVES_NARROW_LANES 32
#define RANGEMOVES_WIDE_LANES 16
#define RANGEMOVES_NAME "plain32"
#define RANGEMOVES_LEVEL level_plain32
#include "level.inc"
