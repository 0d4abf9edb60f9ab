// Which measured numbers a device gets, and how they are scaled for it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "op/common/padding.h"
#include "op/tune/tune.h"

static hw_device_properties properties_of(const char *name) {
    const hw_gpu *gpu = hw_gpu_find(name);
    assert_non_null(gpu);
    return (hw_device_properties){.kind = HW_DEVICE_SIM, .cc = gpu->arch->cc, .multiprocessors = gpu->sms,
                                  .memory_gbs = gpu->memory_gbs, .fp32_tflops = gpu->fp32_gflops / 1e3,
                                  .fp64_tflops = gpu->fp64_gflops / 1e3};
}

// Every device has a table: of an older compute capability, of a newer one where there is none, of a processor too.
static void every_device_has_one(void **state) {
    (void)state;
    for (int cc = 0; cc < 200; cc++) {
        const hw_device_properties device = {.cc = cc};
        const hw_tune *tune = hw_tune_for(&device);
        assert_non_null(tune);
        if (cc >= 90) assert_true(tune->cc <= cc);
        assert_non_null(hw_gpu_find(tune->gpu));
        assert_int_equal(hw_gpu_find(tune->gpu)->arch->cc, tune->cc);
        assert_true(cc < 10 || hw_tune_arch(&device)->cc <= cc);
    }
}

static void tables_are_whole(void **state) {
    (void)state;
    const hw_device_properties h200 = properties_of("h200");
    const hw_tune_product *product = &hw_tune_for(&h200)->product;
    for (int i = 0; i < HW_TUNE_TILES && product->f32[i].tile.rows; i++)
        for (int k = 1; k < 3; k++) assert_true(product->f32[i].rate[k] >= product->f32[i].rate[k - 1]);
    assert_int_equal(product->f32[HW_TUNE_TILES - 1].tile.rows, 0);   // that ends the search
    assert_int_equal(product->f64[HW_TUNE_TILES - 1].tile.rows, 0);
    for (int mma = 0; mma < HW_MMAS; mma++) assert_true(product->tensor[mma][0].rate == 1);
    const hw_tune *tune = hw_tune_for(&h200);
    for (int i = 0; i < 5; i++)
        assert_true(tune->swap.box[i] >= tune->swap.small_box[i] && tune->swap.small_box[i] >= 32);
    for (int i = 0; i < 4; i++)
        assert_true(tune->nearest.tile[i] && tune->nearest.thread_queries[i] && tune->nearest.warp_queries[i]);
    assert_true(tune->exact.words && tune->exact.threads >= 32 && tune->exact.thread_terms <= tune->exact.few_terms);
}

// On the measured GPU times are as measured; elsewhere datasheets say how much faster memory and multiplications are.
static void scales_by_datasheet(void **state) {
    (void)state;
    const hw_device_properties h200 = properties_of("h200"), v100 = properties_of("v100"),
                               rtx = properties_of("rtx 3090"), unknown = {.cc = 90};
    const hw_tune *tune = hw_tune_for(&h200);
    hw_tune_scale scale = hw_tune_scale_for(tune, &h200, true);
    assert_true(scale.memory == 1 && scale.multiply == 1);
    assert_int_equal(scale.multiprocessors, 132);
    scale = hw_tune_scale_for(tune, &unknown, false);
    assert_true(scale.memory == 1 && scale.multiply == 1);
    scale = hw_tune_scale_for(tune, &v100, false);
    assert_true(fabs(scale.memory - v100.memory_gbs / 4800) < 1e-9);
    assert_true(scale.multiply > 0.3 && scale.multiply < 0.7);   // half the lanes, at a lower clock
    scale = hw_tune_scale_for(tune, &rtx, true);
    assert_true(scale.multiply < 0.05);                           // f64 at a 64th of f32's rate
}

// A tile of 16x16 floats is free of conflicts on 16 banks with one column more, on 32 banks with two.
static void padding_suits_the_banks(void **state) {
    (void)state;
    const hw_device_properties old = properties_of("gtx280"), h200 = properties_of("h200");
    hw_padded_tile tile = {16, 16, 16, 16, 4, hw_tune_arch(&old), 4};
    assert_int_equal(hw_padding_choose(&tile), 1);
    tile.arch = hw_tune_arch(&h200);
    assert_int_equal(hw_padding_choose(&tile), 2);
}

// The layout of a permutation's box is chosen for the device's banks: 16 on compute capability 1.x.
static void layouts_suit_the_banks(void **state) {
    (void)state;
    hw_device_properties old = properties_of("gtx280");
    old.shared_bytes = old.shared_bytes_per_multiprocessor = 16384;
    old.threads_per_multiprocessor = 1024;
    const hw_permutation p = {.rank = 2, .elem_bytes = 4, .elems = 512 * 512, .n = {512, 512}, .in_stride = {512, 1},
                              .out_stride = {1, 512}};
    const hw_tile_goals goals = hw_tile_goals_for(&p, &old);
    hw_tile_plan plan;
    uint64_t stores, loads, ideal;
    assert_int_equal(goals.arch->smem_banks, 16);
    hw_tile_plan_make(&p, &goals, &plan);
    hw_tile_plan_wavefronts(&plan, &stores, &loads, &ideal);
    assert_int_equal(stores + loads, 2 * ideal);   // two half-warps each, neither with a conflict
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_device_has_one), cmocka_unit_test(tables_are_whole),
        cmocka_unit_test(scales_by_datasheet), cmocka_unit_test(padding_suits_the_banks),
        cmocka_unit_test(layouts_suit_the_banks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
