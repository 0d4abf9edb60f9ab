#define _GNU_SOURCE
#include "shim/findings.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/demangle.h"
#include "check/check.h"
#include "shim/shim.h"

enum { NAME_BYTES = 4096, PLACE_BYTES = 512, COUNTED = 4096 };

static struct {
    int file;                        // 0: nothing is checked
    bool has_leaks;
    uint64_t seed;
    hw_check *check;
    hw_sim *sim;                     // of an open context, or NULL
    _Atomic uint64_t counted[COUNTED];    // by number of the finding: the count that was written last
} findings;

bool hw_findings_are_wanted(void) { return findings.file > 0; }

// ---- records ----

static void write_text(FILE *out, const char *name, const char *text) {
    fprintf(out, ",\"%s\":\"", name);
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        if (*at == '"' || *at == '\\') fprintf(out, "\\%c", *at);
        else if (*at < 0x20) fprintf(out, "\\u%04x", *at);
        else fputc(*at, out);
    }
    fputc('"', out);
}

static void write_shape(FILE *out, const char *name, const uint32_t shape[3]) {
    fprintf(out, ",\"%s\":[%u,%u,%u]", name, shape[0], shape[1], shape[2]);
}

static void write_inlinings(FILE *out, const hw_check_inlining *inlined) {
    char text[NAME_BYTES];
    fputs(",\"inlined\":[", out);
    for (const hw_check_inlining *at = inlined; at; at = at->outer) {
        fprintf(out, "%s{\"line\":%u", at == inlined ? "" : ",", at->line);
        write_text(out, "file", at->file);
        if (at->function) write_text(out, "function", hw_demangle(at->function, text, sizeof text));
        fputc('}', out);
    }
    fputc(']', out);
}

static void write_side(FILE *out, const hw_check_side *side) {
    char text[NAME_BYTES];
    fprintf(out, "{\"act\":%d", (int)side->act);
    if (side->kernel) {
        write_text(out, "kernel", hw_demangle(side->kernel, text, sizeof text));
        fprintf(out, ",\"launch\":%llu,\"bytes\":%u,\"line\":%u,\"ptx_line\":%u,\"many\":%s",
                (unsigned long long)side->launch, side->bytes, side->line, side->ptx_line,
                side->is_many ? "true" : "false");
        write_text(out, "file", side->file);
        write_shape(out, "block", side->block);
        write_shape(out, "thread", side->thread);
        if (side->inlined) write_inlinings(out, side->inlined);
    } else if (side->site && hw_shim_describe_site(side->site, text, PLACE_BYTES)) {
        write_text(out, "site", text);
    }
    fprintf(out, ",\"stream\":%llu}", (unsigned long long)side->stream);
}

// What of memory a finding is about.
static hw_check_object object_of(const hw_check_finding *finding) {
    hw_allocation found;
    const bool has_place = finding->kind == HW_CHECK_RACE || finding->kind == HW_CHECK_UNDEFINED;
    if (!has_place || finding->space != HW_SPACE_GLOBAL || !findings.sim) return finding->object;
    if (!hw_mem_find(hw_sim_mem(findings.sim), finding->address, 1, &found)) return finding->object;
    return (hw_check_object){.is_known = true, .address = found.address, .bytes = found.bytes, .name = found.name,
                             .site = found.site};
}

static void write_object(FILE *out, const char *name, const hw_check_object *object) {
    char place[PLACE_BYTES];
    if (!object->is_known) return;
    fprintf(out, ",\"%s\":{\"address\":%llu,\"bytes\":%llu,\"nearest\":%s,\"out_of_reach\":%s", name,
            (unsigned long long)object->address, (unsigned long long)object->bytes,
            object->is_nearest ? "true" : "false", object->is_out_of_reach ? "true" : "false");
    if (object->name) write_text(out, "name", hw_demangle(object->name, place, sizeof place));
    if (object->part) write_text(out, "part", object->part);
    if (object->site && hw_shim_describe_site(object->site, place, sizeof place)) write_text(out, "site", place);
    fputc('}', out);
}

// A program whose findings are lost is not to look as one that has none.
static void tell_lost_finding(const char *why) {
    static bool is_told;
    if (is_told) return;
    is_told = true;
    fprintf(stderr, "halfwarp: what was found cannot be kept: %s; there are more hazards\n", why);
    hw_shim_note(HW_EXIT_SETUP, why);
}

// A whole line at once, so that processes can write in turn.
static void write_line(char *text, size_t bytes) {
    ssize_t written;
    while ((written = write(findings.file, text, bytes)) < 0 && errno == EINTR) {}
    if (written != (ssize_t)bytes) tell_lost_finding(written < 0 ? strerror(errno) : "no space left");
    free(text);
}

static void write_subject(FILE *out, const hw_check_finding *finding) {
    const hw_check_subject *s = &finding->subject;
    char text[NAME_BYTES];
    fprintf(out, ",\"subject\":{\"reason\":%u,\"object\":%u,\"leak\":%d,\"begin\":%llu,\"bytes\":%llu,\"memory\":%u",
            s->reason, s->object, (int)s->leak, (unsigned long long)s->begin, (unsigned long long)s->bytes, s->memory);
    if (s->kernel) write_text(out, "kernel", hw_demangle(s->kernel, text, sizeof text));
    if (s->why) write_text(out, "why", s->why);
    if (s->variable) write_text(out, "variable", hw_demangle(s->variable, text, sizeof text));
    if (s->made_at && hw_shim_describe_site(s->made_at, text, PLACE_BYTES)) write_text(out, "made", text);
    fputc('}', out);
}

static void tell_finding(void *context, const hw_check_finding *f) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    (void)context;
    if (!out) return;
    fprintf(out, "{\"process\":%d,\"number\":%u,\"seed\":%llu", (int)getpid(), f->number,
            (unsigned long long)findings.seed);
    write_text(out, "kind", hw_check_kind_name(f->kind));
    fprintf(out, ",\"missing\":%d,\"lacks\":%u,\"space\":%u,\"address\":%llu,\"bytes\":%llu", (int)f->missing,
            f->lacks, f->space, (unsigned long long)f->address, (unsigned long long)f->bytes);
    const hw_check_object object = object_of(f);
    write_object(out, "allocation", &object);
    write_object(out, "there", &f->there);
    write_subject(out, f);
    fputs(",\"sides\":[", out);
    for (uint32_t i = 0; i < f->n_sides; i++) {
        if (i) fputc(',', out);
        write_side(out, &f->sides[i]);
    }
    fputs("]}\n", out);
    if (fclose(out) == 0) write_line(text, bytes);
    if (f->number < COUNTED) atomic_store(&findings.counted[f->number], 1);
}

void hw_findings_count(void) {
    uint64_t count, of_bytes;
    for (size_t i = 0; i < COUNTED && findings.check && hw_check_count_at(findings.check, i, &count, &of_bytes); i++) {
        char *text = NULL;
        if (atomic_exchange(&findings.counted[i], count) == count) continue;
        int bytes = asprintf(&text, "{\"process\":%d,\"number\":%zu,\"count\":%llu,\"bytes\":%llu}\n", (int)getpid(), i,
                             (unsigned long long)count, (unsigned long long)of_bytes);
        if (bytes > 0) write_line(text, (size_t)bytes);
    }
}

// ---- the process ----

hw_status hw_findings_open(const hw_environment *environment, hw_diag *diag) {
    findings.file = open(environment->check_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    findings.has_leaks = environment->leaks;
    findings.seed = environment->seed;
    if (findings.file < 0)
        return hw_diag_set(diag, HW_IO, "cannot write %s: %s", environment->check_path, strerror(errno));
    static const char begin[] = "{\"begins\":true}\n";
    char *text = strdup(begin);
    if (text) write_line(text, strlen(begin));
    return HW_OK;
}

hw_status hw_findings_watch(hw_sim *sim, hw_diag *diag) {
    const hw_check_options options = {.compute_capability = hw_sim_gpu(sim)->arch->cc, .found = tell_finding};
    hw_status status = HW_OK;
    if (!findings.check) status = hw_check_create(&options, &findings.check, diag);
    findings.sim = sim;
    hw_mem_keep_apart(hw_sim_mem(sim));
    return status ? status : hw_sim_add_sink(sim, hw_check_sink(findings.check), diag);
}

void hw_findings_closing(hw_sim *left) {
    findings.sim = left;
    if (findings.check) hw_check_forget_memory(findings.check);
}

void hw_findings_abandoned(void) {
    if (findings.check && findings.has_leaks) hw_check_leaks(findings.check);
}

void hw_findings_end(bool is_its_own_end) {
    if (!findings.check) return;
    char *text = hw_check_ran_out(findings.check) ? strdup("{\"ran_out\":true}\n") : NULL;
    if (text) write_line(text, strlen(text));
    text = hw_check_has_left_out(findings.check) ? strdup("{\"left_out\":true}\n") : NULL;
    if (text) write_line(text, strlen(text));
    hw_check_end(findings.check, findings.has_leaks && is_its_own_end);
    hw_findings_count();
}
