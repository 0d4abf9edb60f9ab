// What instructions cost: the guides' tables, and which row of them an instruction falls into.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/rates.h"

static void every_gpu_has_a_row(void **state) {
    (void)state;
    const hw_arch *arch;
    for (size_t i = 0; (arch = hw_arch_at(i)); i++) {
        assert_true(hw_rate_of(arch, HW_RATE_F32) && hw_rate_of(arch, HW_RATE_IADD));
        assert_true(hw_rate_of(arch, HW_RATE_MEMORY) && hw_rate_of(arch, HW_RATE_ISSUE));
        for (int rate = 0; rate < HW_RATE_ISSUE; rate++)
            if (rate != HW_RATE_F16)   // counts two for each lane
                assert_true(hw_rate_of(arch, rate) <= hw_rate_of(arch, HW_RATE_ISSUE));
    }
    // Programming guide 4.2 and 12.8.
    assert_int_equal(hw_rate_of(hw_arch_find(13), HW_RATE_F64), 1);
    assert_int_equal(hw_rate_of(hw_arch_find(10), HW_RATE_F64), 0);
    assert_int_equal(hw_rate_of(hw_arch_find(20), HW_RATE_BARRIER), 16);
    assert_int_equal(hw_rate_of(hw_arch_find(35), HW_RATE_SHIFT), 64);
    assert_int_equal(hw_rate_of(hw_arch_find(90), HW_RATE_SHFL), 32);
    // Only 1.x has slower special functions than others, and products of 24 bits as fast as sums.
    for (size_t i = 0; (arch = hw_arch_at(i)); i++) {
        assert_int_equal(2 * hw_rate_of(arch, HW_RATE_SFU2) == hw_rate_of(arch, HW_RATE_SFU), arch->cc < 20);
        assert_int_equal(hw_rate_of(arch, HW_RATE_MUL24) == hw_rate_of(arch, HW_RATE_IADD), arch->cc < 20);
    }
}

// Peak rates as the vendor quotes them: a multiply-add is two operations.
static void peaks_agree_with_gpus(void **state) {
    (void)state;
    const hw_gpu *gpu;
    for (size_t i = 0; (gpu = hw_gpu_at(i)); i++) {
        double gflops = 2e-3 * gpu->sms * gpu->clock_mhz * hw_rate_of(gpu->arch, HW_RATE_F32);
        assert_true(gflops > 0.97 * gpu->fp32_gflops && gflops < 1.03 * gpu->fp32_gflops);
    }
}

static void assert_cost(const char *op, hw_type first, hw_type second, hw_rate rate, int count) {
    const hw_mods none = {{0}};
    hw_issue_cost cost = hw_issue_cost_of(hw_op_find(op, strlen(op)), &none, (hw_type[2]){first, second});
    assert_int_equal(cost.rate, rate);
    assert_int_equal(cost.count, count);
}

static void assert_flops(const char *op, hw_type type, hw_flop flop, int count) {
    const hw_mods none = {{0}};
    const hw_flop_count flops = hw_flops_of(hw_op_find(op, strlen(op)), &none, (hw_type[2]){type, HW_T_NONE});
    assert_int_equal(flops.count, count);
    if (count) assert_int_equal(flops.flop, flop);
}

// As a profiler counts them; peaks as the vendor quotes them.
static void operations_on_floats(void **state) {
    (void)state;
    assert_flops("fma", HW_T_F32, HW_FLOP_SINGLE, 2);
    assert_flops("mad", HW_T_F64, HW_FLOP_DOUBLE, 2);
    assert_flops("fma", HW_T_BF16X2, HW_FLOP_HALF, 4);
    assert_flops("add", HW_T_F32X2, HW_FLOP_SINGLE, 2);
    assert_flops("ex2", HW_T_F32, HW_FLOP_SINGLE, 1);
    assert_flops("mad", HW_T_S32, HW_FLOP_SINGLE, 0);
    assert_flops("setp", HW_T_F32, HW_FLOP_SINGLE, 0);
    assert_true(hw_peak_gflops(hw_gpu_find("h200"), HW_FLOP_DOUBLE) > 33000);
    assert_true(hw_peak_gflops(hw_gpu_find("8800gtx"), HW_FLOP_DOUBLE) == 0);
}

static void instructions_go_by_type(void **state) {
    (void)state;
    assert_cost("fma", HW_T_F32, HW_T_NONE, HW_RATE_F32, 1);
    assert_cost("fma", HW_T_F64, HW_T_NONE, HW_RATE_F64, 1);
    assert_cost("fma", HW_T_F16X2, HW_T_NONE, HW_RATE_F16, 1);
    assert_cost("add", HW_T_F32, HW_T_NONE, HW_RATE_F32, 1);
    assert_cost("fma", HW_T_F32X2, HW_T_NONE, HW_RATE_F32, 2);
    assert_cost("mul", HW_T_F32, HW_T_NONE, HW_RATE_F32, 1);
    assert_cost("add", HW_T_S32, HW_T_NONE, HW_RATE_IADD, 1);
    assert_cost("add", HW_T_U64, HW_T_NONE, HW_RATE_IADD, 2);
    assert_cost("mul", HW_T_S32, HW_T_NONE, HW_RATE_IMUL, 1);
    assert_cost("mul", HW_T_S64, HW_T_NONE, HW_RATE_IMUL, 4);
    assert_cost("div", HW_T_F32, HW_T_NONE, HW_RATE_F32, 9);
    hw_mods quick = {{0}};
    hw_add_mod(&quick, HW_M_APPROX);
    const hw_issue_cost cost = hw_issue_cost_of(HW_OP_DIV, &quick, (hw_type[2]){HW_T_F32, HW_T_NONE});
    assert_true(cost.rate == HW_RATE_SFU && cost.count == 1);
    assert_cost("sqrt", HW_T_F64, HW_T_NONE, HW_RATE_F64, 8);
    assert_cost("lg2", HW_T_F32, HW_T_NONE, HW_RATE_SFU, 1);
    assert_cost("ex2", HW_T_F32, HW_T_NONE, HW_RATE_SFU2, 1);
    assert_cost("mul24", HW_T_S32, HW_T_NONE, HW_RATE_MUL24, 1);
    assert_cost("setp", HW_T_F32, HW_T_NONE, HW_RATE_COMPARE, 1);
    assert_cost("cvt", HW_T_F64, HW_T_F32, HW_RATE_CVT64, 1);
    assert_cost("cvt", HW_T_F32, HW_T_U8, HW_RATE_CVT8, 1);
    assert_cost("cvt", HW_T_U64, HW_T_U32, HW_RATE_IADD, 1);
    assert_cost("ld", HW_T_F64, HW_T_NONE, HW_RATE_MEMORY, 1);
    assert_cost("shfl", HW_T_B32, HW_T_NONE, HW_RATE_SHFL, 1);
    assert_cost("bar", HW_T_NONE, HW_T_NONE, HW_RATE_BARRIER, 1);
    assert_cost("mov", HW_T_U32, HW_T_NONE, HW_RATE_ISSUE, 1);
    assert_cost("bra", HW_T_NONE, HW_T_NONE, HW_RATE_ISSUE, 1);
}

static int slots(hw_op op, hw_mod shape, hw_type d, hw_type a) {
    hw_mods mods = {{0}};
    hw_add_mod(&mods, shape);
    const hw_issue_cost cost = hw_issue_cost_of(op, &mods, (hw_type[2]){d, a});
    assert_int_equal(cost.rate, HW_RATE_TENSOR);
    return cost.count;
}

// In products of 16x8x16 halves, as an H200 takes time for them (truth/h200_micro.csv, tensor_*).
static void products_of_matrices(void **state) {
    (void)state;
    assert_int_equal(slots(HW_OP_MMA, HW_M_M16N8K16, HW_T_F32, HW_T_F16), 1);
    assert_int_equal(slots(HW_OP_MMA, HW_M_M16N8K16, HW_T_F32, HW_T_BF16), 1);
    assert_int_equal(slots(HW_OP_MMA, HW_M_M16N8K8, HW_T_F32, HW_T_TF32), 1);
    assert_int_equal(slots(HW_OP_MMA, HW_M_M16N8K32, HW_T_S32, HW_T_S8), 1);
    assert_int_equal(slots(HW_OP_MMA, HW_M_M8N8K4, HW_T_F64, HW_T_F64), 2);
    assert_int_equal(slots(HW_OP_WMMA_MMA, HW_M_M16N16K16, HW_T_F32, HW_T_F32), 2);
    assert_int_equal(slots(HW_OP_WMMA_MMA, HW_M_M16N16K16, HW_T_S32, HW_T_U8), 1);
    assert_int_equal(hw_rate_of(hw_arch_find(90), HW_RATE_TENSOR), 18);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_gpu_has_a_row),
        cmocka_unit_test(peaks_agree_with_gpus),
        cmocka_unit_test(operations_on_floats),
        cmocka_unit_test(instructions_go_by_type),
        cmocka_unit_test(products_of_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
