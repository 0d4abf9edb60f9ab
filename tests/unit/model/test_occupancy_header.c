// Random launches against NVIDIA's own calculator, cuda_occupancy.h, where a CUDA toolkit is installed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "isa/gpu.h"
#include "model/occupancy.h"

#if __has_include("/usr/local/cuda/include/cuda_occupancy.h") && __has_include("/usr/local/cuda/include/cuda.h")
#include "/usr/local/cuda/include/cuda.h"
#endif
#if defined(CUDA_VERSION) && CUDA_VERSION >= 12000
#define HAS_HEADER 1
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "/usr/local/cuda/include/cuda_occupancy.h"
#endif

#ifdef HAS_HEADER

static uint64_t next(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static cudaOccDeviceProp properties_of(const hw_arch *arch) {
    return (cudaOccDeviceProp){
        .computeMajor = arch->cc / 10, .computeMinor = arch->cc % 10,
        .maxThreadsPerBlock = (int)arch->max_threads_per_block,
        .maxThreadsPerMultiprocessor = (int)arch->threads_per_sm,
        .regsPerBlock = (int)arch->regs_per_block, .regsPerMultiprocessor = (int)arch->regs_per_sm, .warpSize = 32,
        .sharedMemPerBlock = arch->smem_per_block_bytes, .sharedMemPerMultiprocessor = arch->smem_per_sm_bytes,
        .numSms = 1, .sharedMemPerBlockOptin = arch->smem_optin_bytes,
        .reservedSharedMemPerBlock = arch->smem_reserved_bytes,
    };
}

// -1: the header does not know the GPU.
static int ask_header(const hw_arch *arch, uint32_t threads, uint32_t regs, uint32_t smem) {
    cudaOccDeviceProp properties = properties_of(arch);
    cudaOccFuncAttributes function = {
        .maxThreadsPerBlock = INT_MAX, .numRegs = (int)regs, .partitionedGCConfig = PARTITIONED_GC_OFF,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN, .maxDynamicSharedSizeBytes = smem,
    };
    cudaOccDeviceState state = {.cacheConfig = CACHE_PREFER_SHARED, .carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED};
    cudaOccResult result = {0};
    cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &function, &state, (int)threads,
                                                                 smem);
    if (error == CUDA_OCC_ERROR_UNKNOWN_DEVICE) return -1;
    assert_int_equal(error, CUDA_OCC_SUCCESS);
    return result.activeBlocksPerMultiprocessor;
}

static void agrees_with_the_header(void **state) {
    (void)state;
    enum { CASES = 10000 };
    const hw_arch *archs[64], *arch;
    uint64_t seed = 5;
    uint32_t n_archs = 0;
    for (size_t i = 0; n_archs < 64 && (arch = hw_arch_at(i)); i++)
        if (arch->cc >= 30 && ask_header(arch, 256, 32, 0) >= 0) archs[n_archs++] = arch;
    assert_true(n_archs >= 9);
    for (int i = 0; i < CASES; i++) {
        arch = archs[next(&seed) % n_archs];
        uint32_t most = arch->smem_optin_bytes ? arch->smem_optin_bytes : arch->smem_per_block_bytes;
        uint32_t least_regs = arch->min_regs_per_thread ? arch->min_regs_per_thread : 1;
        uint32_t threads = 1 + (uint32_t)next(&seed) % arch->max_threads_per_block;
        uint32_t regs = least_regs + (uint32_t)next(&seed) % (arch->max_regs_per_thread + 1 - least_regs);
        uint32_t smem = next(&seed) % 4 ? (uint32_t)next(&seed) % (most + 1) >> next(&seed) % 6 : 0;
        hw_occupancy o = hw_model_occupancy(arch, threads, regs, smem);
        int wanted = ask_header(arch, threads, regs, smem);
        if ((int)o.blocks != wanted)
            fail_msg("%d.%d, %u threads, %u registers, %u bytes: %u blocks, and the header has %d", arch->cc / 10,
                     arch->cc % 10, threads, regs, smem, o.blocks, wanted);
    }
}

#else

static void agrees_with_the_header(void **state) {
    (void)state;
    skip();
}

#endif

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_the_header)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
