// Barriers and fences that order memory. To clang they are intrinsics, and what an intrinsic does it takes not to touch
// a variable whose address goes nowhere, such as a __shared__ flag: it reads such a flag before the barrier behind
// which another thread has set it (GlobalsModRef of LLVM 14; "if (!F->isIntrinsic()) KnowNothing = true"). Between
// empty pieces of assembly that may change all memory nothing is moved past them; they cost no instruction.
#ifndef __HALFWARP_BARRIERS_H__
#define __HALFWARP_BARRIERS_H__

#define __HALFWARP_BARRIER__ static __device__ __forceinline__

__HALFWARP_BARRIER__ void __halfwarp_order() { asm volatile("" ::: "memory"); }

__HALFWARP_BARRIER__ void __halfwarp_syncthreads() {
    __halfwarp_order();
    __syncthreads();
    __halfwarp_order();
}
__HALFWARP_BARRIER__ int __halfwarp_syncthreads_and(int condition) {
    __halfwarp_order();
    const int all = __syncthreads_and(condition);
    __halfwarp_order();
    return all;
}
__HALFWARP_BARRIER__ int __halfwarp_syncthreads_or(int condition) {
    __halfwarp_order();
    const int any = __syncthreads_or(condition);
    __halfwarp_order();
    return any;
}
__HALFWARP_BARRIER__ int __halfwarp_syncthreads_count(int condition) {
    __halfwarp_order();
    const int count = __syncthreads_count(condition);
    __halfwarp_order();
    return count;
}
__HALFWARP_BARRIER__ void __halfwarp_syncwarp(unsigned int mask = 0xffffffff) {
    __halfwarp_order();
    __syncwarp(mask);
    __halfwarp_order();
}
__HALFWARP_BARRIER__ void __halfwarp_threadfence() {
    __halfwarp_order();
    __threadfence();
    __halfwarp_order();
}
__HALFWARP_BARRIER__ void __halfwarp_threadfence_block() {
    __halfwarp_order();
    __threadfence_block();
    __halfwarp_order();
}
__HALFWARP_BARRIER__ void __halfwarp_threadfence_system() {
    __halfwarp_order();
    __threadfence_system();
    __halfwarp_order();
}

#undef __HALFWARP_BARRIER__

// Calls alone are replaced: the names stay what they are.
#define __syncthreads() __halfwarp_syncthreads()
#define __syncthreads_and(condition) __halfwarp_syncthreads_and(condition)
#define __syncthreads_or(condition) __halfwarp_syncthreads_or(condition)
#define __syncthreads_count(condition) __halfwarp_syncthreads_count(condition)
#define __syncwarp(...) __halfwarp_syncwarp(__VA_ARGS__)
#define __threadfence() __halfwarp_threadfence()
#define __threadfence_block() __halfwarp_threadfence_block()
#define __threadfence_system() __halfwarp_threadfence_system()

#endif
