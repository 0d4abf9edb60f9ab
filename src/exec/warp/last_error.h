// The error that a thread's calls of CUDA's runtime have left last (cudaGetLastError). A block has room for them from
// its first on.
#ifndef HW_EXEC_LAST_ERROR_H
#define HW_EXEC_LAST_ERROR_H

#include "exec/warp/warp.h"

// error: cudaError_t. Where there is no memory for it, it is not kept.
void hw_last_error_set(const hw_state *s, int lane, uint32_t error);
uint32_t hw_last_error(const hw_state *s, int lane);

void hw_last_error_forget(hw_block *block);     // a new block begins
void hw_last_error_free(hw_block *block);

#endif
