// Cooperative groups: threads of a block, a grid, a tile of a warp, or those that happen to run together, that wait for
// each other and exchange values. reduce.h, scan.h and memcpy_async.h in cooperative_groups/ build on this.
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_
#ifdef __clang__
#pragma clang system_header
#endif

#if defined(__CUDA__) && defined(__cplusplus)

#include "cuda_runtime.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

#define __HALFWARP_CG__ inline __device__ __attribute__((always_inline))

namespace cooperative_groups {

namespace details {

__HALFWARP_CG__ unsigned int lane() {
    unsigned int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
__HALFWARP_CG__ unsigned int lanes_before() {
    unsigned int mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}
__HALFWARP_CG__ unsigned int block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
__HALFWARP_CG__ unsigned int rank_in_block() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__HALFWARP_CG__ unsigned long long grid_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
__HALFWARP_CG__ unsigned long long block_in_grid() {
    return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

// The lane that the rank-th thread of the mask runs on.
__HALFWARP_CG__ unsigned int lane_of_rank(unsigned int mask, unsigned int rank) {
    for (; rank; rank--) mask &= mask - 1;
    return mask ? __ffs((int)mask) - 1 : 0;
}
// The bits of value at the ones of mask, moved together.
__HALFWARP_CG__ unsigned int pack(unsigned int value, unsigned int mask) {
    unsigned int packed = 0;
    for (unsigned int rank = 0; mask; mask &= mask - 1, rank++)
        packed |= (value >> (__ffs((int)mask) - 1) & 1) << rank;
    return packed;
}

// Values of any size go between lanes in words of 32 bits.
template <class T> __HALFWARP_CG__ T shuffle(unsigned int mask, const T &value, unsigned int lane, int width) {
    unsigned int words[(sizeof(T) + 3) / 4] = {};
    T result;
    memcpy(words, &value, sizeof(T));
#pragma unroll
    for (unsigned int i = 0; i < (sizeof(T) + 3) / 4; i++) words[i] = __shfl_sync(mask, words[i], (int)lane, width);
    memcpy(&result, words, sizeof(T));
    return result;
}

// The driver gives a cooperative launch some memory, whose address is in %envreg1 and 2 and whose second word is the
// grid's barrier: its top bit flips when the last block has come.
__HALFWARP_CG__ unsigned int *grid_barrier() {
    unsigned int high, low;
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    unsigned long long address = (unsigned long long)high << 32 | low;
    return address ? (unsigned int *)address + 1 : nullptr;
}
__HALFWARP_CG__ void grid_sync() {
    __syncthreads();
    if (rank_in_block() == 0) {
        unsigned int *barrier = grid_barrier();
        unsigned int others = (unsigned int)grid_blocks() - 1;
        unsigned int mine = block_in_grid() == 0 ? 0x80000000u - others : 1u, before;
        __threadfence();
        before = atomicAdd(barrier, mine);
        while (!((before ^ *(volatile unsigned int *)barrier) & 0x80000000u)) {}
        __threadfence();
    }
    __syncthreads();
}

// What tiles of more than one warp exchange through: a value per warp of the block, a barrier per tile.
struct tile_scratch {
    unsigned long long values[32];
    unsigned int arrived;
};

// Waits for the `threads` threads of the rank-th tile. There are 15 barriers beside that of __syncthreads; a sixteenth
// tile (of 64 threads, in a block of 1024) counts its warps in shared memory.
__HALFWARP_CG__ void tile_sync(tile_scratch *scratch, unsigned int rank, unsigned int threads) {
    if (rank < 15) {
        asm volatile("barrier.sync %0, %1;" ::"r"(rank + 1), "r"(threads) : "memory");
        return;
    }
    __syncwarp();
    if (lane() == 0) {
        unsigned int warps = threads / 32, last = (atomicAdd(&scratch->arrived, 1u) / warps + 1) * warps;
        __threadfence_block();
        while ((int)(*(volatile unsigned int *)&scratch->arrived - last) < 0) {}
        __threadfence_block();
    }
    __syncwarp();
}

enum kind { of_block, of_grid, of_lanes };

}

template <unsigned int MaxBlockSize = 1024> struct block_tile_memory : details::tile_scratch {};

// What the group types have in common, and what a function takes that accepts them all.
class thread_group {
  protected:
    details::kind kind_;
    unsigned int mask_, size_, rank_;

  public:
    __HALFWARP_CG__ thread_group(details::kind kind, unsigned int mask, unsigned int size, unsigned int rank)
        : kind_(kind), mask_(mask), size_(size), rank_(rank) {}
    __HALFWARP_CG__ unsigned int size() const { return size_; }
    __HALFWARP_CG__ unsigned int num_threads() const { return size_; }
    __HALFWARP_CG__ unsigned int thread_rank() const { return rank_; }
    __HALFWARP_CG__ void sync() const {
        if (kind_ == details::of_block) __syncthreads();
        else if (kind_ == details::of_grid) details::grid_sync();
        else __syncwarp(mask_);
    }
    // For tiled_partition: the lanes of this group, where it lies in one warp.
    __HALFWARP_CG__ unsigned int __halfwarp_mask() const { return mask_; }
    __HALFWARP_CG__ bool __halfwarp_is_block() const { return kind_ == details::of_block; }
};

class thread_block : public thread_group {
    details::tile_scratch *scratch_;

  public:
    explicit __HALFWARP_CG__ thread_block(details::tile_scratch *scratch = nullptr)
        : thread_group(details::of_block, ~0u, details::block_threads(), details::rank_in_block()), scratch_(scratch) {}
    __HALFWARP_CG__ details::tile_scratch *__halfwarp_scratch() const { return scratch_; }
    static __HALFWARP_CG__ void sync() { __syncthreads(); }
    static __HALFWARP_CG__ unsigned int size() { return details::block_threads(); }
    static __HALFWARP_CG__ unsigned int num_threads() { return details::block_threads(); }
    static __HALFWARP_CG__ unsigned int thread_rank() { return details::rank_in_block(); }
    static __HALFWARP_CG__ dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static __HALFWARP_CG__ dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static __HALFWARP_CG__ dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static __HALFWARP_CG__ dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
};

class grid_group {
  public:
    static __HALFWARP_CG__ bool is_valid() { return details::grid_barrier() != nullptr; }
    static __HALFWARP_CG__ void sync() { details::grid_sync(); }
    static __HALFWARP_CG__ unsigned long long size() { return details::grid_blocks() * details::block_threads(); }
    static __HALFWARP_CG__ unsigned long long num_threads() { return size(); }
    static __HALFWARP_CG__ unsigned long long thread_rank() {
        return details::block_in_grid() * details::block_threads() + details::rank_in_block();
    }
    static __HALFWARP_CG__ unsigned long long num_blocks() { return details::grid_blocks(); }
    static __HALFWARP_CG__ unsigned long long block_rank() { return details::block_in_grid(); }
    static __HALFWARP_CG__ dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    static __HALFWARP_CG__ dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    static __HALFWARP_CG__ dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};

// 1, 2, 4, ... 32 neighbouring threads of a warp.
template <unsigned int Size, class Parent = void, bool is_large = (Size > 32)>
class thread_block_tile : public thread_group {
    static_assert(Size >= 1 && !(Size & (Size - 1)), "the size of a tile is a power of two");

  public:
    __HALFWARP_CG__ thread_block_tile()
        : thread_group(details::of_lanes, lanes(), Size, details::lane() & (Size - 1)) {}
    template <class Group> explicit __HALFWARP_CG__ thread_block_tile(const Group &, int) : thread_block_tile() {}
    template <class Other>
    __HALFWARP_CG__ thread_block_tile(const thread_block_tile<Size, Other> &) : thread_block_tile() {}
    static __HALFWARP_CG__ unsigned int lanes() {
        return Size == 32 ? ~0u : ((1ull << Size) - 1) << (details::lane() & ~(Size - 1));
    }
    static __HALFWARP_CG__ void sync() { __syncwarp(lanes()); }
    static constexpr __HALFWARP_CG__ unsigned int size() { return Size; }
    static constexpr __HALFWARP_CG__ unsigned int num_threads() { return Size; }
    static __HALFWARP_CG__ unsigned int thread_rank() { return details::lane() & (Size - 1); }
    static __HALFWARP_CG__ unsigned int meta_group_rank() { return details::rank_in_block() / Size; }
    static __HALFWARP_CG__ unsigned int meta_group_size() { return (details::block_threads() + Size - 1) / Size; }

    template <class T> __HALFWARP_CG__ T shfl(T value, int rank) const {
        return details::shuffle(lanes(), value, (unsigned int)rank, Size);
    }
    template <class T> __HALFWARP_CG__ T shfl_up(T value, unsigned int delta) const {
        unsigned int rank = thread_rank();
        return details::shuffle(lanes(), value, rank >= delta ? rank - delta : rank, Size);
    }
    template <class T> __HALFWARP_CG__ T shfl_down(T value, unsigned int delta) const {
        unsigned int rank = thread_rank();
        return details::shuffle(lanes(), value, rank + delta < Size ? rank + delta : rank, Size);
    }
    template <class T> __HALFWARP_CG__ T shfl_xor(T value, unsigned int mask) const {
        unsigned int rank = thread_rank() ^ mask;
        return details::shuffle(lanes(), value, rank < Size ? rank : thread_rank(), Size);
    }
    __HALFWARP_CG__ int any(int predicate) const { return __any_sync(lanes(), predicate); }
    __HALFWARP_CG__ int all(int predicate) const { return __all_sync(lanes(), predicate); }
    __HALFWARP_CG__ unsigned int ballot(int predicate) const {
        return __ballot_sync(lanes(), predicate) >> (details::lane() & ~(Size - 1));
    }
    template <class T> __HALFWARP_CG__ unsigned int match_any(T value) const {
        return __match_any_sync(lanes(), value) >> (details::lane() & ~(Size - 1));
    }
    template <class T> __HALFWARP_CG__ unsigned int match_all(T value, int &same) const {
        return __match_all_sync(lanes(), value, &same) >> (details::lane() & ~(Size - 1));
    }
};

// 64 and more threads of a block that was made with a block_tile_memory.
template <unsigned int Size, class Parent> class thread_block_tile<Size, Parent, true> {
    static_assert(Size <= 1024 && !(Size & (Size - 1)), "the size of a tile is a power of two, at most 1024");
    details::tile_scratch *scratch_;

  public:
    explicit __HALFWARP_CG__ thread_block_tile(const thread_block &block, int) : scratch_(block.__halfwarp_scratch()) {}
    template <class Other>
    __HALFWARP_CG__ thread_block_tile(const thread_block_tile<Size, Other> &other)
        : scratch_(other.__halfwarp_scratch()) {}
    __HALFWARP_CG__ details::tile_scratch *__halfwarp_scratch() const { return scratch_; }
    __HALFWARP_CG__ void sync() const { details::tile_sync(scratch_, meta_group_rank(), Size); }
    static constexpr __HALFWARP_CG__ unsigned int size() { return Size; }
    static constexpr __HALFWARP_CG__ unsigned int num_threads() { return Size; }
    static __HALFWARP_CG__ unsigned int thread_rank() { return details::rank_in_block() & (Size - 1); }
    static __HALFWARP_CG__ unsigned int meta_group_rank() { return details::rank_in_block() / Size; }
    static __HALFWARP_CG__ unsigned int meta_group_size() { return (details::block_threads() + Size - 1) / Size; }
};

// Any threads of one warp.
class coalesced_group : public thread_group {
  public:
    explicit __HALFWARP_CG__ coalesced_group(unsigned int mask)
        : thread_group(details::of_lanes, mask, __popc(mask), __popc(mask & details::lanes_before())) {}
    __HALFWARP_CG__ void sync() const { __syncwarp(mask_); }
    __HALFWARP_CG__ unsigned int meta_group_rank() const { return 0; }
    __HALFWARP_CG__ unsigned int meta_group_size() const { return 1; }

    template <class T> __HALFWARP_CG__ T shfl(T value, unsigned int rank) const {
        return details::shuffle(mask_, value, details::lane_of_rank(mask_, rank % size_), 32);
    }
    template <class T> __HALFWARP_CG__ T shfl_up(T value, unsigned int delta) const {
        return shfl(value, rank_ >= delta ? rank_ - delta : rank_);
    }
    template <class T> __HALFWARP_CG__ T shfl_down(T value, unsigned int delta) const {
        return shfl(value, rank_ + delta < size_ ? rank_ + delta : rank_);
    }
    __HALFWARP_CG__ int any(int predicate) const { return __any_sync(mask_, predicate); }
    __HALFWARP_CG__ int all(int predicate) const { return __all_sync(mask_, predicate); }
    __HALFWARP_CG__ unsigned int ballot(int predicate) const {
        return details::pack(__ballot_sync(mask_, predicate), mask_);
    }
    template <class T> __HALFWARP_CG__ unsigned int match_any(T value) const {
        return details::pack(__match_any_sync(mask_, value), mask_);
    }
    template <class T> __HALFWARP_CG__ unsigned int match_all(T value, int &same) const {
        return details::pack(__match_all_sync(mask_, value, &same), mask_);
    }
};

__HALFWARP_CG__ thread_block this_thread_block() { return thread_block(); }
template <unsigned int MaxBlockSize>
__HALFWARP_CG__ thread_block this_thread_block(block_tile_memory<MaxBlockSize> &memory) {
    if (details::rank_in_block() == 0) memory.arrived = 0;
    __syncthreads();
    return thread_block(&memory);
}
__HALFWARP_CG__ grid_group this_grid() { return grid_group(); }
__HALFWARP_CG__ coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <unsigned int Size, class Parent>
__HALFWARP_CG__ thread_block_tile<Size, Parent> tiled_partition(const Parent &parent) {
    return thread_block_tile<Size, Parent>(parent, 0);
}
// A size that is known only when the program runs; from a block, or from threads of one warp.
__HALFWARP_CG__ thread_group tiled_partition(const thread_group &parent, unsigned int size) {
    unsigned int rank = parent.thread_rank(), first = rank / size * size, mask = 0;
    if (parent.__halfwarp_is_block()) {
        unsigned int first_lane = details::lane() / size * size;
        mask = (size >= 32 ? ~0u : (1u << size) - 1) << first_lane;
        return thread_group(details::of_lanes, mask, size, details::lane() - first_lane);
    }
    unsigned int left = parent.__halfwarp_mask(), count = 0;
    for (unsigned int i = 0; left; i++, left &= left - 1)
        if (i >= first && i < first + size) {
            mask |= left & -left;
            count++;
        }
    return thread_group(details::of_lanes, mask, count, rank - first);
}
template <class Group> __HALFWARP_CG__ coalesced_group binary_partition(const Group &group, bool predicate) {
    unsigned int lanes = group.__halfwarp_mask(), yes = __ballot_sync(lanes, predicate);
    return coalesced_group(predicate ? yes : lanes & ~yes);
}
template <class Group, class Label> __HALFWARP_CG__ coalesced_group labeled_partition(const Group &group, Label label) {
    return coalesced_group(__match_any_sync(group.__halfwarp_mask(), label));
}

template <class Group> __HALFWARP_CG__ void sync(const Group &group) { group.sync(); }
template <class Group> __HALFWARP_CG__ unsigned int thread_rank(const Group &group) { return group.thread_rank(); }
template <class Group> __HALFWARP_CG__ unsigned int group_size(const Group &group) { return group.size(); }

template <class Group, class Function> __HALFWARP_CG__ void invoke_one(const Group &group, Function function) {
    if (group.thread_rank() == 0) function();
}

}

#pragma clang attribute pop

#endif

#endif
