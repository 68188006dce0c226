#define RANGEMOVES_VIEW_LEVEL view_plain
#include "view_kernels.inc"
