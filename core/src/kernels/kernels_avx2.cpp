#define RANGEMOVES_LANES 8
#define RANGEMOVES_LEVEL "avx2"
#define RANGEMOVES_KERNELS kernels_avx2
#include "kernels.inc"
