// Device memory: host memory with a table of allocations, so that every access can be checked.
//
// What the program and its kernels call the address of a byte is its device address. Memory that is the host's as well
// (pinned, managed, registered) has its device address for a host address. Other device memory is not the host's to
// touch: its addresses lie in a range without access, and the bytes elsewhere, where hw_mem_host finds them. All
// addresses that hw_mem_alloc gives out lie in one reserved span, so that a stray one is told without touching it.
#ifndef HW_MEM_MEM_H
#define HW_MEM_MEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

typedef struct hw_mem hw_mem;

typedef enum hw_alloc_kind {
    HW_ALLOC_DEVICE,    // cudaMalloc
    HW_ALLOC_MANAGED,   // cudaMallocManaged: host and device
    HW_ALLOC_PINNED,    // cudaMallocHost, cudaHostAlloc
    HW_ALLOC_REGISTERED,// cudaHostRegister: the program's own memory
    HW_ALLOC_GLOBAL,    // a module's .global and .const variable
    HW_ALLOC_HEAP,      // device-side malloc
    HW_ALLOC_MAPPED,    // memory that was made without an address (virtual memory management), or by another process
    HW_ALLOC_KINDS
} hw_alloc_kind;

// Who asks for a change of memory, and in which order, for messages and observers.
typedef struct hw_mem_caller {
    const void *site;       // a code address of the host program, or NULL
    uint64_t stream;        // in whose order, as the caller names it
    bool is_in_order;       // the change is work of the stream (cudaMallocAsync); false: it happens at once
} hw_mem_caller;

typedef struct hw_allocation {
    uint64_t address, bytes;
    hw_alloc_kind kind;
    bool is_freed;          // kept for a while to name use after free
    bool is_read_only;      // of HW_ALLOC_MAPPED: kernels and copies may not write there
    const void *site;       // who asked for it: a code address of the host program, or NULL
    const void *freed_at;   // who freed it, likewise
    const char *name;       // of a variable, or NULL; not copied
    uint32_t flags;         // the runtime's own
    uint8_t gpu;            // whose it is, by number
    uint16_t open_to;       // a bit for each other GPU whose kernels may touch it, beside those that reach all of gpu's
} hw_allocation;

// Reserves address space for limit_bytes (the simulated GPU's memory; touched pages alone cost memory): a dozen times
// as much, less where the process may not have it.
hw_status hw_mem_create(uint64_t limit_bytes, hw_mem **out, hw_diag *diag);
void hw_mem_destroy(hw_mem *mem);

// The memory of one of several GPUs, each below HW_MEM_GPUS and of the same limit. They share one range of addresses:
// each finds what the others have allocated, and its kernels may touch what is the host's as well, what is mapped, and
// the memory of those GPUs that it has been let reach (hw_mem_set_reach: peer access; its own at first). With one that
// is destroyed goes all that is its own. Creating and destroying are one at a time.
enum { HW_MEM_GPUS = 16 };
typedef struct hw_mem_place {
    hw_mem *beside;         // the memory of another one; NULL: there is none yet
    uint32_t number, gpus;  // which GPU of how many
} hw_mem_place;
hw_status hw_mem_create_beside(uint64_t limit_bytes, const hw_mem_place *place, hw_mem **out, hw_diag *diag);
void hw_mem_set_reach(hw_mem *mem, uint32_t gpu, bool reaches);
bool hw_mem_reaches(const hw_mem *mem, uint32_t gpu);
uint32_t hw_mem_number(const hw_mem *mem);
// Does live memory of another GPU lie there, which this one's kernels may not touch?
bool hw_mem_is_out_of_reach(const hw_mem *mem, uint64_t address);
// The live managed variable of that name, of any GPU; 0: there is none. Costs a look at each allocation.
uint64_t hw_mem_find_managed(const hw_mem *mem, const char *name);

// bytes (0 allowed: one address is still used up) at a multiple of align (power of two; 256 at least is kept).
// Contents: zero on first use of a page, else what was there, as on a GPU; or what hw_mem_set_poison says.
// HW_NO_MEMORY when the limit is reached. Threads: any, also while kernels run.
hw_status hw_mem_alloc(hw_mem *mem, uint64_t bytes, uint64_t align, hw_alloc_kind kind, const void *site,
                       const char *name, uint64_t *address, hw_diag *diag);
// hw_mem_alloc of memory without a name for a call of the host program.
hw_status hw_mem_alloc_for(hw_mem *mem, const hw_mem_caller *caller, uint64_t bytes, uint64_t align,
                           hw_alloc_kind kind, uint64_t *address, hw_diag *diag);

// Fills fresh allocations with this byte from now on, except variables (HW_ALLOC_GLOBAL), which their module fills. -1,
// as at first: allocations are left as they are. Not while others allocate.
void hw_mem_set_poison(hw_mem *mem, int byte);
int hw_mem_poison(const hw_mem *mem);

// From now on allocations lie further apart, at least by their own size up to a GiB as long as there are addresses, and
// those of freed ones are given out again as late as can be: so that an access that has lost its way meets no other
// allocation. Not those of device-side malloc, which are many. Costs addresses. Not while others allocate.
void hw_mem_keep_apart(hw_mem *mem);

// The host address of the byte at a device address, and of those behind it in the same allocation: the device address
// itself, unless it lies in memory that the program's host code cannot touch. Does not check that the address is
// allocated.
void *hw_mem_host(const hw_mem *mem, uint64_t address);

// hw_mem_host for callers with many addresses: the range whose bytes lie elsewhere, and the distance. The structure
// belongs to the memory and lives as long.
typedef struct hw_mem_apart {
    uint64_t begin, bytes, shift;
} hw_mem_apart;
const hw_mem_apart *hw_mem_get_apart(const hw_mem *mem);
static inline void *hw_mem_apart_host(const hw_mem_apart *apart, uint64_t address) {
    return (void *)(uintptr_t)(address + (address - apart->begin < apart->bytes ? apart->shift : 0));
}

// Makes the program's own memory [address, address + bytes) accessible to kernels.
hw_status hw_mem_register(hw_mem *mem, uint64_t address, uint64_t bytes, const void *site, hw_diag *diag);

// The same for memory that the caller has mapped there: HW_ALLOC_MAPPED. What kernels find in it may change behind this
// process's back.
hw_status hw_mem_adopt(hw_mem *mem, uint64_t address, uint64_t bytes, bool is_read_only, const void *site,
                       hw_diag *diag);

// Counts bytes that have no address yet as allocated; false when that would be more than the limit. And no longer.
bool hw_mem_charge(hw_mem *mem, uint64_t bytes);
void hw_mem_uncharge(hw_mem *mem, uint64_t bytes);

// address as returned by hw_mem_alloc, registered or adopted; HW_USAGE when it is none, or freed already.
hw_status hw_mem_free(hw_mem *mem, uint64_t address, hw_diag *diag);
// hw_mem_free for a call of the host program: its site is kept with what is remembered of the allocation.
hw_status hw_mem_free_for(hw_mem *mem, const hw_mem_caller *caller, uint64_t address, hw_diag *diag);

// The live allocation that holds all of [address, address + bytes) and that the GPU's kernels may touch, copied into
// *out; false when there is none. O(log allocations). Lock-free for readers.
bool hw_mem_find(const hw_mem *mem, uint64_t address, uint64_t bytes, hw_allocation *out);
// The same whether they may touch it or not.
bool hw_mem_find_any(const hw_mem *mem, uint64_t address, uint64_t bytes, hw_allocation *out);

// The freed allocation that holds address, as long as its addresses are not given out again. Costs as hw_mem_find.
bool hw_mem_find_freed(const hw_mem *mem, uint64_t address, hw_allocation *out);

// Whether address lies in the reserved span: what hw_mem_alloc gives out, allocated or not, and nobody else's.
bool hw_mem_owns(const hw_mem *mem, uint64_t address);

// For messages: the allocation (freed ones included) that holds address, or else the nearest one; false when there
// has been none at all.
bool hw_mem_nearest(const hw_mem *mem, uint64_t address, hw_allocation *out);

// The texture objects that kernels may read through, of this memory or not.
typedef struct hw_textures hw_textures;
hw_textures *hw_mem_textures(const hw_mem *mem);

// From now on `told` is called with each allocation that has been made, registered, or freed (is_freed), and with who
// asked for that, in the order in which it happens and on the thread that did it; it may look allocations up, and
// neither make nor free any. NULL: nobody is told.
typedef void (*hw_mem_told)(void *context, const hw_allocation *allocation, const hw_mem_caller *caller);
void hw_mem_watch(hw_mem *mem, hw_mem_told told, void *context);

// Changes whenever an allocation is made or freed: what hw_mem_find said holds while it stays the same.
uint64_t hw_mem_epoch(const hw_mem *mem);

// What an allocation's bytes are, as a number: another one, and never one that was given before, once they may have
// changed. So two equal numbers of an address say that nobody has written there in between. address: where it begins.
// 0: nobody can know, for the host writes there without a call (pinned, managed, registered), or no live allocation
// begins there.
uint64_t hw_mem_contents(const hw_mem *mem, uint64_t address);
// The number given last: all that is larger comes from a later change.
uint64_t hw_mem_changes(const hw_mem *mem);
// Bytes of the allocation that holds address, or of all of them, may be other ones now. Whoever has written through
// hw_mem_host says so, behind the last byte. Returns the new number; 0: there is no allocation.
uint64_t hw_mem_set_changed(hw_mem *mem, uint64_t address);
void hw_mem_set_all_changed(hw_mem *mem);
// From now on nobody can know of the allocation that begins at address: another process may write there as well.
void hw_mem_set_shared(hw_mem *mem, uint64_t address);

// Sets the flags of the live allocation that holds address; nothing happens when there is none.
void hw_mem_set_flags(hw_mem *mem, uint64_t address, uint32_t flags);
// Sets open_to of the live allocation of this GPU that begins at address; and of all that are HW_ALLOC_DEVICE and have
// these flags, which costs a look at each.
void hw_mem_open(hw_mem *mem, uint64_t address, uint16_t gpus);
void hw_mem_open_all(hw_mem *mem, uint32_t flags, uint16_t gpus);

// Totals in bytes: the limit, and what is allocated of it (pinned and registered host memory does not count).
void hw_mem_usage(const hw_mem *mem, uint64_t *limit, uint64_t *used);

// Bytes that device-side malloc has handed out, 16 more for each block.
uint64_t hw_mem_heap_used(const hw_mem *mem);

#endif
