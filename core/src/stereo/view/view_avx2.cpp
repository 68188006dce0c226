#define RANGEMOVES_VIEW_LEVEL view_avx2
#include "view_kernels.inc"
