#define RANGEMOVES_NARROW_LANES 16
#define RANGEMOVES_WIDE_LANES 8
#define RANGEMOVES_NAME "avx512"
#define RANGEMOVES_LEVEL level_avx512
#include "level.inc"
