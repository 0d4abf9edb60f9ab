// Reports made by hand, for the tests of what is printed of them. Of one file: it holds what its reports point to.
#ifndef HW_TEST_REPORT_TEST_H
#define HW_TEST_REPORT_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

static inline hw_report_launch launch(uint64_t ordinal, const char *kernel) {
    hw_report_launch l = {.ordinal = ordinal, .kernel = kernel, .mangled = "_Z", .grid = {32, 64, 1},
                          .block = {32, 8, 1}, .regs = 16, .smem_static = 4224, .host_ms = 1.25,
                          .ptx_by = "nvcc 13.0.88",
                          .estimate = {.us = 12.5, .gbs = 2684.3546, .bound = HW_BOUND_SHARED,
                                       .bound_us = {2.125, 7.5, 0.125, 1, 4.5}}};
    l.occupancy = hw_model_occupancy(hw_gpu_find("h200")->arch, 256, 16, 4224);
    for (int i = 0; i < HW_COUNTERS; i++) l.counts[i] = 1000 + (uint64_t)i;
    return l;
}

// A naive transpose, one with bank conflicts and a padded one, as a newcomer would see them.
static hw_report_launch transposes[3];
static hw_report_line lines[2];
static hw_report_kernel kernels[2];

static inline hw_report sample(bool with_lines) {
    static const char *const names[] = {"naive(float*, float const*, int)",
                                        "void tile<32, 0>(float*, float const*, int)",
                                        "void tile<32, 1>(float*, float const*, int)"};
    for (int i = 0; i < 3; i++) {
        transposes[i] = launch((uint64_t)i, names[i]);
        uint64_t *n = transposes[i].counts;
        memset(n, 0, sizeof transposes[i].counts);
        n[HW_COUNT_INST] = 720896;
        n[HW_COUNT_THREAD_INST] = 23068672;
        n[HW_COUNT_GLD_REQUESTS] = n[HW_COUNT_GST_REQUESTS] = 32768;
        n[HW_COUNT_GLD_SECTORS] = n[HW_COUNT_GLD_SECTORS_IDEAL] = n[HW_COUNT_GST_SECTORS_IDEAL] = 131072;
        n[HW_COUNT_GST_SECTORS] = i ? 131072 : 1048576;
        n[HW_COUNT_L2_SECTORS] = n[HW_COUNT_GLD_SECTORS] + n[HW_COUNT_GST_SECTORS];
        n[HW_COUNT_L2_SECTORS_IDEAL] = 262144;
        n[HW_COUNT_SMEM_WAVEFRONTS] = i == 0 ? 0 : i == 1 ? 1081344 : 65536;
        n[HW_COUNT_SMEM_WAVEFRONTS_IDEAL] = i == 0 ? 0 : 65536;
        n[HW_COUNT_BRANCHES] = 32768;
    }
    transposes[0].smem_static = 0;
    lines[0] = (hw_report_line){.file = "transpose.cu", .line = 7};
    lines[1] = (hw_report_line){.file = "", .line = 0};
    memcpy(lines[0].counts, transposes[0].counts, sizeof lines[0].counts);
    lines[1].counts[HW_COUNT_INST] = 3;
    lines[1].counts[HW_COUNT_THREAD_INST] = 48;
    kernels[0] = (hw_report_kernel){.kernel = names[0], .mangled = "_Z", .launches = 2, .lines = lines, .n_lines = 2};
    kernels[1] = (hw_report_kernel){.kernel = names[1], .mangled = "_Z", .launches = 1};
    return (hw_report){.gpu = hw_gpu_find("h200"), .launches = transposes, .n_launches = 3, .has_lines = with_lines,
                       .kernels = kernels, .n_kernels = with_lines ? 2 : 0};
}

// The text of a report; freed by the caller.
static inline char *text_with(const hw_report *report, hw_report_format format, hw_report_look look) {
    char *text = NULL;
    size_t length = 0;
    hw_diag diag = {0};
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    assert_int_equal(hw_report_write(report, format, &look, out, &diag), HW_OK);
    fclose(out);
    return text;
}

// As on a terminal of 120 characters.
static inline char *text_of(const hw_report *report, hw_report_format format, bool colour) {
    return text_with(report, format, (hw_report_look){.colour = colour, .width = 120});
}

static inline size_t count_of(const char *text, const char *piece) {
    size_t n = 0;
    for (; (text = strstr(text, piece)); text += strlen(piece)) n++;
    return n;
}

// The same launches and a line of the first, as GPUs before 7.0 count them. The naive one's stores are spread, all else
// is in order; the third has no loads.
static inline hw_report old_sample(const char *gpu) {
    hw_report report = sample(true);
    report.gpu = hw_gpu_find(gpu);
    assert_non_null(report.gpu);
    const int cc = report.gpu->arch->cc;
    for (int i = 0; i < 3; i++) {
        uint64_t *n = transposes[i].counts;
        n[HW_COUNT_GLD_COALESCED] = n[HW_COUNT_GLD_64B] = cc < 20 ? 65536 : 0;
        n[HW_COUNT_GLD_128B] = cc >= 20 && cc < 30 ? 32768 : 0;
        n[HW_COUNT_GLD_32B] = cc >= 30 ? 131072 : 0;
        n[HW_COUNT_GST_UNCOALESCED] = i ? 0 : 65536;
        n[HW_COUNT_GST_COALESCED] = i ? 65536 : 0;
        n[HW_COUNT_GST_64B] = i && cc < 20 ? 65536 : 0;
        n[HW_COUNT_GST_32B] = i == 0 ? 1048576 : cc < 20 ? 0 : 131072;
        if (i == 2) n[HW_COUNT_GLD_REQUESTS] = n[HW_COUNT_GLD_64B] = n[HW_COUNT_GLD_128B] = n[HW_COUNT_GLD_32B] = 0;
        n[HW_COUNT_GLD_TRANSACTIONS] = n[HW_COUNT_GLD_32B] + n[HW_COUNT_GLD_64B] + n[HW_COUNT_GLD_128B];
        n[HW_COUNT_GST_TRANSACTIONS] = n[HW_COUNT_GST_32B] + n[HW_COUNT_GST_64B];
        n[HW_COUNT_GLD_BYTES] =
            32 * n[HW_COUNT_GLD_32B] + 64 * n[HW_COUNT_GLD_64B] + 128 * n[HW_COUNT_GLD_128B];
        n[HW_COUNT_GST_BYTES] = 32 * n[HW_COUNT_GST_32B] + 64 * n[HW_COUNT_GST_64B];
        n[HW_COUNT_LDS_INST] = n[HW_COUNT_STS_INST] = i ? 32768 : 0;
        n[HW_COUNT_WARP_SERIALIZE] = i == 1 ? 32768 : 0;
        transposes[i].gld_partition_pct = 100;
        transposes[i].gst_partition_pct = i ? 12.5 : 0;
    }
    memcpy(lines[0].counts, transposes[0].counts, sizeof lines[0].counts);
    return report;
}

static inline void squeeze(char *text) {
    char *to = text;
    for (const char *from = text; *from; from++)
        if (*from != ' ' || from[1] != ' ') *to++ = *from;
    *to = 0;
}

#endif
