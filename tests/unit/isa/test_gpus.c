// The tables of GPUs, chips and compute capabilities hold together, and GPUs are found however they are spelled.
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/gpu.h"
#include "isa/rates.h"
#include "model/occupancy.h"
#include "model/partition.h"

static bool is_near(double value, double wanted) { return fabs(value - wanted) <= 0.03 * wanted; }

// Complains of the row, and goes on: a table is mended better when all that is wrong is known.
#define CHECK(gpu, condition) ((condition) ? 0 : (fprintf(stderr, "%s: %s\n", (gpu)->id, #condition), 1))

static void ids_are_words_of_their_own(void **state) {
    const hw_gpu *gpu, *other;
    int wrong = 0;
    (void)state;
    for (size_t i = 0; (gpu = hw_gpu_at(i)); i++) {
        wrong += CHECK(gpu, strspn(gpu->id, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(gpu->id));
        wrong += CHECK(gpu, strlen(gpu->id) >= 2 && strlen(gpu->id) <= 22 && gpu->name[0] && gpu->source[0]);
        wrong += CHECK(gpu, strlen(gpu->name) < 64 && !gpu->based_on);
        for (size_t k = 0; k < i && (other = hw_gpu_at(k)); k++) wrong += CHECK(gpu, strcmp(other->id, gpu->id) != 0);
        wrong += CHECK(gpu, hw_gpu_find(gpu->id) == gpu);
    }
    assert_int_equal(wrong, 0);
}

// What is wired is not more than the chip has.
static void rows_agree_with_their_chips(void **state) {
    const hw_gpu *gpu;
    const hw_chip *chip;
    int wrong = 0;
    (void)state;
    for (size_t i = 0; (gpu = hw_gpu_at(i)); i++) {
        chip = hw_chip_find(gpu->chip);
        if (!chip) wrong += CHECK(gpu, !"its chip is in chips.def");
        else wrong += CHECK(gpu, gpu->arch->cc == chip->cc) + CHECK(gpu, gpu->sms <= chip->sms) +
                      CHECK(gpu, gpu->memory_bus_bits <= chip->memory_bus_bits);
    }
    for (size_t i = 0; (chip = hw_chip_at(i)); i++) {
        bool is_used = false;
        for (size_t k = 0; (gpu = hw_gpu_at(k)); k++) is_used |= !strcmp(gpu->chip, chip->name);
        assert_true(is_used && hw_arch_find(chip->cc) && hw_chip_find(chip->name) == chip);
        // Chips of Tegra and its like end with a letter; those of chipsets begin otherwise.
        const bool is_letter = isalpha((unsigned char)chip->name[strlen(chip->name) - 1]) != 0;
        assert_int_equal(chip->is_integrated, is_letter || chip->name[0] == 'M');
    }
    assert_null(hw_chip_find("GA199"));
    assert_int_equal(wrong, 0);
}

static void figures_follow_from_each_other(void **state) {
    static const int ratios[] = {0, 2, 3, 8, 12, 24, 32, 64};
    const hw_gpu *gpu;
    int wrong = 0;
    (void)state;
    for (size_t i = 0; (gpu = hw_gpu_at(i)); i++) {
        double fp32 = 2e-3 * gpu->sms * gpu->clock_mhz * hw_rate_of(gpu->arch, HW_RATE_F32);
        double gbs = 2e-3 * gpu->memory_clock_mhz * gpu->memory_bus_bits / 8;
        bool has_ratio = false;
        for (size_t k = 0; k < sizeof ratios / sizeof ratios[0]; k++)
            has_ratio |= ratios[k] ? is_near(gpu->fp64_gflops * ratios[k], gpu->fp32_gflops) : gpu->fp64_gflops == 0;
        wrong += CHECK(gpu, gpu->sms && gpu->clock_mhz && gpu->memory_gbs > 0 && gpu->memory_bytes >= 1 << 28);
        wrong += CHECK(gpu, is_near(gpu->fp32_gflops, fp32)) + CHECK(gpu, has_ratio);
        wrong += CHECK(gpu, (gpu->arch->cc < 13) <= (gpu->fp64_gflops == 0));
        wrong += CHECK(gpu, !gpu->memory_clock_mhz || is_near(gpu->memory_gbs, gbs));
        wrong += CHECK(gpu, gpu->base_clock_mhz <= gpu->clock_mhz && gpu->clock_mhz < 3000);
        wrong += CHECK(gpu, gpu->memory_bus_bits && gpu->memory_bus_bits % 32 == 0);
        wrong += CHECK(gpu, gpu->arch->cc >= 20 || hw_partition_count(gpu) == gpu->memory_bus_bits / 64);
        wrong += CHECK(gpu, gpu->arch->cc >= 20 || !gpu->l2_kib);
        wrong += CHECK(gpu, gpu->pcie_gbs >= 0 && gpu->pcie_gbs <= 63);
        wrong += CHECK(gpu, !hw_gpu_is_integrated(gpu) || gpu->pcie_gbs == 0);
    }
    assert_int_equal(wrong, 0);
}

static void capabilities_by_their_text(void **state) {
    (void)state;
    assert_ptr_equal(hw_arch_named("9.0"), hw_arch_find(90));
    assert_ptr_equal(hw_arch_named("12.1"), hw_arch_find(121));
    assert_true(!hw_arch_named("9.1") && !hw_arch_named("90") && !hw_arch_named("") && !hw_arch_named("9.0 "));
}

// Every occupancy limit is there: a warp of few registers runs, and each resource limits.
static void every_capability_is_whole(void **state) {
    const hw_arch *arch;
    const hw_gpu *gpu;
    (void)state;
    for (size_t i = 0; (arch = hw_arch_at(i)); i++) {
        bool is_used = false;
        for (size_t k = 0; (gpu = hw_gpu_at(k)); k++) is_used |= gpu->arch == arch;
        assert_true(is_used && arch->generation[0]);
        assert_ptr_equal(hw_arch_find(arch->cc), arch);
        for (int rate = 0; rate < HW_RATES; rate++)
            if (rate == HW_RATE_F32 || rate == HW_RATE_IADD || (rate >= HW_RATE_BARRIER && rate != HW_RATE_TENSOR))
                assert_true(hw_rate_of(arch, (hw_rate)rate) > 0);
        hw_occupancy o = hw_model_occupancy(arch, 32, 16, 1024);
        assert_true(o.blocks && o.limit_warps && o.limit_blocks && o.limit_regs && o.limit_smem);
        assert_true(arch->max_grid[0] && arch->max_grid[1] && arch->max_grid[2] && arch->smem_banks);
        assert_true(arch->max_block[0] && arch->max_block[1] && arch->max_block[2] && arch->smem_bank_bytes);
    }
}

static void names_are_spelled_as_people_do(void **state) {
    static const char *const cases[][2] = {
        {"rtx3090", "rtx3090"}, {"RTX3090", "rtx3090"}, {"RTX 3090", "rtx3090"}, {"rtx-3090", "rtx3090"},
        {"GeForce RTX 3090", "rtx3090"}, {"NVIDIA GeForce RTX 3090", "rtx3090"}, {"nvidia_rtx_3090", "rtx3090"},
        {"GeForce 9800 GTX+", "9800gtxplus"}, {"GeForce 9800 GTX", "9800gtx"}, {"Tesla K40", "k40"},
        {"teslak40", "k40"},
        {"Tesla K40m", "k40"}, {"Quadro 4000", "quadro4000"}, {"Quadro K4000", "k4000"}, {"NVIDIA RTX A4000", "a4000"},
        {"Quadro RTX 4000", "quadrortx4000"}, {"A100-SXM4-80GB", "a100"}, {"a100 40gb", "a100-40gb"},
        {"jetson orin nano", "jetson-orin-nano"}, {"Orin Nano", "jetson-orin-nano"}, {"GeForce GTX 280", "gtx280"},
        {"8800 GTX", "8800gtx"}, {"NVIDIA H100 80GB HBM3", "h100"}, {"GTX TITAN X", "titanx"}, {"Titan X", "titanx"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const hw_gpu *gpu = hw_gpu_find(cases[i][0]);
        if (!gpu || strcmp(gpu->id, cases[i][1]))
            fail_msg("'%s' is %s and not %s", cases[i][0], gpu ? gpu->id : "nothing", cases[i][1]);
    }
    static const char *const none[] = {"", " ", "-", "rtx", "nvidia", "GeForce", "4000", "rtx 6000",
                                       "rtx 30", "h2000", "../h200"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        if (hw_gpu_find(none[i])) fail_msg("'%s' is %s", none[i], hw_gpu_find(none[i])->id);
    char long_name[4096];
    memset(long_name, 'h', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_null(hw_gpu_find(long_name));
    assert_false(hw_gpu_has_words(hw_gpu_find("h200"), long_name));
}

static void words_and_drivers_names(void **state) {
    const hw_gpu *gpu = hw_gpu_find("rtx3090"), *old = hw_gpu_find("gtx1080");
    (void)state;
    assert_true(hw_gpu_has_words(gpu, "rtx 30") && hw_gpu_has_words(gpu, "Ampere"));
    assert_true(hw_gpu_has_words(gpu, " ga102  GeForce "));
    assert_true(hw_gpu_has_words(gpu, "") && !hw_gpu_has_words(gpu, "rtx 40") && !hw_gpu_has_words(gpu, "30 ada"));
    assert_true(hw_gpu_is_called(gpu, "NVIDIA GeForce RTX 3090") && hw_gpu_is_called(gpu, "GeForce RTX 3090"));
    assert_true(hw_gpu_is_called(old, "NVIDIA GeForce GTX 1080") && hw_gpu_is_called(old, "GeForce GTX 1080"));
    assert_false(hw_gpu_is_called(old, "GeForce GTX 1080 Ti") || hw_gpu_is_called(old, ""));
    assert_true(hw_gpu_is_integrated(hw_gpu_find("jetson-nano")) && !hw_gpu_is_integrated(gpu));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_words_of_their_own),     cmocka_unit_test(rows_agree_with_their_chips),
        cmocka_unit_test(figures_follow_from_each_other), cmocka_unit_test(every_capability_is_whole),
        cmocka_unit_test(names_are_spelled_as_people_do), cmocka_unit_test(words_and_drivers_names),
        cmocka_unit_test(capabilities_by_their_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
