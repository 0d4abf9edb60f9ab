// Kernels that launch kernels, by the calls that NVIDIA's device runtime (cudadevrt) makes: two blocks launch append(),
// which makes p[0] = p[0] * 10 + block + 1, the second of them as a tail, others in a stream, and one that no GPU would
// take.
#include <stdio.h>

#include "cuda.h"

static const char kernels_ptx[] =
    ".version 7.0\n.target sm_90\n.address_size 64\n"
    ".extern .func (.param .b64 r) __cuda_syscall_cnpv2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12],"
    " .param .align 4 .b8 b[12], .param .b32 s);\n"
    ".extern .func (.param .b32 r) __cuda_syscall_cnpv2LaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
    ".extern .func (.param .b32 r) __cuda_syscall_cnpv2StreamCreate(.param .b64 s, .param .b32 f);\n"
    ".visible .entry append(.param .u64 p, .param .u32 n) {\n .reg .u64 %rd<2>; .reg .u32 %r<4>;\n"
    " ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; ld.global.u32 %r2, [%rd1]; mad.lo.u32 %r3, %r2, 10, %r1;\n"
    " st.global.u32 [%rd1], %r3; ret;\n}\n"
    ".visible .entry parent(.param .u64 p, .param .u32 threads) {\n"
    " .reg .u64 %rd<8>; .reg .u32 %r<8>; .reg .pred %q; .local .align 8 .b8 stream[8];\n"
    " mov.u64 %rd7, stream; cvta.local.u64 %rd5, %rd7;\n"
    " {\n .param .b64 s; .param .b32 f; .param .b32 r; st.param.b64 [s], %rd5; st.param.b32 [f], 1;\n"
    " call.uni (r), __cuda_syscall_cnpv2StreamCreate, (s, f);\n }\n ld.local.u64 %rd6, [stream];\n"
    " ld.param.u64 %rd1, [p]; ld.param.u32 %r5, [threads]; mov.u32 %r1, %ctaid.x; add.u32 %r2, %r1, 1;\n"
    " mov.u64 %rd2, append; mov.u32 %r3, 1;\n"
    " {\n .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;\n"
    " st.param.b64 [f], %rd2; st.param.b32 [g], %r3; st.param.b32 [g+4], %r3; st.param.b32 [g+8], %r3;\n"
    " st.param.b32 [b], %r5; st.param.b32 [b+4], %r3; st.param.b32 [b+8], %r3; st.param.b32 [s], 0;\n"
    " call.uni (r), __cuda_syscall_cnpv2GetParameterBufferV2, (f, g, b, s);\n ld.param.b64 %rd3, [r];\n }\n"
    " st.u64 [%rd3], %rd1; st.u32 [%rd3+8], %r2;\n"
    " setp.eq.u32 %q, %r1, 0; selp.u64 %rd4, 3, %rd6, %q;\n"   // the first block's is a tail
    " {\n .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], %rd3; st.param.b64 [s], %rd4;\n"
    " call.uni (r), __cuda_syscall_cnpv2LaunchDeviceV2, (p, s);\n ld.param.b32 %r6, [r];\n }\n ret;\n}\n";

int main(void) {
    CUcontext context;
    CUmodule module;
    CUfunction parent;
    CUdeviceptr p;
    unsigned got = 0, threads = 1, too_many = 5000;
    void *params[] = {&p, &threads};
    if (cuInit(0) || cuCtxCreate(&context, NULL, 0, 0) || cuModuleLoadData(&module, kernels_ptx) ||
        cuModuleGetFunction(&parent, module, "parent") || cuMemAlloc(&p, 4) || cuMemsetD32(p, 0, 1))
        return 1;
    if (cuLaunchKernel(parent, 3, 1, 1, 1, 1, 1, 0, NULL, params, NULL)) return 2;
    params[1] = &too_many;
    if (cuLaunchKernel(parent, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL)) return 3;
    if (cuMemcpyDtoH(&got, p, 4)) return 4;
    printf("%u\n", got);
    return 0;
}
