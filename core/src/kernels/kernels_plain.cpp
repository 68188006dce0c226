#define RANGEMOVES_LANES 4
#define RANGEMOVES_LEVEL "plain"
#define RANGEMOVES_KERNELS kernels_plain
#include "kernels.inc"
