#include "model/transfer.h"

// An H200 on PCI Express 5.0 (truth/h200_micro.csv): 64 MB of pinned memory go at 55 of its link's 63 GB/s, either way,
// written by the processor past its caches or not, and kernels read and write mapped memory at 51 and 52 (mapped_*). Of
// kernels over slower links nothing is known, and they are taken to go as fast as copies. A copy of 4 bytes takes 2
// (from the device) to 3 us (to it) between two events, a warp's read of mapped memory 1.2 us there and back. The
// driver copies pageable memory a chunk after the other, so that both times add up: 16 MB take 1.26 ms to the device
// and 1.51 from it, beside 0.31 of pinned memory. Packets of 256 bytes and 26 more say 0.91 (PCI Express base
// specification, transaction layer); what is measured is a little less.
static const double PAYLOAD = 0.873, ACCESS_PAYLOAD = 0.81, COPY_US = 3, ACCESS_US = 1.2, STAGING_GBS = 15;
enum { PCIE_5_GBS = 60 };                // at least

// The share of the link's bytes that reach memory.
static double payload_of(const hw_gpu *gpu, hw_host_kind kind) {
    return kind == HW_HOST_MAPPED && gpu->pcie_gbs >= PCIE_5_GBS ? ACCESS_PAYLOAD : PAYLOAD;
}

const char *hw_host_kind_name(hw_host_kind kind) {
    static const char *const names[HW_HOST_KINDS] = {"pageable", "pinned", "combined", "mapped"};
    return (unsigned)kind < HW_HOST_KINDS ? names[kind] : "";
}

double hw_model_transfer_us(const hw_gpu *gpu, hw_host_kind kind, uint64_t bytes) {
    if (!(gpu->pcie_gbs > 0)) return 0;
    double us = (double)bytes / (gpu->pcie_gbs * 1e3 * payload_of(gpu, kind));
    if (kind == HW_HOST_PAGEABLE) us += (double)bytes / (STAGING_GBS * 1e3);
    return us + (kind == HW_HOST_MAPPED ? ACCESS_US : COPY_US);
}

double hw_model_overlap_us(double execution_us, double transfer_us, uint32_t n) {
    double chunks = n ? n : 1;
    return execution_us >= transfer_us ? execution_us + transfer_us / chunks : transfer_us + execution_us / chunks;
}

// Does the GPU copy and compute at the same time? Those of 1.0 do not: CUDA C Programming Guide 4.2, "Overlap of Data
// Transfer and Kernel Execution", from memory.
static bool copies_overlap(const hw_gpu *gpu) { return gpu->arch && gpu->arch->cc >= 11; }

double hw_model_chunks_us(const hw_gpu *gpu, double execution_us, uint64_t bytes, uint32_t n) {
    enum { WORD_BYTES = 16 };
    uint64_t words = bytes / WORD_BYTES, done = 0;
    double copied = 0, worked = 0;   // when the engines are done with the chunks so far
    if (!n) n = 1;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t chunk = words * (i + 1) / n - done;
        copied =
            (copies_overlap(gpu) ? copied : worked) + hw_model_transfer_us(gpu, HW_HOST_PINNED, chunk * WORD_BYTES);
        worked = copied > worked ? copied : worked;
        if (words) worked += execution_us * (double)chunk / (double)words;
        done += chunk;
    }
    return worked;
}
