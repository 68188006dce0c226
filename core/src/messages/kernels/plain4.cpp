#define RANGEMOVES_NARROW_LANES 4
#define RANGEMOVES_WIDE_LANES 2
#define RANGEMOVES_NAME "plain"
#define RANGEMOVES_LEVEL level_plain4
#include "level.inc"
