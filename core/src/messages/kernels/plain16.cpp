#define RANGEMOVES_NARROW_LANES 16
#define RANGEMOVES_WIDE_LANES 8
#define RANGEMOVES_NAME "plain16"
#define RANGEMOVES_LEVEL level_plain16
#include "level.inc"
