// Advice on launches made by hand: what a rule brings is the model's answer, and what is little is not told.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "advice/advice.h"
#include "base/alloc.h"

enum { BLOCKS = 4096, WARPS = 8 * BLOCKS };

static hw_report_launch launch;
static hw_report_line lines[2];
static hw_report_kernel listing;

// A launch in which nothing is wrong: four words of 16 bytes a lane, loaded and stored in order.
static hw_report sample(const char *gpu) {
    const hw_report report = {.gpu = hw_gpu_find(gpu), .launches = &launch, .n_launches = 1, .has_lines = true,
                              .kernels = &listing, .n_kernels = 1};
    const uint64_t requests = 4 * WARPS, sectors = 16 * requests;
    launch = (hw_report_launch){
        .kernel = "f()", .mangled = "_Z1fv", .block = {256, 1, 1}, .grid = {BLOCKS, 1, 1}, .regs = 32,
        .occupancy = hw_model_occupancy(report.gpu->arch, 256, 32, 0),
        .work = {.blocks = BLOCKS, .warps = WARPS, .load_bytes = sectors * 32, .store_bytes = sectors * 32,
                 .useful_bytes = sectors * 64, .load_lines = sectors / 4, .load_sectors = sectors,
                 .store_sectors = sectors, .trips = WARPS}};
    launch.work.blocks_per_sm = launch.occupancy.blocks;
    launch.work.inst[HW_RATE_ISSUE] = 12 * WARPS;
    uint64_t *n = launch.counts;
    n[HW_COUNT_INST] = 12 * WARPS;
    n[HW_COUNT_THREAD_INST] = 32 * n[HW_COUNT_INST];
    n[HW_COUNT_GLD_REQUESTS] = n[HW_COUNT_GST_REQUESTS] = requests;
    n[HW_COUNT_GLD_SECTORS] = n[HW_COUNT_GST_SECTORS] = sectors;
    n[HW_COUNT_GLD_SECTORS_IDEAL] = n[HW_COUNT_GST_SECTORS_IDEAL] = sectors;
    n[HW_COUNT_L2_SECTORS] = n[HW_COUNT_L2_SECTORS_IDEAL] = 2 * sectors;
    lines[0] = (hw_report_line){.file = "f.cu", .line = 3};
    lines[1] = (hw_report_line){.file = "f.cu", .line = 4};
    listing = (hw_report_kernel){.kernel = "f()", .mangled = "_Z1fv", .lines = lines, .n_lines = 2};
    return report;
}

// Everything that is advised, to be freed.
static hw_advice *advise(const hw_report *report, size_t *n) {
    hw_advice *list;
    hw_diag diag = {0};
    launch.estimate = hw_model_time(report->gpu, &launch.work);
    assert_int_equal(hw_advise(report, &list, n, &diag), HW_OK);
    return list;
}

static const hw_advice *find(const hw_advice *list, size_t n, hw_advice_id id) {
    for (size_t i = 0; i < n; i++)
        if (list[i].id == id) return &list[i];
    return NULL;
}

static void a_good_kernel_needs_none(void **state) {
    (void)state;
    const hw_report report = sample("h200");
    size_t n;
    hw_advice *list = advise(&report, &n);
    if (n) fail_msg("%s: %s", hw_advice_name(list[0].id), list[0].finding);
    hw_free(list);
}

// Stores of 32 sectors where 16 would do, each a line; the time afterwards is that of the good launch.
static void the_model_is_asked(void **state) {
    (void)state;
    const hw_report report = sample("h200");
    const double good = hw_model_time(report.gpu, &launch.work).us;
    launch.counts[HW_COUNT_GST_SECTORS] *= 2;
    launch.counts[HW_COUNT_L2_SECTORS] += launch.counts[HW_COUNT_GST_SECTORS_IDEAL];
    launch.work.store_sectors = 4 * launch.counts[HW_COUNT_GST_SECTORS];
    lines[1].counts[HW_COUNT_GST_SECTORS] = 5;
    size_t n;
    hw_advice *list = advise(&report, &n);
    const hw_advice *stores = find(list, n, HW_ADVICE_UNCOALESCED_STORES);
    assert_non_null(stores);
    assert_true(stores->after_us == good && stores->before_us == launch.estimate.us);
    assert_ptr_equal(stores->line, &lines[1]);
    assert_string_equal(stores->finding, "stores touch 32.0 sectors where 16.0 would do");
    hw_free(list);
}

// 2% are none: bank conflicts that hardly cost anything.
static void little_is_not_told(void **state) {
    (void)state;
    const hw_report report = sample("h200");
    launch.counts[HW_COUNT_SMEM_WAVEFRONTS_IDEAL] = WARPS;
    launch.counts[HW_COUNT_SMEM_WAVEFRONTS] = launch.work.wavefronts = 2 * WARPS;
    size_t n;
    hw_advice *list = advise(&report, &n);
    assert_null(find(list, n, HW_ADVICE_BANK_CONFLICTS));
    hw_free(list);
    launch.counts[HW_COUNT_SMEM_WAVEFRONTS] = launch.work.wavefronts = 512 * WARPS;
    list = advise(&report, &n);
    assert_non_null(find(list, n, HW_ADVICE_BANK_CONFLICTS));
    hw_free(list);
}

static void tiles_may_be_larger(void **state) {
    (void)state;
    const hw_report report = sample("h200");
    launch.counts[HW_COUNT_SMEM_WAVEFRONTS] = launch.counts[HW_COUNT_SMEM_WAVEFRONTS_IDEAL] = WARPS;
    launch.work.reachable_bytes = launch.work.load_bytes / 16;
    launch.work.trips = 64 * WARPS;
    size_t n;
    hw_advice *list = advise(&report, &n);   // stores as much as it loads: sums in memory
    assert_null(find(list, n, HW_ADVICE_LARGER_TILES));
    hw_free(list);
    launch.counts[HW_COUNT_GST_SECTORS_IDEAL] /= 16;
    list = advise(&report, &n);
    assert_non_null(find(list, n, HW_ADVICE_LARGER_TILES));
    hw_free(list);
    launch.work.reachable_bytes = launch.work.load_bytes / 2;
    list = advise(&report, &n);
    assert_null(find(list, n, HW_ADVICE_LARGER_TILES));
    hw_free(list);
}

static void partitions_are_used(void **state) {
    (void)state;
    const hw_report report = sample("gtx280");
    launch.gld_partition_pct = 100;
    launch.gst_partition_pct = 12.5;
    launch.work.load_share = 1;
    launch.work.store_share = 0.125;
    size_t n;
    hw_advice *list = advise(&report, &n);
    const hw_advice *found = find(list, n, HW_ADVICE_PARTITIONS);
    assert_true(found && found->after_us < found->before_us / 4);
    hw_free(list);
    launch.gst_partition_pct = 100;
    list = advise(&report, &n);
    assert_null(find(list, n, HW_ADVICE_PARTITIONS));
    hw_free(list);
}

// Nothing is known of the time of a launch that stopped.
static void stopped_launches_get_none(void **state) {
    (void)state;
    const hw_report report = sample("h200");
    launch.counts[HW_COUNT_GST_SECTORS] *= 8;
    launch.work.store_sectors *= 8;
    launch.status = HW_FAULT;
    size_t n;
    hw_advice *list = advise(&report, &n);
    assert_int_equal(n, 0);
    hw_free(list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_kernel_needs_none), cmocka_unit_test(the_model_is_asked),
        cmocka_unit_test(little_is_not_told),       cmocka_unit_test(tiles_may_be_larger),
        cmocka_unit_test(partitions_are_used),      cmocka_unit_test(stopped_launches_get_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
