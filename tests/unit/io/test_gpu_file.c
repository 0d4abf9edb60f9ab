// GPUs of files: what a file says, what follows from it, what is refused and where.
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "io/gpu_file.h"
#include "model/time.h"

static const hw_gpu *parse(const char *text) {
    const hw_gpu *gpu = NULL;
    hw_diag diag = {0};
    if (hw_gpu_parse(text, strlen(text), "a/mine.json", &gpu, &diag))
        fail_msg("%s:%d: %s, of %s", diag.file, diag.line, diag.text, text);
    return gpu;
}

static void assert_real(double value, double wanted) {
    if (!(value > 0.9999 * wanted && value < 1.0001 * wanted)) fail_msg("%g and not %g", value, wanted);
}

// What is written of a GPU is read as the same GPU, all of it.
static void every_row_goes_there_and_back(void **state) {
    const hw_gpu *gpu, *again;
    const hw_gpu_field *field;
    (void)state;
    for (size_t i = 0; (gpu = hw_gpu_at(i)); i++) {
        char *text = NULL;
        size_t length = 0;
        FILE *out = open_memstream(&text, &length);
        assert_true(hw_gpu_write_json(&gpu, 1, out));
        fclose(out);
        again = parse(text);
        assert_ptr_not_equal(again, gpu);
        assert_ptr_equal(again->arch, gpu->arch);
        assert_null(again->based_on);
        for (size_t k = 0; (field = hw_gpu_field_at(k)); k++) {
            const char *a = (const char *)gpu + field->offset, *b = (const char *)again + field->offset;
            if (field->kind == HW_GPU_U32) assert_memory_equal(a, b, sizeof(uint32_t));
            if (field->kind == HW_GPU_U64) assert_memory_equal(a, b, sizeof(uint64_t));
            if (field->kind == HW_GPU_REAL && *(const double *)a > 0)
                assert_real(*(const double *)b, *(const double *)a);
            if (field->kind == HW_GPU_TEXT && strcmp(field->key, "based_on"))
                assert_string_equal(*(const char *const *)a, *(const char *const *)b);
        }
        hw_gpu_close(again);
        free(text);
    }
}

static void nothing_but_a_base(void **state) {
    const hw_gpu *gpu = parse("{\"based_on\": \"GeForce GTX 280\"}"), *base = hw_gpu_find("gtx280");
    (void)state;
    assert_string_equal(gpu->id, "mine");
    assert_string_equal(gpu->name, base->name);
    assert_string_equal(gpu->based_on, "gtx280");   // as the estimate of time looks for it
    assert_ptr_equal(gpu->arch, base->arch);
    assert_true(gpu->memory_gbs == base->memory_gbs && gpu->fp32_gflops == base->fp32_gflops);
    assert_true(gpu->fp64_gflops == base->fp64_gflops && gpu->memory_bytes == base->memory_bytes);
    // The estimate of time takes what it knows of the base, not of what is nearest by its capability.
    const hw_time_work work = {.blocks = 1, .warps = 1, .load_bytes = 1 << 20};
    assert_real(hw_model_time(gpu, &work).us, hw_model_time(base, &work).us);
    hw_gpu_close(gpu);
}

static void what_is_changed_takes_with_it_what_follows(void **state) {
    (void)state;
    const hw_gpu *h200 = hw_gpu_find("h200"), *gpu = parse("{\"based_on\": \"h200\", \"multiprocessors\": 264}");
    assert_int_equal(gpu->sms, 264);
    assert_real(gpu->fp32_gflops, 2e-3 * 264 * 128 * 1980);
    assert_real(gpu->fp64_gflops, gpu->fp32_gflops * h200->fp64_gflops / h200->fp32_gflops);
    assert_true(gpu->memory_gbs == h200->memory_gbs);
    hw_gpu_close(gpu);
    gpu = parse("{\"based_on\": \"h200\", \"memory_bus_bits\": 3008}");
    assert_real(gpu->memory_gbs, 2e-3 * 3201 * 3008 / 8);
    hw_gpu_close(gpu);
    gpu = parse("{\"based_on\": \"h200\", \"memory_gbs\": 9628.6}");
    assert_int_equal(gpu->memory_clock_mhz, 6402);
    hw_gpu_close(gpu);
    gpu = parse("{\"based_on\": \"b200\", \"memory_bus_bits\": 4096}");   // whose memory clock is not known
    assert_real(gpu->memory_gbs, 4000);
    hw_gpu_close(gpu);
    gpu = parse("{\"based_on\": \"rtx3090\", \"clock_mhz\": 1000}");
    assert_int_equal(gpu->base_clock_mhz, 0);
    hw_gpu_close(gpu);
    gpu = parse("{\"based_on\": \"gtx580\", \"compute_capability\": \"3.0\"}");
    assert_real(gpu->fp64_gflops * 24, gpu->fp32_gflops);
    hw_gpu_close(gpu);
    gpu = parse("[{\"id\": \"x1\", \"compute_capability\": \"8.6\", \"multiprocessors\": 10, \"clock_mhz\": 1000,\n"
                "\"memory_bytes\": 1073741824, \"memory_clock_mhz\": 5000, \"memory_bus_bits\": 64}]");
    assert_string_equal(gpu->id, "x1");
    assert_string_equal(gpu->name, "x1");
    assert_string_equal(gpu->chip, "");
    assert_real(gpu->memory_gbs, 80);
    assert_real(gpu->fp32_gflops, 2560);
    assert_real(gpu->fp64_gflops, 40);
    assert_false(hw_gpu_is_integrated(gpu));
    hw_gpu_close(gpu);
}

static void refused_with_file_line_and_key(void **state) {
    static const struct {
        const char *text;
        int line;
        const char *says;
    } cases[] = {
        {"", 1, "no JSON"},
        {"{\n\"based_on\": \"h200\",\n}", 3, "no JSON"},
        {"{\"based_on\": \"h200\"} x", 1, "no JSON"},
        {"{\"id\": \"a\",\n\"id\": \"b\"}", 2, "no JSON: duplicate"},
        {"3", 1, "no JSON"},
        {"[]", 0, "it has 0 GPUs"},
        {"[{}, {}]", 0, "it has 2 GPUs"},
        {"[[]]", 0, "no JSON object"},
        {"{}", 0, "\"compute_capability\" is missing"},
        {"{\"compute_capability\": \"9.0\"}", 0, "\"multiprocessors\" is missing"},
        {"{\n\"based_on\":\n\"h2000\"}", 2, "and not \"h2000\""},
        {"{\"based_on\": 200}", 1, "in quotes"},
        {"{\"based_on\": \"h200\",\n\n\"sms\": 3}", 3, "there is no key \"sms\""},
        {"{\"based_on\": \"h200\",\n\"multiprocessors\": 0}", 2, "a whole number from 1 to 4096"},
        {"{\"based_on\": \"h200\",\n\"multiprocessors\": 4097}", 2, "a whole number from 1 to 4096"},
        {"{\"based_on\": \"h200\",\n\"multiprocessors\": 1.5}", 2, "a whole number"},
        {"{\"based_on\": \"h200\",\n\"multiprocessors\": \"132\"}", 2, "a whole number"},
        {"{\"based_on\": \"h200\",\n\"clock_mhz\": -1}", 2, "from 1 to 20000"},
        {"{\"based_on\": \"h200\",\n\"memory_bytes\": 9223372036854775807}", 2, "to 35184372088832"},
        {"{\"based_on\": \"h200\",\n\"memory_gbs\": null}", 2, "a number from 0.01"},
        {"{\"based_on\": \"h200\",\n\"memory_bus_bits\": 12}", 2, "a multiple of 8"},
        {"{\"based_on\": \"h200\",\n\"memory_bus_bits\": 0}", 2, "moves nothing"},
        {"{\"based_on\": \"h200\", \"memory_bus_bits\": 3008, \"memory_clock_mhz\": 3201,\n\"memory_gbs\": 4800}", 2,
         "3201 MHz over 3008 bits make 2407.15"},
        {"{\"based_on\": \"h200\", \"multiprocessors\": 264,\n\"fp32_gflops\": 67000}", 2,
         "264 multiprocessors at 1980 MHz make 133816"},
        {"{\"based_on\": \"h200\",\n\"fp64_gflops\": 68000}", 2, "more than \"fp32_gflops\""},
        {"{\"based_on\": \"h200\",\n\"base_clock_mhz\": 1981}", 2, "more than \"clock_mhz\""},
        {"{\"based_on\": \"h200\",\n\"compute_capability\": \"9.1\"}", 2, "8.9, 9.0, 10.0"},
        {"{\"based_on\": \"h200\",\n\"compute_capability\": 9.0}", 2, "in quotes"},
        {"{\"based_on\": \"h200\",\n\"id\": \"a b\"}", 2, "letters, digits"},
        {"{\"based_on\": \"h200\",\n\"id\": \"\"}", 2, "has 0 characters"},
        {"{\"based_on\": \"h200\",\n\"name\": \"a\\nb\"}", 2, "cannot be printed"},
        {"{\"based_on\": \"h200\",\n\"name\": \"0123456789012345678901234567890123456789012345678901234567890123456789"
         "012345678901234567890123456789\"}", 2, "has 100 characters, and can have 1 to 99"},
        {"{\"based_on\": \"h200\",\n\"name\": 7}", 2, "a text in quotes"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const hw_gpu *gpu;
        hw_diag diag = {0};
        hw_status status = hw_gpu_parse(cases[i].text, strlen(cases[i].text), "a/mine.json", &gpu, &diag);
        if (status != HW_MALFORMED || gpu || !strstr(diag.text, cases[i].says) || diag.line != cases[i].line ||
            strcmp(diag.file, "a/mine.json"))
            fail_msg("%s:\n%d, %s:%d: %s", cases[i].text, status, diag.file, diag.line, diag.text);
    }
}

static void words_and_files(void **state) {
    char path[] = "/tmp/halfwarp_gpu_XXXXXX";
    const hw_gpu *gpu;
    hw_diag diag = {0};
    (void)state;
    assert_true(hw_gpu_is_file("./h200") && hw_gpu_is_file("mine.json") && !hw_gpu_is_file("h200"));
    assert_false(hw_gpu_is_file(".json") || hw_gpu_is_file(""));
    assert_int_equal(hw_gpu_open("RTX 3090", &gpu, &diag), HW_OK);
    assert_ptr_equal(gpu, hw_gpu_find("rtx3090"));
    hw_gpu_close(gpu);   // which a row does not mind
    hw_gpu_close(NULL);
    assert_int_equal(hw_gpu_open("h2000", &gpu, &diag), HW_USAGE);
    diag = (hw_diag){0};
    assert_int_equal(hw_gpu_open("/nonexistent/h200.json", &gpu, &diag), HW_IO);
    assert_non_null(strstr(diag.text, "/nonexistent/h200.json"));
    diag = (hw_diag){0};
    assert_int_equal(hw_gpu_open("/tmp/", &gpu, &diag), HW_IO);
    assert_non_null(strstr(diag.text, "no regular file"));
    int file = mkstemp(path);
    static const char text[] = "{\"based_on\": \"k40\", \"multiprocessors\": 1}";
    assert_true(file >= 0 && write(file, text, sizeof text - 1) == sizeof text - 1);
    close(file);
    assert_int_equal(hw_gpu_open(path, &gpu, &diag), HW_OK);
    assert_int_equal(gpu->sms, 1);
    assert_string_equal(gpu->id, path + strlen("/tmp/"));
    hw_gpu_close(gpu);
    // Each allocation of ours that fails is said, and leaves nothing behind.
    for (long n = 0, status = HW_NO_MEMORY; status == HW_NO_MEMORY; n++) {
        diag = (hw_diag){0};
        hw_alloc_fail_after(n);
        status = hw_gpu_open(path, &gpu, &diag);
        hw_alloc_fail_after(-1);
        assert_true(status == HW_OK ? n == 3 : status == HW_NO_MEMORY && !gpu && diag.text[0]);
    }
    hw_gpu_close(gpu);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_goes_there_and_back),
        cmocka_unit_test(nothing_but_a_base),
        cmocka_unit_test(what_is_changed_takes_with_it_what_follows),
        cmocka_unit_test(refused_with_file_line_and_key),
        cmocka_unit_test(words_and_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
