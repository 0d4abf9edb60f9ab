// Records: a head, and behind it, of a launch that was counted, its numbers, its kernel's mangled name, who made the
// PTX, and lines with their files' names. Each record stands for itself, so that processes can write in turn.
#include "prof/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/demangle.h"

enum { MAGIC = 0x4c4a5748, MAX_RECORD = 1 << 28, SPANS_BYTES = 1 << 14, MOST_CODE = 1 << 25 };

enum { A_PROCESS, A_LAUNCH, AN_UNCOUNTED_LAUNCH, A_SPAN, A_CODE };

typedef struct record_head {
    uint32_t magic, kind, bytes;  // of what follows; 0 of kinds that have nothing
    int32_t process;              // its id
} record_head;

// Behind it: its name, of name_bytes. The span's own pointer means nothing here.
typedef struct span_record {
    hw_span span;
    uint32_t name_bytes;
} span_record;

// Behind it: name_bytes of the kernel's name, by_bytes of ptx_by, its blocks, then lines. The launch's own pointers
// mean nothing here.
typedef struct launch_record {
    hw_report_launch launch;
    uint32_t name_bytes, by_bytes, n_lines;
    uint8_t shows_blocks;         // 1: they are there
} launch_record;

// Behind it: the file's name.
typedef struct line_record {
    uint32_t line, file_bytes;
    uint8_t shows[HW_SHOWN_SPACES];   // 1: an access follows the name
    uint64_t counts[HW_COUNTERS]; // what the launch added
} line_record;

// ---- writing ----

// What of a kernel's lines has been written.
typedef struct written {
    const char *mangled;          // the report's own pointer
    hw_report_line *lines;
    size_t n_lines;
} written;

struct hw_journal {
    int file;
    unsigned char *buffer;
    size_t used, capacity;
    unsigned char *spans;         // records that are yet to be written
    size_t spans_used;
    size_t code_bytes;            // that were kept
    written *kernels;
    size_t n_kernels, kernels_capacity;
};

static bool put_bytes(hw_journal *journal, const void *bytes, size_t count) {
    if (journal->used + count > journal->capacity) {
        size_t wanted = 2 * (journal->used + count);
        void *bigger = hw_realloc_array(journal->buffer, wanted, 1);
        if (!bigger) return false;
        journal->buffer = bigger;
        journal->capacity = wanted;
    }
    if (count) memcpy(journal->buffer + journal->used, bytes, count);
    journal->used += count;
    return true;
}

static void end_entry(hw_journal *journal) {
    ((record_head *)journal->buffer)->bytes = (uint32_t)(journal->used - sizeof(record_head));
}

static hw_status write_bytes(const hw_journal *journal, const void *bytes, size_t count, hw_diag *diag) {
    for (;;) {
        ssize_t done = write(journal->file, bytes, count);
        if (done == (ssize_t)count) return HW_OK;
        if (done < 0 && errno == EINTR) continue;
        return hw_diag_set(diag, HW_IO, "the profile cannot be kept: %s", done < 0 ? strerror(errno) : "no space left");
    }
}

static hw_status flush_journal(hw_journal *journal, hw_diag *diag) {
    end_entry(journal);
    return write_bytes(journal, journal->buffer, journal->used, diag);
}

static bool begin_entry(hw_journal *journal, uint32_t kind) {
    journal->used = 0;
    return put_bytes(journal, &(record_head){.magic = MAGIC, .kind = kind, .process = getpid()}, sizeof(record_head));
}

hw_status hw_journal_open(const char *path, hw_journal **out, hw_diag *diag) {
    hw_journal *journal = hw_calloc(1, sizeof *journal);
    *out = NULL;
    if (!journal) return hw_diag_no_memory(diag);
    journal->file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    hw_status status = HW_OK;
    if (journal->file < 0) status = hw_diag_set(diag, HW_IO, "cannot write %s: %s", path, strerror(errno));
    if (!status) status = begin_entry(journal, A_PROCESS) ? flush_journal(journal, diag) : hw_diag_no_memory(diag);
    if (status) hw_journal_close(journal);
    else *out = journal;
    return status;
}

void hw_journal_close(hw_journal *journal) {
    if (!journal) return;
    if (journal->file >= 0) close(journal->file);
    for (size_t i = 0; i < journal->n_kernels; i++) hw_free(journal->kernels[i].lines);
    hw_free(journal->kernels);
    hw_free(journal->buffer);
    hw_free(journal->spans);
    hw_free(journal);
}

hw_status hw_journal_pass(hw_journal *journal, hw_diag *diag) {
    return begin_entry(journal, AN_UNCOUNTED_LAUNCH) ? flush_journal(journal, diag) : hw_diag_no_memory(diag);
}

hw_status hw_journal_code(hw_journal *journal, const char *ptx, size_t bytes, hw_diag *diag) {
    if (bytes > MOST_CODE - journal->code_bytes) return HW_OK;
    journal->code_bytes += bytes;
    if (!begin_entry(journal, A_CODE) || !put_bytes(journal, ptx, bytes)) return hw_diag_no_memory(diag);
    return flush_journal(journal, diag);
}

hw_status hw_journal_span(hw_journal *journal, const hw_span *span, hw_diag *diag) {
    span_record record = {.span = *span, .name_bytes = span->name ? (uint32_t)strlen(span->name) : 0};
    if (!journal->spans) journal->spans = hw_malloc(SPANS_BYTES);
    if (!journal->spans || !begin_entry(journal, A_SPAN) || !put_bytes(journal, &record, sizeof record) ||
        !put_bytes(journal, span->name, record.name_bytes))
        return hw_diag_no_memory(diag);
    end_entry(journal);
    hw_status status = HW_OK;
    if (journal->used > SPANS_BYTES - journal->spans_used) status = hw_journal_flush(journal, diag);
    if (status || journal->used > SPANS_BYTES) return status;
    memcpy(journal->spans + journal->spans_used, journal->buffer, journal->used);
    journal->spans_used += journal->used;
    return HW_OK;
}

hw_status hw_journal_flush(hw_journal *journal, hw_diag *diag) {
    const size_t count = journal->spans_used;
    journal->spans_used = 0;
    return count ? write_bytes(journal, journal->spans, count, diag) : HW_OK;
}

static written *find_written(hw_journal *journal, const char *mangled) {
    for (size_t i = 0; i < journal->n_kernels; i++)
        if (journal->kernels[i].mangled == mangled) return &journal->kernels[i];
    if (!hw_grow((void **)&journal->kernels, journal->n_kernels, &journal->kernels_capacity, sizeof *journal->kernels))
        return NULL;
    journal->kernels[journal->n_kernels] = (written){.mangled = mangled};
    return &journal->kernels[journal->n_kernels++];
}

static bool put_line(hw_journal *journal, const line_record *record, const hw_report_line *line) {
    bool good = put_bytes(journal, record, sizeof *record) && put_bytes(journal, line->file, record->file_bytes);
    for (int s = 0; s < HW_SHOWN_SPACES; s++)
        if (record->shows[s]) good = good && put_bytes(journal, line->shown[s], sizeof *line->shown[s]);
    return good;
}

// The lines whose counts differ from what was written. Both lists are in one order, and lines are only ever added.
static bool put_lines(hw_journal *journal, const hw_report_kernel *kernel, const written *before, uint32_t *n_lines) {
    size_t old = 0;
    for (size_t i = 0; i < kernel->n_lines; i++) {
        const hw_report_line *line = &kernel->lines[i];
        bool is_old = old < before->n_lines && before->lines[old].file == line->file &&
                      before->lines[old].line == line->line, has_changed = false;
        line_record record = {.line = line->line, .file_bytes = (uint32_t)strlen(line->file)};
        for (int k = 0; k < HW_COUNTERS; k++) {
            record.counts[k] = line->counts[k] - (is_old ? before->lines[old].counts[k] : 0);
            has_changed |= record.counts[k] != 0;
        }
        for (int s = 0; s < HW_SHOWN_SPACES; s++)
            record.shows[s] = line->shown[s] && !(is_old && before->lines[old].shown[s] == line->shown[s]);
        old += is_old;
        if (!has_changed) continue;
        if (!put_line(journal, &record, line)) return false;
        (*n_lines)++;
    }
    return true;
}

static bool remember_kernel(written *kernel, const hw_report_kernel *now) {
    if (now->n_lines != kernel->n_lines) {
        hw_report_line *lines = hw_realloc_array(kernel->lines, now->n_lines + 1, sizeof *lines);
        if (!lines) return false;
        kernel->lines = lines;
        kernel->n_lines = now->n_lines;
    }
    if (now->n_lines) memcpy(kernel->lines, now->lines, now->n_lines * sizeof *kernel->lines);
    return true;
}

hw_status hw_journal_add(hw_journal *journal, const hw_report *report, hw_diag *diag) {
    launch_record record = {.launch = report->launches[report->n_launches - 1]};
    const char *mangled = record.launch.mangled;
    const hw_report_kernel *kernel = report->kernels;
    while (kernel->mangled != mangled) kernel++;
    record.name_bytes = (uint32_t)strlen(mangled);
    record.by_bytes = (uint32_t)strlen(record.launch.ptx_by);
    record.shows_blocks = record.launch.blocks != NULL;
    written *before = find_written(journal, mangled);
    if (!before || !begin_entry(journal, A_LAUNCH) || !put_bytes(journal, &record, sizeof record) ||
        !put_bytes(journal, mangled, record.name_bytes) || !put_bytes(journal, record.launch.ptx_by, record.by_bytes) ||
        (record.shows_blocks && !put_bytes(journal, record.launch.blocks, sizeof *record.launch.blocks)))
        return hw_diag_no_memory(diag);
    uint32_t n_lines = 0;
    if (report->has_lines && (!put_lines(journal, kernel, before, &n_lines) || !remember_kernel(before, kernel)))
        return hw_diag_no_memory(diag);
    memcpy(journal->buffer + sizeof(record_head) + offsetof(launch_record, n_lines), &n_lines, sizeof n_lines);
    return flush_journal(journal, diag);
}

// ---- reading ----

// One process of the program: the rows of its launches, in their order, HW_NO_ROW where one was not counted.
typedef struct process {
    int32_t id;
    size_t *rows, n_rows, capacity;
} process;

typedef struct reader {
    hw_arena *arena;
    process *processes;
    size_t n_processes, processes_capacity, process;   // `process`: whose record is being read
    hw_report_span *spans;
    size_t n_spans, spans_capacity;
    const char **codes;
    size_t n_codes, codes_capacity;
    unsigned char *bytes;         // of the record
    size_t size, at;
    hw_report_lines lines_of;
    uint64_t n_uncounted;
    const char *ptx_by;           // of the last launch
    hw_report_launch *launches;
    size_t n_launches, launches_capacity;
    hw_report_kernel *kernels;
    size_t *lines_capacity;       // by kernel
    size_t n_kernels, kernels_capacity;
} reader;

// hw_grow for an array that lies in the arena.
static bool grow_array(hw_arena *arena, void **items, size_t count, size_t *capacity, size_t elem_bytes) {
    if (count < *capacity) return true;
    size_t wanted = *capacity ? 2 * *capacity : 16;
    void *bigger = hw_arena_take(arena, wanted * elem_bytes);
    if (!bigger) return false;
    if (count) memcpy(bigger, *items, count * elem_bytes);
    *items = bigger;
    *capacity = wanted;
    return true;
}

static bool take_bytes(reader *r, void *out, size_t count) {
    if (count > r->size - r->at) return false;
    memcpy(out, r->bytes + r->at, count);
    r->at += count;
    return true;
}

// Characters of the record, not ended by a NUL; NULL when it is shorter.
static const char *take_text(reader *r, size_t count) {
    if (count > r->size - r->at) return NULL;
    r->at += count;
    return (const char *)r->bytes + r->at - count;
}

static bool is_text(const char *text, const char *other, size_t length) {
    return strncmp(text, other, length) == 0 && !text[length];
}

// Do the lines of that launch, of a kernel of the same name, belong to these?
static bool lines_belong_to(const reader *r, const hw_report_kernel *kernel, const hw_report_launch *launch) {
    if (r->lines_of == HW_LINES_OF_LAUNCH) return false;
    return r->lines_of == HW_LINES_OF_KERNEL ||
           (!memcmp(kernel->grid, launch->grid, sizeof kernel->grid) &&
            !memcmp(kernel->block, launch->block, sizeof kernel->block) &&
            kernel->smem_dynamic == launch->smem_dynamic);
}

static bool name_kernel(reader *r, hw_report_kernel *kernel, const char *name, size_t length) {
    for (size_t k = r->n_kernels; k-- > 0;) {
        if (!is_text(r->kernels[k].mangled, name, length)) continue;
        kernel->mangled = r->kernels[k].mangled;
        kernel->kernel = r->kernels[k].kernel;
        return true;
    }
    char readable[4096];
    kernel->mangled = hw_arena_string(r->arena, name, length);
    if (!kernel->mangled) return false;
    hw_demangle(kernel->mangled, readable, sizeof readable);
    kernel->kernel = hw_arena_string(r->arena, readable, strlen(readable));
    return kernel->kernel != NULL;
}

// The kernel of that name that takes the launch's lines, a new one if need be; NULL when out of memory.
static hw_report_kernel *find_read_kernel(reader *r, const char *name, size_t length, const hw_report_launch *launch,
                                          size_t **lines_capacity) {
    size_t k = r->lines_of == HW_LINES_OF_LAUNCH ? r->n_kernels : 0, capacity = r->kernels_capacity;
    while (k < r->n_kernels &&
           !(is_text(r->kernels[k].mangled, name, length) && lines_belong_to(r, &r->kernels[k], launch)))
        k++;
    if (k == r->n_kernels) {
        hw_report_kernel kernel = {.first = launch->ordinal, .smem_dynamic = launch->smem_dynamic};
        memcpy(kernel.grid, launch->grid, sizeof kernel.grid);
        memcpy(kernel.block, launch->block, sizeof kernel.block);
        if (!name_kernel(r, &kernel, name, length) ||
            !grow_array(r->arena, (void **)&r->lines_capacity, k, &capacity, sizeof *r->lines_capacity) ||
            !grow_array(r->arena, (void **)&r->kernels, k, &r->kernels_capacity, sizeof *r->kernels))
            return NULL;
        r->kernels[r->n_kernels++] = kernel;
    }
    *lines_capacity = &r->lines_capacity[k];
    return &r->kernels[k];
}

// Where the line is, or belongs.
static size_t place_of_line(const hw_report_kernel *kernel, const char *file, size_t length, uint32_t line,
                            bool *is_there) {
    size_t low = 0, high = kernel->n_lines;
    *is_there = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const hw_report_line *other = &kernel->lines[middle];
        int order = strncmp(other->file, file, length);
        if (!order) order = other->file[length] != '\0';
        if (!order) order = (other->line > line) - (other->line < line);
        if (!order) *is_there = true;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Launches that belong together may come from several processes, each with its own worst access.
static hw_status read_shown(reader *r, const hw_report_access **shown) {
    hw_report_access access;
    if (!take_bytes(r, &access, sizeof access)) return HW_MALFORMED;
    if (*shown && !hw_access_is_worse(&access, *shown)) return HW_OK;
    hw_report_access *copy = hw_arena_take(r->arena, sizeof *copy);
    if (!copy) return HW_NO_MEMORY;
    *copy = access;
    *shown = copy;
    return HW_OK;
}

static hw_status read_line(reader *r, hw_report_kernel *kernel, size_t *capacity) {
    line_record record;
    const char *file;
    bool is_there;
    if (!take_bytes(r, &record, sizeof record) || !(file = take_text(r, record.file_bytes))) return HW_MALFORMED;
    size_t at = place_of_line(kernel, file, record.file_bytes, record.line, &is_there);
    if (!is_there) {
        const char *name = at && is_text(kernel->lines[at - 1].file, file, record.file_bytes)
                               ? kernel->lines[at - 1].file
                               : hw_arena_string(r->arena, file, record.file_bytes);
        if (!name || !grow_array(r->arena, (void **)&kernel->lines, kernel->n_lines, capacity, sizeof *kernel->lines))
            return HW_NO_MEMORY;
        hw_report_line *lines = (hw_report_line *)kernel->lines;
        memmove(&lines[at + 1], &lines[at], (kernel->n_lines - at) * sizeof *lines);
        lines[at] = (hw_report_line){.file = name, .line = record.line};
        kernel->n_lines++;
    }
    hw_report_line *line = (hw_report_line *)&kernel->lines[at];
    for (int i = 0; i < HW_COUNTERS; i++) line->counts[i] += record.counts[i];
    hw_status status = HW_OK;
    for (int s = 0; s < HW_SHOWN_SPACES && !status; s++)
        if (record.shows[s]) status = read_shown(r, &line->shown[s]);
    return status;
}

static hw_status read_blocks(reader *r, const hw_report_blocks **out) {
    hw_report_blocks blocks;
    if (!take_bytes(r, &blocks, sizeof blocks) || blocks.n > HW_SHOWN_BLOCKS || blocks.partitions > HW_PARTITIONS)
        return HW_MALFORMED;
    hw_report_blocks *copy = hw_arena_take(r->arena, sizeof *copy);
    if (!copy) return HW_NO_MEMORY;
    *copy = blocks;
    *out = copy;
    return HW_OK;
}

static hw_status read_launch(reader *r) {
    launch_record record;
    const char *name, *by;
    size_t *lines_capacity;
    if (!take_bytes(r, &record, sizeof record) || !(name = take_text(r, record.name_bytes)) ||
        !(by = take_text(r, record.by_bytes)))
        return HW_MALFORMED;
    record.launch.blocks = NULL;
    hw_status status = record.shows_blocks ? read_blocks(r, &record.launch.blocks) : HW_OK;
    if (status) return status;
    if (!r->ptx_by || !is_text(r->ptx_by, by, record.by_bytes))
        r->ptx_by = hw_arena_string(r->arena, by, record.by_bytes);
    record.launch.ordinal = r->n_launches + r->n_uncounted;
    hw_report_kernel *kernel = find_read_kernel(r, name, record.name_bytes, &record.launch, &lines_capacity);
    if (!kernel || !r->ptx_by ||
        !grow_array(r->arena, (void **)&r->launches, r->n_launches, &r->launches_capacity, sizeof *r->launches))
        return HW_NO_MEMORY;
    record.launch.kernel = kernel->kernel;
    record.launch.ptx_by = r->ptx_by;
    record.launch.mangled = kernel->mangled;
    r->launches[r->n_launches++] = record.launch;
    kernel->launches++;
    for (uint32_t i = 0; i < record.n_lines && !status; i++) status = read_line(r, kernel, lines_capacity);
    return status;
}

// ---- processes and what their clocks tell ----

// A process that begins under the id of another is another one. False: out of memory.
static bool find_process(reader *r, const record_head *head) {
    size_t at = r->n_processes;
    while (at > 0 && r->processes[at - 1].id != head->process) at--;
    if (!at || head->kind == A_PROCESS) {
        if (!grow_array(r->arena, (void **)&r->processes, r->n_processes, &r->processes_capacity,
                        sizeof *r->processes))
            return false;
        r->processes[r->n_processes] = (process){.id = head->process};
        at = ++r->n_processes;
    }
    r->process = at - 1;
    return true;
}

static bool add_row(reader *r, size_t row) {
    process *p = &r->processes[r->process];
    if (!grow_array(r->arena, (void **)&p->rows, p->n_rows, &p->capacity, sizeof *p->rows)) return false;
    p->rows[p->n_rows++] = row;
    return true;
}

// Reports have tables by these.
static bool is_span(const hw_span *span) {
    return (unsigned)span->kind < HW_SPANS && (unsigned)span->action <= HW_SPAN_LAUNCHES &&
           (unsigned)span->to < HW_HOST_MEMORIES && (unsigned)span->from < HW_HOST_MEMORIES;
}

static hw_status read_span(reader *r) {
    span_record record;
    const char *name;
    if (!take_bytes(r, &record, sizeof record) || !(name = take_text(r, record.name_bytes))) return HW_MALFORMED;
    if (!is_span(&record.span)) return HW_MALFORMED;
    if (!grow_array(r->arena, (void **)&r->spans, r->n_spans, &r->spans_capacity, sizeof *r->spans))
        return HW_NO_MEMORY;
    record.span.name = hw_arena_string(r->arena, name, record.name_bytes);
    if (!record.span.name) return HW_NO_MEMORY;
    r->spans[r->n_spans++] = (hw_report_span){record.span, (uint32_t)r->process, HW_NO_ROW};
    return HW_OK;
}

static hw_status read_code(reader *r) {
    const char *text = hw_arena_string(r->arena, r->size ? (const char *)r->bytes : "", r->size);
    if (!text || !grow_array(r->arena, (void **)&r->codes, r->n_codes, &r->codes_capacity, sizeof *r->codes))
        return HW_NO_MEMORY;
    r->codes[r->n_codes++] = text;
    return HW_OK;
}

// A kernel's span comes behind its launch, or before it.
static void join_spans(reader *r) {
    for (size_t i = 0; i < r->n_spans; i++) {
        hw_report_span *s = &r->spans[i];
        const process *p = &r->processes[s->process];
        if (s->span.kind != HW_SPAN_KERNEL || s->span.launch >= p->n_rows) continue;
        s->launch = p->rows[s->span.launch];
        if (s->launch == HW_NO_ROW) continue;
        hw_report_launch *launch = &r->launches[s->launch];
        launch->is_timed = true;
        launch->stream = s->span.stream_number;
        launch->start_us = s->span.begin_us;
        launch->call_us = s->span.call_us;
    }
}

// The record behind a head, into r->bytes. False when it is not whole.
static bool read_record(reader *r, FILE *in, size_t *capacity, hw_status *status) {
    if (r->size > *capacity) {
        unsigned char *bigger = hw_realloc_array(r->bytes, r->size, 1);
        if (!bigger) {
            *status = HW_NO_MEMORY;
            return false;
        }
        r->bytes = bigger;
        *capacity = r->size;
    }
    r->at = 0;
    return fread(r->bytes, 1, r->size, in) == r->size;
}

static hw_status read_entry(reader *r, const record_head *head, FILE *in, size_t *capacity) {
    hw_status status = HW_OK;
    if (head->kind == A_PROCESS) return HW_OK;
    if (head->kind == AN_UNCOUNTED_LAUNCH) {
        r->n_uncounted++;
        return add_row(r, HW_NO_ROW) ? HW_OK : HW_NO_MEMORY;
    }
    r->size = head->bytes;
    if (!read_record(r, in, capacity, &status)) return status;
    if (head->kind == A_SPAN) return read_span(r);
    if (head->kind == A_CODE) return read_code(r);
    status = read_launch(r);
    return status || add_row(r, r->n_launches - 1) ? status : HW_NO_MEMORY;
}

hw_status hw_journal_read(FILE *in, const hw_gpu *gpu, const hw_journal_options *options, hw_arena *arena,
                          hw_report *out, uint32_t *processes, hw_diag *diag) {
    reader r = {.arena = arena, .lines_of = options->lines_of};
    record_head head;
    size_t capacity = 0;
    hw_status status = HW_OK;
    *processes = 0;
    while (!status && fread(&head, sizeof head, 1, in) == 1) {
        if (head.magic != MAGIC || head.bytes > MAX_RECORD) status = HW_MALFORMED;
        else if (!find_process(&r, &head)) status = HW_NO_MEMORY;
        else status = read_entry(&r, &head, in, &capacity);
    }
    hw_free(r.bytes);
    if (!status) join_spans(&r);
    *processes = (uint32_t)r.n_processes;
    *out = (hw_report){.gpu = gpu, .launches = r.launches, .n_launches = r.n_launches,
                       .n_uncounted = r.n_uncounted, .has_lines = options->has_lines, .lines_of = options->lines_of,
                       .kernels = r.kernels, .n_kernels = r.n_kernels, .spans = r.spans, .n_spans = r.n_spans,
                       .codes = r.codes, .n_codes = r.n_codes};
    if (!status && ferror(in)) status = HW_IO;
    if (status == HW_NO_MEMORY) return hw_diag_no_memory(diag);
    return status ? hw_diag_set(diag, status, "the profile that the program left cannot be read") : HW_OK;
}
