// Runs of bytes from a device to this machine's memory, written by a kernel: kernels/transpose/97_send.cu.
#ifndef HW_OP_TRANSPOSE_SEND_H
#define HW_OP_TRANSPOSE_SEND_H

#include "device/device.h"
#include "op/transpose/transpose_pieces.h"

enum { HW_SEND_THREADS = 64 };           // of a block: blocks are the measure of how much is under way
enum { HW_SEND_BYTES_MOST = 1 << 27 };   // at a time: of bytes far apart eight words each are counted, in 31 bits

// p, merged, says where the elements lie: in on the device; out in this machine's memory, reached by the device. Both
// have their axes in the same order, and all runs (along the last axis, where it has stride 1 in both) begin at the
// same place in a word of HW_WORD_BYTES on both sides; the words in which they begin and end are read whole. In the
// order of the stream; `begin` is recorded when nothing but the launch is left to do. HW_COMPILE, HW_NOT_FOUND
// (compiler).
hw_status hw_send(hw_stream *stream, const hw_permutation *p, uint32_t blocks, hw_event *begin, hw_diag *diag);

// How many blocks, from 1 to `most`, should send the next pieces, when a piece that `blocks` blocks sent took `come` to
// be copied to the device and `go` to be sent (any unit, above 0). With too few blocks sending takes longer than
// copying; with too many copying slows down, since its reads wait behind the writes.
uint32_t hw_send_pace(uint32_t blocks, double come, double go, uint32_t most);

#endif
