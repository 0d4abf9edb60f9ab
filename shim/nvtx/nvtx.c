// What NVTX's headers load by the variable NVTX_INJECTION64_PATH, which halfwarp sets for --trace: ranges that a
// program names go onto the GPU's clock. Programs that are not traced have calls that do nothing, as NVTX makes them.
//
// The interface is NVTX 3's (nvtxTypes.h, "Types for callback subscription"; nvToolsExt.h, nvtxEventAttributes_v2),
// whose tables and numbers do not change: a library is given a table of pointers to functions for each of NVTX's
// modules, and writes its own into it. Ranges that begin on one thread and may end on another, and marks, are not
// shown.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "runtime/runtime.h"

#define EXPORT __attribute__((visibility("default")))

enum { TABLE_OF_CALLBACKS = 1, MODULE_CORE = 1, MODULE_DOMAINS = 5 };
enum { CORE_PUSH_EX = 8, CORE_PUSH, CORE_PUSH_WIDE, CORE_POP };
enum { DOMAIN_PUSH_EX = 4, DOMAIN_POP, DOMAIN_REGISTER = 10, DOMAIN_REGISTER_WIDE, DOMAIN_CREATE, DOMAIN_CREATE_WIDE };
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

static int push(const char *name) {
    hw_timeline *timeline = clock_of_process();
    return timeline ? hw_timeline_begin_range(timeline, name) - 1 : NOTHING_IS_SHOWN;
}

static int push_wide(const wchar_t *name) {
    char text[NAME_BYTES] = "";
    if (name && wcstombs(text, name, sizeof text - 1) == (size_t)-1) text[0] = '\0';
    return push(text);
}

static int push_with(const attributes *a) {
    if (!a || !a->message) return push("");
    return a->message_type == WIDE_TEXT ? push_wide(a->message) : push(a->message);
}

static int pop(void) {
    hw_timeline *timeline = clock_of_process();
    return timeline ? hw_timeline_end_range(timeline) : NOTHING_IS_SHOWN;
}

static int push_in_domain(void *domain, const attributes *a) { return (void)domain, push_with(a); }
static int pop_in_domain(void *domain) { return (void)domain, pop(); }

// A registered text is its own handle; it stays as long as the process.
static const void *register_text(void *domain, const char *text) {
    const size_t bytes = strlen(text ? text : "") + 1;
    char *copy = malloc(bytes);
    (void)domain;
    return copy ? memcpy(copy, text ? text : "", bytes) : NULL;
}

static const void *register_wide(void *domain, const wchar_t *text) {
    char narrow[NAME_BYTES] = "";
    if (text && wcstombs(narrow, text, sizeof narrow - 1) == (size_t)-1) narrow[0] = '\0';
    return register_text(domain, narrow);
}

static const void *create_domain(const char *name) { return register_text(NULL, name); }
static const void *create_wide_domain(const wchar_t *name) { return register_wide(NULL, name); }

typedef struct entry { unsigned index; function *own; } entry;

static const entry core[] = {
    {CORE_PUSH_EX, (function *)push_with}, {CORE_PUSH, (function *)push}, {CORE_PUSH_WIDE, (function *)push_wide},
    {CORE_POP, (function *)pop}};
static const entry domains[] = {
    {DOMAIN_PUSH_EX, (function *)push_in_domain}, {DOMAIN_POP, (function *)pop_in_domain},
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
