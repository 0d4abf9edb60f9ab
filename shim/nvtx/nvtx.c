// What NVTX's headers load by the variable NVTX_INJECTION64_PATH, which halfwarp sets for --trace: ranges that a
// program names go onto the GPU's clock. Programs that are not traced have calls that do nothing, as NVTX makes them.
//
// The interface is NVTX 3's (nvtxTypes.h, "Types for callback subscription"; nvToolsExt.h, nvtxEventAttributes_v2),
// whose tables and numbers do not change: a library is given a table of pointers to functions for each of NVTX's
// modules, and writes its own into it. A domain is its name here.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "runtime/runtime.h"

#define EXPORT __attribute__((visibility("default")))

enum { TABLE_OF_CALLBACKS = 1, MODULE_CORE = 1, MODULE_DOMAINS = 5 };
enum {
    CORE_MARK_EX = 1, CORE_MARK, CORE_MARK_WIDE, CORE_START_EX, CORE_START, CORE_START_WIDE, CORE_END, CORE_PUSH_EX,
    CORE_PUSH, CORE_PUSH_WIDE, CORE_POP
};
enum {
    DOMAIN_MARK_EX = 1, DOMAIN_START_EX, DOMAIN_END, DOMAIN_PUSH_EX, DOMAIN_POP,
    DOMAIN_REGISTER = 10, DOMAIN_REGISTER_WIDE, DOMAIN_CREATE, DOMAIN_CREATE_WIDE
};
enum { TEXT = 1, WIDE_TEXT, REGISTERED_TEXT, NAME_BYTES = 128, NOTHING_IS_SHOWN = -2 };

typedef void function(void);
typedef struct callbacks {
    size_t struct_bytes;
    int (*get_table)(int module, function ****table, unsigned *n);   // 1: there is one
} callbacks;

typedef struct attributes {
    uint16_t version, bytes;
    uint32_t category;
    int32_t colour_type;
    uint32_t colour;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const void *message;
} attributes;

static hw_timeline *clock_of_process(void) {
    hw_runtime *runtime = hw_rt_process_made();
    return runtime ? hw_rt_timeline(runtime) : NULL;
}

// ---- What a range is called -----------------------------------------------------------------------------------------

static const char *narrow(const wchar_t *name, char text[NAME_BYTES]) {
    if (!name || wcstombs(text, name, NAME_BYTES - 1) == (size_t)-1) text[0] = '\0';
    return text;
}

// text: room for a wide one.
static const char *name_of(const attributes *a, char text[NAME_BYTES]) {
    if (!a || !a->message) return "";
    return a->message_type == WIDE_TEXT ? narrow(a->message, text) : a->message;
}

// ---- Ranges that are nested, ranges that are not, and marks; of the default domain where it is NULL -----------------

static int push_in(const char *domain, const char *name) {
    hw_timeline *timeline = clock_of_process();
    return timeline ? hw_timeline_begin_range(timeline, domain, name) - 1 : NOTHING_IS_SHOWN;
}

static uint64_t start_in(const char *domain, const char *name) {
    hw_timeline *timeline = clock_of_process();
    return timeline ? hw_timeline_start_range(timeline, domain, name) : 0;
}

static void mark_in(const char *domain, const char *name) {
    hw_timeline *timeline = clock_of_process();
    if (timeline) hw_timeline_mark(timeline, domain, name);
}

static int pop_in_domain(const char *domain) {
    hw_timeline *timeline = clock_of_process();
    return timeline ? hw_timeline_end_range(timeline, domain) : NOTHING_IS_SHOWN;
}

static void end(uint64_t number) {
    hw_timeline *timeline = clock_of_process();
    if (timeline) hw_timeline_stop_range(timeline, number);
}
static void end_in_domain(const char *domain, uint64_t number) { (void)domain, end(number); }

#define ROOM (char[NAME_BYTES]){""}
static int push(const char *name) { return push_in(NULL, name); }
static int push_wide(const wchar_t *name) { return push_in(NULL, narrow(name, ROOM)); }
static int push_with(const attributes *a) { return push_in(NULL, name_of(a, ROOM)); }
static int push_in_domain(const char *domain, const attributes *a) { return push_in(domain, name_of(a, ROOM)); }
static int pop(void) { return pop_in_domain(NULL); }

static uint64_t start(const char *name) { return start_in(NULL, name); }
static uint64_t start_wide(const wchar_t *name) { return start_in(NULL, narrow(name, ROOM)); }
static uint64_t start_with(const attributes *a) { return start_in(NULL, name_of(a, ROOM)); }
static uint64_t start_in_domain(const char *domain, const attributes *a) { return start_in(domain, name_of(a, ROOM)); }

static void mark(const char *name) { mark_in(NULL, name); }
static void mark_wide(const wchar_t *name) { mark_in(NULL, narrow(name, ROOM)); }
static void mark_with(const attributes *a) { mark_in(NULL, name_of(a, ROOM)); }
static void mark_in_domain(const char *domain, const attributes *a) { mark_in(domain, name_of(a, ROOM)); }

// A registered text is its own handle; it stays as long as the process.
static const void *register_text(void *domain, const char *text) {
    const size_t bytes = strlen(text ? text : "") + 1;
    char *copy = malloc(bytes);
    (void)domain;
    return copy ? memcpy(copy, text ? text : "", bytes) : NULL;
}

static const void *register_wide(void *domain, const wchar_t *text) {
    return register_text(domain, narrow(text, ROOM));
}

static const void *create_domain(const char *name) { return register_text(NULL, name); }
static const void *create_wide_domain(const wchar_t *name) { return register_wide(NULL, name); }

typedef struct entry { unsigned index; function *own; } entry;

static const entry core[] = {
    {CORE_MARK_EX, (function *)mark_with}, {CORE_MARK, (function *)mark}, {CORE_MARK_WIDE, (function *)mark_wide},
    {CORE_START_EX, (function *)start_with}, {CORE_START, (function *)start},
    {CORE_START_WIDE, (function *)start_wide}, {CORE_END, (function *)end},
    {CORE_PUSH_EX, (function *)push_with}, {CORE_PUSH, (function *)push}, {CORE_PUSH_WIDE, (function *)push_wide},
    {CORE_POP, (function *)pop}};
static const entry domains[] = {
    {DOMAIN_MARK_EX, (function *)mark_in_domain}, {DOMAIN_START_EX, (function *)start_in_domain},
    {DOMAIN_END, (function *)end_in_domain}, {DOMAIN_PUSH_EX, (function *)push_in_domain},
    {DOMAIN_POP, (function *)pop_in_domain},
    {DOMAIN_REGISTER, (function *)register_text}, {DOMAIN_REGISTER_WIDE, (function *)register_wide},
    {DOMAIN_CREATE, (function *)create_domain}, {DOMAIN_CREATE_WIDE, (function *)create_wide_domain}};

static void fill_table(const callbacks *from, int module, const entry *entries, size_t n) {
    function ***table = NULL;
    unsigned n_functions = 0;
    if (from->get_table(module, &table, &n_functions) != 1 || !table) return;
    for (size_t i = 0; i < n; i++)
        if (entries[i].index < n_functions) *table[entries[i].index] = entries[i].own;
}

// 1: it works.
EXPORT int InitializeInjectionNvtx2(const void *(*get_export_table)(uint32_t id));

int InitializeInjectionNvtx2(const void *(*get_export_table)(uint32_t id)) {
    const callbacks *from = get_export_table(TABLE_OF_CALLBACKS);
    if (!from || from->struct_bytes < sizeof *from) return 0;
    fill_table(from, MODULE_CORE, core, sizeof core / sizeof core[0]);
    fill_table(from, MODULE_DOMAINS, domains, sizeof domains / sizeof domains[0]);
    return 1;
}
