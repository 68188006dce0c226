#define RANGEMOVES_VIEW_LEVEL view_avx512
#include "view_kernels.inc"
