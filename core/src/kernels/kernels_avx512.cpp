#define RANGEMOVES_LANES 16
#define RANGEMOVES_LEVEL "avx512"
#define RANGEMOVES_KERNELS kernels_avx512
#include "kernels.inc"
