// How an instruction orders memory: what its PTX says of order, scope and proxy, and which operation an atomic makes.
// PTX ISA, "Memory Consistency Model".
#ifndef HW_ISA_ORDER_H
#define HW_ISA_ORDER_H

// Of a load or store: weak, volatile or stronger. Of an atomic: relaxed or stronger. Of a fence: how strong it is.
typedef enum hw_order {
    HW_ORDER_WEAK, HW_ORDER_VOLATILE, HW_ORDER_MMIO, HW_ORDER_RELAXED, HW_ORDER_ACQUIRE, HW_ORDER_RELEASE,
    HW_ORDER_ACQ_REL, HW_ORDER_SC
} hw_order;

// The threads that an order holds for, each set in the next.
typedef enum hw_scope {
    HW_SCOPE_NONE, HW_SCOPE_THREAD, HW_SCOPE_WARP, HW_SCOPE_CTA, HW_SCOPE_CLUSTER, HW_SCOPE_GPU, HW_SCOPE_SYS
} hw_scope;

// The path to memory that a fence orders with the generic one; NONE: it orders generic accesses.
typedef enum hw_proxy { HW_PROXY_NONE, HW_PROXY_ALIAS, HW_PROXY_ASYNC } hw_proxy;

// What an atomic or a reduction makes of memory and operand; NONE: the instruction is neither.
typedef enum hw_atomic_op {
    HW_ATOMIC_NONE, HW_ATOMIC_AND, HW_ATOMIC_OR, HW_ATOMIC_XOR, HW_ATOMIC_ADD, HW_ATOMIC_INC, HW_ATOMIC_DEC,
    HW_ATOMIC_MIN, HW_ATOMIC_MAX, HW_ATOMIC_EXCH, HW_ATOMIC_CAS
} hw_atomic_op;

#endif
