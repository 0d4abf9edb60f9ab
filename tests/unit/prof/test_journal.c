// The journal of a profile: what is written launch by launch is what the profiler has, whatever the file's end is.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "prof/journal.h"

static const hw_note notes[] = {
    {.kind = HW_NOTE_PLAIN, .file = 0, .line = 10},
    {.kind = HW_NOTE_BARRIER, .file = 1, .line = 3},
    {.kind = HW_NOTE_PLAIN, .file = 7, .line = 5},    // of no file
    {.kind = HW_NOTE_PLAIN, .file = 0, .line = 9},
};
enum { N_NOTES = 4 };
static const char *const files[] = {"b.cu", "a.cuh"};

typedef struct profile {
    hw_prof *prof;
    hw_journal *journal;
    hw_status status;
    char path[64];
} profile;

// As a GPU of 1.x has them.
static const hw_report_blocks blocks = {.at_once = 120, .partitions = 8, .n = 2, .touched = {{1, 2}, {128, 128}},
                                        .bytes = {{64, 64}, {[7] = 128}}};

static void finished(void *context, const hw_report *report) {
    profile *p = context;
    hw_diag diag = {0};
    ((hw_report_launch *)report->launches)[0].blocks = &blocks;
    p->status = hw_journal_add(p->journal, report, &diag);
}

static void start(profile *p, bool lines) {
    hw_diag diag = {0};
    *p = (profile){.path = "/tmp/halfwarp-test-journal.XXXXXX"};
    int file = mkstemp(p->path);
    assert_true(file >= 0);
    close(file);
    const hw_prof_options options = {.lines = lines, .finished = finished, .context = p};
    assert_int_equal(hw_prof_create(hw_gpu_find("h200"), &options, &p->prof, &diag), HW_OK);
    assert_int_equal(hw_journal_open(p->path, &p->journal, &diag), HW_OK);
}

static void stop(profile *p) {
    hw_journal_close(p->journal);
    hw_prof_destroy(p->prof);
    unlink(p->path);
}

// A launch of which the first n_executed instructions were executed.
static void launch_blocks(profile *p, const char *kernel, uint32_t n_executed, uint32_t width) {
    hw_diag diag = {0};
    hw_launch_info info = {.kernel = kernel, .grid = {4, 2, 1}, .block = {width, 8, 1}, .regs = 10, .notes = notes,
                           .n_notes = N_NOTES, .files = files, .n_files = 2, .n_workers = 1,
                           .producer = "nvcc 13.0.88", .spill_bytes = 12};
    hw_sink *sink = hw_prof_sink(p->prof);
    assert_int_equal(sink->launch_begin(sink, &info, &diag), HW_OK);
    sink->executed(sink, 0, &(hw_executed){0, n_executed, 3, 96});
    sink->launch_end(sink, &info, 1500000, n_executed == N_NOTES ? HW_FAULT : HW_OK);
}

static void launch(profile *p, const char *kernel, uint32_t n_executed) { launch_blocks(p, kernel, n_executed, 32); }

static void assert_same(const hw_report *a, const hw_report *b) {
    assert_int_equal(a->n_launches, b->n_launches);
    for (size_t i = 0; i < a->n_launches; i++) {
        const hw_report_launch *x = &a->launches[i], *y = &b->launches[i];
        assert_string_equal(x->kernel, y->kernel);
        assert_string_equal(x->mangled, y->mangled);
        assert_int_equal(x->ordinal, y->ordinal);
        assert_int_equal(x->status, y->status);
        assert_int_equal(x->regs, y->regs);
        assert_int_equal(x->spill_bytes, 12);
        assert_int_equal(y->spill_bytes, 12);
        assert_string_equal(x->ptx_by, y->ptx_by);
        assert_int_equal(x->blocks != NULL, y->blocks != NULL);
        if (x->blocks) assert_memory_equal(x->blocks, y->blocks, sizeof *x->blocks);
        assert_memory_equal(x->grid, y->grid, sizeof x->grid);
        assert_memory_equal(x->counts, y->counts, sizeof x->counts);
        assert_true(x->host_ms == y->host_ms && x->occupancy.blocks == y->occupancy.blocks);
    }
    assert_int_equal(a->n_kernels, b->n_kernels);
    for (size_t i = 0; i < a->n_kernels; i++) {
        const hw_report_kernel *x = &a->kernels[i], *y = &b->kernels[i];
        assert_string_equal(x->mangled, y->mangled);
        assert_string_equal(x->kernel, y->kernel);
        assert_int_equal(x->launches, y->launches);
        if (!a->has_lines) continue;
        assert_int_equal(x->n_lines, y->n_lines);
        for (size_t k = 0; k < x->n_lines; k++) {
            assert_string_equal(x->lines[k].file, y->lines[k].file);
            assert_int_equal(x->lines[k].line, y->lines[k].line);
            assert_memory_equal(x->lines[k].counts, y->lines[k].counts, sizeof x->lines[k].counts);
        }
    }
}

static hw_status read_file(const char *path, bool lines, hw_arena *arena, hw_report *out, uint32_t *processes) {
    hw_diag diag = {0};
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    const hw_journal_options options = {.has_lines = lines};
    hw_status status = hw_journal_read(in, hw_gpu_find("h200"), &options, arena, out, processes, &diag);
    fclose(in);
    assert_true(status == HW_OK || diag.text[0]);
    return status;
}

static void launches(profile *p) {
    hw_diag diag = {0};
    assert_int_equal(hw_journal_code(p->journal, ".version 7.0", 12, &diag), HW_OK);
    assert_int_equal(hw_journal_code(p->journal, "", 0, &diag), HW_OK);
    launch(p, "_Z4copyPfPKf", 1);
    launch(p, "_Z3addi", 2);
    launch(p, "_Z4copyPfPKf", 3);        // lines that come before and behind those it had
    launch(p, "_Z4copyPfPKf", N_NOTES);
    launch(p, "_Z3addi", 1);
}

static bool wants_add(void *context, const char *mangled) {
    profile *p = context;
    if (!strcmp(mangled, "_Z3addi")) return true;
    hw_diag diag = {0};
    assert_int_equal(hw_journal_pass(p->journal, &diag), HW_OK);
    return false;
}

// Launches that are not counted keep their ordinals, in the profiler and in the journal.
static void uncounted_launches_keep_their_place(void **state) {
    (void)state;
    profile p;
    hw_report report;
    hw_diag diag = {0};
    uint32_t processes;
    hw_arena *arena = hw_arena_create();
    start(&p, false);
    hw_prof_destroy(p.prof);
    const hw_prof_options options = {.finished = finished, .wants = wants_add, .context = &p};
    assert_int_equal(hw_prof_create(hw_gpu_find("h200"), &options, &p.prof, &diag), HW_OK);
    static const char *const names[] = {"_Z4copyPfPKf", "_Z3addi", "_Z4copyPfPKf", "_Z4copyPfPKf", "_Z3addi"};
    for (int i = 0; i < 5; i++) {
        const hw_launch_info info = {.kernel = names[i]};
        hw_sink *sink = hw_prof_sink(p.prof);
        if (sink->wants(sink, &info)) launch(&p, names[i], 1);
    }
    assert_int_equal(read_file(p.path, false, arena, &report, &processes), HW_OK);
    assert_int_equal(processes, 1);
    assert_int_equal(report.n_launches, 2);
    assert_int_equal(report.n_uncounted, 3);
    assert_int_equal(report.launches[0].ordinal, 1);
    assert_int_equal(report.launches[1].ordinal, 4);
    assert_same(hw_prof_report(p.prof), &report);
    hw_arena_destroy(arena);
    stop(&p);
}

static void read_lines(const profile *p, hw_report_lines of, hw_arena *arena, hw_report *report) {
    const hw_journal_options options = {.has_lines = true, .lines_of = of};
    uint32_t processes;
    hw_diag diag = {0};
    FILE *in = fopen(p->path, "rb");
    assert_non_null(in);
    assert_int_equal(hw_journal_read(in, hw_gpu_find("h200"), &options, arena, report, &processes, &diag), HW_OK);
    fclose(in);
    assert_int_equal(report->lines_of, of);
}

static uint64_t warps_of(const hw_report_kernel *kernel) {
    uint64_t n = 0;
    for (size_t i = 0; i < kernel->n_lines; i++) n += kernel->lines[i].counts[HW_COUNT_INST];
    return n;
}

// One journal gives the lines of kernels, of launches with one configuration, and of each launch.
static void lines_are_added_up_as_asked(void **state) {
    (void)state;
    static const uint32_t blocks[] = {32, 64, 32, 64, 64};
    profile p;
    hw_report report;
    hw_arena *arena = hw_arena_create();
    start(&p, true);
    for (uint32_t i = 0; i < 5; i++) launch_blocks(&p, "_Z4copyPfPKf", 1 + i % 3, blocks[i]);
    read_lines(&p, HW_LINES_OF_KERNEL, arena, &report);
    assert_int_equal(report.n_kernels, 1);
    assert_int_equal(report.kernels[0].launches, 5);
    assert_int_equal(warps_of(&report.kernels[0]), 3 * (1 + 2 + 3 + 1 + 2));
    read_lines(&p, HW_LINES_OF_GROUP, arena, &report);
    assert_int_equal(report.n_kernels, 2);
    assert_int_equal(report.kernels[0].launches, 2);
    assert_int_equal(report.kernels[0].block[0], 32);
    assert_int_equal(report.kernels[0].first, 0);
    assert_int_equal(warps_of(&report.kernels[0]), 3 * (1 + 3));
    assert_int_equal(report.kernels[1].launches, 3);
    assert_int_equal(report.kernels[1].first, 1);
    assert_int_equal(warps_of(&report.kernels[1]), 3 * (2 + 1 + 2));
    read_lines(&p, HW_LINES_OF_LAUNCH, arena, &report);
    assert_int_equal(report.n_kernels, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(report.kernels[i].first, i);
        assert_int_equal(report.kernels[i].launches, 1);
        assert_int_equal(warps_of(&report.kernels[i]), 3 * (1 + i % 3));
        assert_string_equal(report.kernels[i].kernel, "copy(float*, float const*)");
        assert_string_equal(report.launches[i].ptx_by, "nvcc 13.0.88");
    }
    hw_arena_destroy(arena);
    stop(&p);
}

static void what_is_written_is_read(void **state) {
    (void)state;
    for (int lines = 0; lines < 2; lines++) {
        profile p;
        hw_report report;
        uint32_t processes;
        hw_arena *arena = hw_arena_create();
        start(&p, lines);
        assert_int_equal(read_file(p.path, lines, arena, &report, &processes), HW_OK);
        assert_true(processes == 1 && report.n_launches == 0);
        launches(&p);
        assert_int_equal(p.status, HW_OK);
        assert_int_equal(read_file(p.path, lines, arena, &report, &processes), HW_OK);
        assert_int_equal(processes, 1);
        assert_same(hw_prof_report(p.prof), &report);
        assert_int_equal(report.n_codes, 2);
        assert_string_equal(report.codes[0], ".version 7.0");
        assert_string_equal(report.codes[1], "");
        hw_arena_destroy(arena);
        stop(&p);
    }
}

// A second process goes on where the first one left.
static void processes_share_a_file(void **state) {
    (void)state;
    profile p;
    hw_report report;
    hw_diag diag = {0};
    uint32_t processes;
    hw_arena *arena = hw_arena_create();
    start(&p, true);
    launches(&p);
    hw_journal_close(p.journal);
    hw_prof_destroy(p.prof);
    const hw_prof_options options = {.lines = true, .finished = finished, .context = &p};
    assert_int_equal(hw_prof_create(hw_gpu_find("h200"), &options, &p.prof, &diag), HW_OK);
    assert_int_equal(hw_journal_open(p.path, &p.journal, &diag), HW_OK);
    launches(&p);
    assert_int_equal(read_file(p.path, true, arena, &report, &processes), HW_OK);
    assert_int_equal(processes, 2);
    assert_int_equal(report.n_launches, 10);
    assert_int_equal(report.launches[9].ordinal, 9);
    assert_int_equal(report.n_kernels, 2);
    const hw_report *one = hw_prof_report(p.prof);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(report.kernels[i].launches, 2 * one->kernels[i].launches);
        assert_int_equal(report.kernels[i].n_lines, one->kernels[i].n_lines);
        for (size_t k = 0; k < one->kernels[i].n_lines; k++)
            assert_int_equal(report.kernels[i].lines[k].counts[HW_COUNT_INST],
                             2 * one->kernels[i].lines[k].counts[HW_COUNT_INST]);
    }
    hw_arena_destroy(arena);
    stop(&p);
}

static size_t read_bytes(const char *path, unsigned char *bytes, size_t capacity) {
    FILE *in = fopen(path, "rb");
    size_t n = fread(bytes, 1, capacity, in);
    fclose(in);
    assert_true(n < capacity);
    return n;
}

static void write_bytes(const char *path, const unsigned char *bytes, size_t n) {
    unlink(path);   // for a file that is cut to nothing and written again the disk may be waited for
    FILE *out = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, n, out), n);
    fclose(out);
}

// Cut anywhere, a journal has the launches before the cut; with any byte changed, it is read or refused.
static void hostile_files(void **state) {
    (void)state;
    static unsigned char bytes[65536];
    profile p;
    hw_report report;
    uint32_t processes;
    start(&p, true);
    launches(&p);
    size_t n = read_bytes(p.path, bytes, sizeof bytes), before = 0;
    for (size_t cut = 0; cut <= n; cut += cut + 7 < n ? 7 : 1) {
        hw_arena *arena = hw_arena_create();
        write_bytes(p.path, bytes, cut);
        assert_int_equal(read_file(p.path, true, arena, &report, &processes), HW_OK);
        assert_true(report.n_launches >= before && report.n_launches <= 5);
        before = report.n_launches;
        hw_arena_destroy(arena);
    }
    assert_int_equal(before, 5);
    for (size_t i = 0; i < n; i += 3) {
        hw_arena *arena = hw_arena_create();
        unsigned char old = bytes[i];
        bytes[i] ^= i % 2 ? 0xff : 0x01;
        write_bytes(p.path, bytes, n);
        hw_status status = read_file(p.path, true, arena, &report, &processes);
        assert_true(status == HW_OK || status == HW_MALFORMED);
        bytes[i] = old;
        hw_arena_destroy(arena);
    }
    stop(&p);
}

static void no_memory(void **state) {
    (void)state;
    profile p;
    hw_report report;
    uint32_t processes;
    start(&p, true);
    launch(&p, "_Z4copyPfPKf", N_NOTES);
    bool was_refused = false, is_done = false;
    for (long k = 0; !is_done; k++) {
        hw_arena *arena = hw_arena_create();
        FILE *in = fopen(p.path, "rb");
        hw_diag diag = {0};
        hw_alloc_fail_after(k);
        const hw_journal_options options = {.has_lines = true};
        hw_status status = hw_journal_read(in, hw_gpu_find("h200"), &options, arena, &report, &processes, &diag);
        hw_alloc_fail_after(-1);
        fclose(in);
        hw_arena_destroy(arena);
        assert_true(status == HW_OK || status == HW_NO_MEMORY);
        was_refused |= status == HW_NO_MEMORY;
        is_done = status == HW_OK;
    }
    assert_true(was_refused);
    for (long k = 0;; k++) {
        hw_journal *journal;
        hw_diag diag = {0};
        hw_alloc_fail_after(k);
        hw_status status = hw_journal_open(p.path, &journal, &diag);
        if (!status) status = hw_journal_add(journal, hw_prof_report(p.prof), &diag);
        hw_alloc_fail_after(-1);
        if (journal) hw_journal_close(journal);
        if (status == HW_OK) break;
        assert_int_equal(status, HW_NO_MEMORY);
        assert_true(k < 20);
    }
    stop(&p);
}

static void full_disk(void **state) {
    (void)state;
    hw_journal *journal;
    hw_diag diag = {0};
    if (access("/dev/full", W_OK) != 0) skip();
    assert_int_equal(hw_journal_open("/dev/full", &journal, &diag), HW_IO);
    assert_null(journal);
    memset(&diag, 0, sizeof diag);
    assert_int_equal(hw_journal_open("/nonexistent/file", &journal, &diag), HW_IO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(uncounted_launches_keep_their_place),
        cmocka_unit_test(lines_are_added_up_as_asked), cmocka_unit_test(processes_share_a_file),
        cmocka_unit_test(hostile_files),           cmocka_unit_test(no_memory),
        cmocka_unit_test(full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
