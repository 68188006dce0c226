#define RANGEMOVES_NARROW_LANES 8
#define RANGEMOVES_WIDE_LANES 4
#define RANGEMOVES_NAME "plain8"
#define RANGEMOVES_LEVEL level_plain8
#include "level.inc"
