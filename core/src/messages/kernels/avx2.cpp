#define RANGEMOVES_NARROW_LANES 8
#define RANGEMOVES_WIDE_LANES 4
#define RANGEMOVES_NAME "avx2"
#define RANGEMOVES_LEVEL level_avx2
#include "level.inc"
