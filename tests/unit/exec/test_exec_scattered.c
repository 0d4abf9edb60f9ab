// Accesses whose addresses do not repeat, by some of the lanes, in every space and width; atomics of lanes that mean
// one word or several; and what sinks are told of them.
#include "exec_run.h"
#include "event/sinks.h"

enum { STEPS = 160, GLOBAL_BYTES = 4096, LOCAL_BYTES = 256, BLOCK = 64, THREADS = 128 };

static uint8_t input[IN_BYTES];

static void fill_input(void) {
    uint32_t state = 1;
    for (int i = 0; i < IN_BYTES; i++) {
        state = state * 1664525 + 1013904223;
        input[i] = (uint8_t)(state >> 24);
    }
}

// The kernel whose body is these texts, up to NULL.
static const char *kernel_of(const char *const *texts) {
    static char ptx[16384];
    const char *around = KERNEL("", "@"), *body = strchr(around, '@');
    size_t n = (size_t)(body - around);
    memcpy(ptx, around, n);
    for (; *texts; texts++) n += (size_t)snprintf(ptx + n, sizeof ptx - n, "%s", *texts);
    snprintf(ptx + n, sizeof ptx - n, "%s", body + 1);
    return ptx;
}

// ---- loads at random ----

// Each thread's own numbers.
static uint32_t first_state(uint32_t t) { return t * 2654435761u + 12345; }
static uint32_t next_state(uint32_t state) { return state * 1664525 + 1013904223; }
static bool is_skipped(uint32_t state) { return !(state & 768); }

// %rd4 is an address, %rd5 becomes one behind it: %r12 of what `number` makes of %r10. A quarter of the lanes skip the
// access, which stands between LOOP and END_LOOP.
#define LOOP_BEGINS "mad.lo.u32 %r10, %r4, 2654435761, 12345; mov.u32 %r20, 0; mov.u32 %r11, 0;\n" \
    "LOOP: mad.lo.u32 %r10, %r10, 1664525, 1013904223;\n"
#define LOOP_ACCESSES "cvt.u64.u32 %rd5, %r12; add.u64 %rd5, %rd4, %rd5;\n" \
    "and.b32 %r13, %r10, 768; setp.eq.u32 %p1, %r13, 0; @%p1 bra SKIP;\n"
#define LOOP_ENDS "SKIP: add.u32 %r11, %r11, 1; setp.lt.u32 %p2, %r11, 160; @%p2 bra LOOP;\n"

// A space: how %rd4 becomes an address of input, or of a copy of it.
typedef struct space {
    const char *name, *prepares;
    uint32_t bytes;
} space;

#define COPY_TO_SHARED ".shared .align 16 .b8 s[4096];\n" \
    "mov.u64 %rd4, s; mov.u32 %r5, %r1;\nCOPY: mul.wide.u32 %rd6, %r5, 4; add.u64 %rd7, %rd2, %rd6;\n" \
    "ld.global.u32 %r6, [%rd7]; add.u64 %rd8, %rd4, %rd6; st.shared.u32 [%rd8], %r6;\n" \
    "add.u32 %r5, %r5, %r3; setp.lt.u32 %p3, %r5, 1024; @%p3 bra COPY;\nbar.sync 0;\n"
#define COPY_TO_LOCAL ".local .align 16 .b8 a[256];\n" \
    "mov.u64 %rd4, a; mov.u32 %r5, 0;\nCOPY: mul.wide.u32 %rd6, %r5, 4; add.u64 %rd7, %rd2, %rd6;\n" \
    "ld.global.u32 %r6, [%rd7]; add.u64 %rd8, %rd4, %rd6; st.local.u32 [%rd8], %r6;\n" \
    "add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 64; @%p3 bra COPY;\n"
static const space spaces[] = {
    {".global", "mov.u64 %rd4, %rd2;\n", GLOBAL_BYTES},
    {"", "mov.u64 %rd4, %rd2;\n", GLOBAL_BYTES},
    {".shared", COPY_TO_SHARED, GLOBAL_BYTES},
    {"", COPY_TO_SHARED "cvta.shared.u64 %rd4, %rd4;\n", GLOBAL_BYTES},
    {".local", COPY_TO_LOCAL, LOCAL_BYTES},
    {"", COPY_TO_LOCAL "cvta.local.u64 %rd4, %rd4;\n", LOCAL_BYTES},
};

// What is loaded, and how it is added to %r20 in words of 32 bits.
typedef struct width {
    const char *type, *registers, *adds;
    uint32_t bytes;
} width;

#define ADD(R) "add.u32 %r20, %r20, " R ";\n"
#define ADD_WIDE(R) \
    "cvt.u32.u64 %r14, " R "; shr.u64 %rd7, " R ", 32; cvt.u32.u64 %r15, %rd7;\n" ADD("%r14") ADD("%r15")
#define FOUR "{%r14, %r15, %r16, %r17}"
#define ADD_FOUR ADD("%r14") ADD("%r15") ADD("%r16") ADD("%r17")
static const width widths[] = {
    {"u8", "%r14", ADD("%r14"), 1}, {"s8", "%r14", ADD("%r14"), 1}, {"u16", "%r14", ADD("%r14"), 2},
    {"s16", "%r14", ADD("%r14"), 2}, {"u32", "%r14", ADD("%r14"), 4}, {"b64", "%rd6", ADD_WIDE("%rd6"), 8},
    {"v2.u32", "{%r14, %r15}", ADD("%r14") ADD("%r15"), 8}, {"v4.u32", FOUR, ADD_FOUR, 16},
    {"v2.u64", "{%rd6, %rd8}", ADD_WIDE("%rd6") ADD_WIDE("%rd8"), 16}, {"v4.u8", FOUR, ADD_FOUR, 4},
    {"v4.u16", FOUR, ADD_FOUR, 8},
};
static const space *this_space;
static const width *this_width;

static uint32_t sum_of_one(const uint8_t *from) {
    const char *type = this_width->type;
    uint16_t half[4];
    uint32_t word[4] = {0};
    memcpy(half, from, sizeof half);
    memcpy(word, from, this_width->bytes);
    if (!strcmp(type, "v4.u8")) return (uint32_t)from[0] + from[1] + from[2] + from[3];
    if (!strcmp(type, "v4.u16")) return (uint32_t)half[0] + half[1] + half[2] + half[3];
    if (!strcmp(type, "s8")) return (uint32_t)(int8_t)from[0];
    if (!strcmp(type, "s16")) return (uint32_t)(int16_t)half[0];
    return word[0] + word[1] + word[2] + word[3];
}

static uint32_t sum_of_loads(uint32_t t) {
    static uint8_t padded[IN_BYTES + 16];
    uint32_t state = first_state(t), sum = 0;
    memcpy(padded, input, IN_BYTES);
    for (int k = 0; k < STEPS; k++) {
        state = next_state(state);
        if (!is_skipped(state)) sum += sum_of_one(padded + (state >> 20 & (this_space->bytes - this_width->bytes)));
    }
    return sum;
}

static void test_scattered_loads(void **state) {
    (void)state;
    fill_input();
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
            char number[96], load[96];
            this_space = &spaces[i];
            this_width = &widths[k];
            snprintf(number, sizeof number, "shr.u32 %%r12, %%r10, 20; and.b32 %%r12, %%r12, %u;\n",
                     this_space->bytes - this_width->bytes);
            snprintf(load, sizeof load, "ld%s.%s %s, [%%rd5];\n", this_space->name, this_width->type,
                     this_width->registers);
            const char *texts[] = {this_space->prepares, LOOP_BEGINS, number, LOOP_ACCESSES, load, this_width->adds,
                                   LOOP_ENDS, STORE_RET("%r20"), NULL};
            run_always((run_args){.grid = THREADS / BLOCK, .block = BLOCK, .in = input, .in_bytes = IN_BYTES,
                                  .ptx = kernel_of(texts)}, THREADS, sum_of_loads, true);
        }
    }
}

// ---- fragments of matrices ----

// Lanes in groups of four: a row of memory, of 112 bytes, to each group, or to each place in it. Each time 16 bytes
// further.
enum { FRAGMENT_STEPS = 9 };
static bool is_by_groups;

static uint32_t sum_of_fragments(uint32_t t) {
    const uint32_t lane = t % 32, row = is_by_groups ? lane / 4 : lane % 4, col = is_by_groups ? lane % 4 : lane / 4;
    uint32_t sum = 0;
    for (uint32_t k = 0; k < FRAGMENT_STEPS; k++)
        sum = sum * 3 + sum_of_one(input + 112 * row + col * this_width->bytes + 16 * k);
    return sum;
}

static void test_fragments(void **state) {
    (void)state;
    fill_input();
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        for (int n = 0; n < 4; n++) {
            char place[160], load[96];
            this_space = &spaces[n < 2 ? 0 : 2];
            this_width = &widths[k];
            is_by_groups = n % 2;
            snprintf(place, sizeof place, "and.b32 %%r10, %%r1, 3; shr.u32 %%r11, %%r1, 2; and.b32 %%r11, %%r11, 7;\n"
                     "mul.lo.u32 %%r12, %s, 112; mad.lo.u32 %%r12, %s, %u, %%r12;\n",
                     is_by_groups ? "%r11" : "%r10", is_by_groups ? "%r10" : "%r11", this_width->bytes);
            snprintf(load, sizeof load, "ld%s.%s %s, [%%rd5];\n", this_space->name, this_width->type,
                     this_width->registers);
            const char *texts[] = {this_space->prepares, place, "cvt.u64.u32 %rd5, %r12; add.u64 %rd5, %rd4, %rd5;\n"
                                   "mov.u32 %r11, 0; mov.u32 %r20, 0;\nLOOP: mul.lo.u32 %r20, %r20, 3;\n", load,
                                   this_width->adds, "add.u64 %rd5, %rd5, 16; add.u32 %r11, %r11, 1;\n"
                                   "setp.lt.u32 %p2, %r11, 9; @%p2 bra LOOP;\n", STORE_RET("%r20"), NULL};
            run_args args = {.grid = 1, .block = n % 2 ? 32 : BLOCK, .in = input, .in_bytes = IN_BYTES,
                             .ptx = kernel_of(texts)};
            run_result *r = run_ok(args);
            for (uint32_t t = 0; t < args.block; t++) assert_int_equal(r->out[t], sum_of_fragments(t));
        }
}

// ---- stores at random ----

// Sixteen elements of a thread's own, one of which is changed at a time: %rd4 the first, so many bytes apart.
static uint32_t element_bytes;
static uint32_t sum_of_stores(uint32_t t) {
    uint64_t elements[16] = {0}, keep = element_bytes == 8 ? ~0ull : (1ull << 8 * element_bytes) - 1;
    uint32_t state = first_state(t), sum = 0;
    for (int k = 0; k < STEPS; k++) {
        state = next_state(state);
        uint64_t *e = &elements[state >> 28];
        if (!is_skipped(state)) *e = (*e * 3 + state) & keep;
    }
    for (uint32_t k = 0; k < 16; k++) sum += (uint32_t)elements[k] * (k + 1) + (uint32_t)(elements[k] >> 32);
    return sum;
}

static void test_scattered_stores(void **state) {
    (void)state;
    // Where element 0 of each thread lies, in bytes of an element (B), and how far the others are from it.
    static const struct { const char *name, *prepares; uint32_t apart; } places[] = {
        {".local", ".local .align 16 .b8 a[128];\nmov.u64 %rd4, a;\n", 1},
        {"", ".local .align 16 .b8 a[128];\nmov.u64 %rd4, a; cvta.local.u64 %rd4, %rd4;\n", 1},
        {".shared", ".shared .align 16 .b8 s[8192];\nmov.u64 %rd4, s; mul.wide.u32 %rd5, %r1, B;\n"
         "add.u64 %rd4, %rd4, %rd5;\n", BLOCK},
        {".global", "add.u64 %rd4, %rd1, 4096; mul.wide.u32 %rd5, %r4, B; add.u64 %rd4, %rd4, %rd5;\n", THREADS},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        for (element_bytes = 1; element_bytes <= 8; element_bytes *= 2) {
            char prepares[256], number[96], access[512], sum[512], clear[256];
            const uint32_t apart = places[i].apart * element_bytes;
            snprintf(prepares, sizeof prepares, "%s", places[i].prepares);
            if (strchr(prepares, 'B')) *strchr(prepares, 'B') = (char)('0' + element_bytes);
            snprintf(number, sizeof number, "shr.u32 %%r12, %%r10, 28; mul.lo.u32 %%r12, %%r12, %u;\n", apart);
            snprintf(access, sizeof access, "ld%s.u%u %%rd6, [%%rd5]; mul.lo.u64 %%rd6, %%rd6, 3; cvt.u64.u32 %%rd7, "
                     "%%r10; add.u64 %%rd6, %%rd6, %%rd7; st%s.u%u [%%rd5], %%rd6;\n", places[i].name,
                     8 * element_bytes, places[i].name, 8 * element_bytes);
            snprintf(sum, sizeof sum, "mov.u32 %%r20, 0; mov.u32 %%r11, 0;\nSUM: mul.lo.u32 %%r12, %%r11, %u; "
                     "cvt.u64.u32 %%rd5, %%r12; add.u64 %%rd5, %%rd4, %%rd5; ld%s.u%u %%rd6, [%%rd5];\n"
                     "cvt.u32.u64 %%r14, %%rd6; shr.u64 %%rd6, %%rd6, 32; cvt.u32.u64 %%r15, %%rd6; "
                     "add.u32 %%r11, %%r11, 1;\nmad.lo.u32 %%r20, %%r14, %%r11, %%r20; add.u32 %%r20, %%r20, %%r15; "
                     "setp.lt.u32 %%p2, %%r11, 16; @%%p2 bra SUM;\n", apart, places[i].name, 8 * element_bytes);
            const char *clears = "mov.u32 %r11, 0; mov.u64 %rd6, 0;\nCLEAR: ";
            snprintf(clear, sizeof clear, "mul.lo.u32 %%r12, %%r11, %u; cvt.u64.u32 %%rd5, %%r12; "
                     "add.u64 %%rd5, %%rd4, %%rd5; st%s.u%u [%%rd5], %%rd6;\nadd.u32 %%r11, %%r11, 1; "
                     "setp.lt.u32 %%p2, %%r11, 16; @%%p2 bra CLEAR;\n", apart, places[i].name, 8 * element_bytes);
            const char *texts[] = {prepares, clears, clear, LOOP_BEGINS, number, LOOP_ACCESSES, access, LOOP_ENDS, sum,
                                   STORE_RET("%r20"), NULL};
            run_always((run_args){.grid = THREADS / BLOCK, .block = BLOCK, .ptx = kernel_of(texts)}, THREADS,
                       sum_of_stores, true);
        }
    }
}

// ---- atomics ----

// What an operation makes of a word, in C.
typedef struct operation {
    const char *name;
    uint32_t bytes, operands;
    uint64_t (*apply)(uint64_t old, uint64_t b, uint64_t c);
} operation;

static float as_float(uint64_t bits) {
    float value;
    uint32_t low = (uint32_t)bits;
    memcpy(&value, &low, sizeof value);
    return value;
}
static uint64_t add_floats(uint64_t a, uint64_t b, uint64_t c) {
    float sum = as_float(a) + as_float(b);
    uint32_t bits;
    (void)c;
    memcpy(&bits, &sum, sizeof bits);
    return bits;
}
#define APPLY(name, value) \
    static uint64_t name(uint64_t a, uint64_t b, uint64_t c) { \
        (void)a, (void)c; \
        return (uint64_t)(value); \
    }
APPLY(add_32, (uint32_t)(a + b))
APPLY(add_64, a + b)
APPLY(and_32, a & b)
APPLY(or_32, a | b)
APPLY(xor_32, a ^ b)
APPLY(exchange, b)
APPLY(min_s32, (int32_t)b < (int32_t)a ? b : a)
APPLY(max_u32, b > a ? b : a)
APPLY(max_s64, (int64_t)b > (int64_t)a ? b : a)
APPLY(increase, a >= b ? 0 : a + 1)
APPLY(decrease, a == 0 || a > b ? b : a - 1)
APPLY(exchange_equal, a == b ? c : a)
static const operation operations[] = {
    {"add.u32", 4, 1, add_32}, {"add.u64", 8, 1, add_64}, {"and.b32", 4, 1, and_32}, {"or.b32", 4, 1, or_32},
    {"xor.b32", 4, 1, xor_32}, {"exch.b32", 4, 1, exchange}, {"exch.b64", 8, 1, exchange}, {"min.s32", 4, 1, min_s32},
    {"max.u32", 4, 1, max_u32}, {"max.s64", 8, 1, max_s64}, {"inc.u32", 4, 1, increase}, {"dec.u32", 4, 1, decrease},
    {"cas.b32", 4, 2, exchange_equal}, {"cas.b64", 8, 2, exchange_equal}, {"add.f32", 4, 1, add_floats},
};

enum { WORDS = 8 };

static uint64_t operand_of(const operation *o, uint32_t lane) {
    const uint32_t number = lane * 2654435761u ^ 0x5bd1e995u;
    if (o->apply == add_floats) {
        float value = 1.0f + (float)(number >> 8) * (lane % 3 ? 1e-3f : -7e4f);    // sums depend on their order
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    if (o->operands == 2) return lane % 4;
    return o->bytes == 8 ? (uint64_t)number << 24 | lane : number;
}

// Lanes of one warp, one after the other; on the GPU's side, whatever the machine does, the same.
static void expect_atomics(const operation *o, bool is_shared, bool returns, uint32_t spread, uint32_t mask) {
    char ptx[512], space[8];
    uint64_t words[WORDS], returned[32] = {0}, in[64];
    const char type = o->bytes == 8 ? 'd' : ' ';
    const char *r = type == 'd' ? "%rd" : "%r", *bits = o->bytes == 8 ? "64" : "32";
    for (uint32_t i = 0; i < 32; i++) in[i] = operand_of(o, i), in[32 + i] = i % WORDS;
    for (uint32_t i = 0; i < WORDS; i++) words[i] = o->operands == 2 ? i % 4 : 7 * i;
    for (uint32_t i = 0; i < 32; i++) {
        if (!(mask >> i & 1)) continue;
        uint64_t *word = &words[i * spread % WORDS];
        returned[i] = *word;
        *word = o->apply(*word, in[i], in[32 + i]);
    }
    snprintf(space, sizeof space, "%s", is_shared ? "shared" : "global");
    snprintf(ptx, sizeof ptx,
             "mov.u32 %%r9, %u; shr.u32 %%r9, %%r9, %%r1; and.b32 %%r9, %%r9, 1; setp.eq.u32 %%p2, %%r9, 0;\n"
             "@%%p2 bra END;\n%s.%s.%s %s%s[%%rd4], %s30%s%s;\nEND: bar.sync 0;\n",
             mask, returns ? "atom" : "red", space, o->name, returns ? r : "", returns ? "31, " : "", r,
             o->operands == 2 ? ", " : "", o->operands == 2 ? (o->bytes == 8 ? "%rd32" : "%r32") : "");
    char begin[768], end[512];
    snprintf(begin, sizeof begin,
             ".shared .align 8 .b8 s[64];\nmul.lo.u32 %%r5, %%r1, 8; cvt.u64.u32 %%rd9, %%r5; add.u64 %%rd5, %%rd2, "
             "%%rd9; ld.global.b%s %s30, [%%rd5]; ld.global.b%s %s32, [%%rd5+256]; mov.b%s %s31, 0;\n"
             "%s; mul.lo.u32 %%r6, %%r1, %u; and.b32 %%r6, %%r6, 7; mul.wide.u32 %%rd7, %%r6, 8; add.u64 %%rd4, %%rd6, "
             "%%rd7;\nmul.lo.u32 %%r7, %%r1, 7; %s setp.gt.u32 %%p1, %%r1, 7; add.u64 %%rd8, %%rd6, %%rd9; "
             "cvt.u64.u32 %%rd10, %%r7; @!%%p1 st.%s.u64 [%%rd8], %%rd10; bar.sync 0;\n",
             bits, r, bits, r, bits, r, is_shared ? "mov.u64 %rd6, s" : "add.u64 %rd6, %rd1, 1024", spread,
             o->operands == 2 ? "and.b32 %r7, %r1, 3;" : "", space);
    snprintf(end, sizeof end,
             "add.u64 %%rd11, %%rd1, %%rd9; st.global.b%s [%%rd11], %s31;\n@%%p1 bra OUT;\nld.%s.u64 %%rd12, [%%rd8]; "
             "st.global.u64 [%%rd11+512], %%rd12;\nOUT: ret;\n", bits, r, space);
    const char *texts[] = {begin, ptx, end, NULL};
    const char *kernel = kernel_of(texts);
    run_result *result = run_ok((run_args){.block = 32, .in = in, .in_bytes = sizeof in, .ptx = kernel});
    const uint64_t *out = (const uint64_t *)(const void *)result->out;
    for (uint32_t i = 0; i < WORDS; i++)
        if (out[64 + i] != words[i]) fail_msg("word %u is %llx, not %llx\n%s", i, (unsigned long long)out[64 + i],
                                              (unsigned long long)words[i], kernel);
    for (uint32_t i = 0; returns && i < 32; i++) assert_int_equal(out[i], returned[i]);
}

static void test_atomics_of_many_lanes(void **state) {
    (void)state;
    static const uint32_t spreads[] = {0, 1, 3, 8}, masks[] = {0xffffffff, 0x00013f80, 0x80000000, 0x7ffffffe};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        const operation *o = &operations[i];
        const bool is_atom_only = o->apply == exchange || o->apply == exchange_equal;    // there is no red of them
        for (int way = 0; way < 4; way++)
            for (int k = 0; k < 16 && (way & 2 || !is_atom_only); k++)
                expect_atomics(o, way & 1, way & 2, spreads[k % 4], masks[k / 4]);
    }
}

static void test_atomics_of_local_memory(void **state) {
    (void)state;
    run_result *r = run_fault((run_args){.block = 32, .ptx = KERNEL("", ".local .align 4 .b8 a[64];\nmov.u64 %rd4, a; "
        "cvta.local.u64 %rd4, %rd4;\nsetp.lt.u32 %p1, %r1, 5; @%p1 bra END;\natom.add.u32 %r5, [%rd4+12], %r1;\n"
        "END: ret;\n")}, HW_FAULT, HW_FAULT_ADDRESS);
    assert_int_equal(r->fault.thread[0], 5);
    assert_int_equal(r->sums.atomics, 1);
}

// ---- what sinks are told ----

// A number that is the same for the same accesses in any order.
typedef struct signing_sink {
    hw_sink sink;
    uint64_t sum, n;
    bool saw_unnamed;
} signing_sink;

static void sign_access(hw_sink *sink, uint32_t worker, const hw_access *a) {
    signing_sink *s = (signing_sink *)sink;
    uint64_t hash = a->note * 31 + a->kind * 7 + a->pattern->space * 3 + a->width_bytes;
    (void)worker;
    hash = (hash + a->base % 128 + ((uint64_t)a->pattern->mask << 20)) * 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 32; i++) hash = (hash ^ (uint64_t)a->pattern->delta[i]) * 0x9e3779b97f4a7c15u;
    s->sum += hash * a->repeat;
    s->n += a->repeat;
    s->saw_unnamed |= a->pattern->index == HW_NO_PATTERN;
}

// Several in one call, as the records that they would be one by one.
static void sign_lone(hw_sink *sink, uint32_t worker, const hw_lone_access *list, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        const hw_lone_access *one = &list[k];
        hw_access_pattern pattern = {.index = HW_NO_PATTERN, .mask = one->mask, .serial = one->serial,
                                     .space = one->space};
        const hw_access access = {.note = one->note, .kind = one->kind, .space = one->space,
                                  .width_bytes = one->width_bytes, .base = hw_lone_deltas(one, pattern.delta),
                                  .pattern = &pattern, .repeat = 1};
        assert_int_equal(one->lanes, __builtin_popcount(one->mask));
        sign_access(sink, worker, &access);
    }
}

typedef enum how { ONE_BY_ONE, ADDED_UP, SEVERAL_AT_ONCE } how;
static signing_sink sign_kernel(const char *ptx, how told) {
    signing_sink s = {.sink = {.events = HW_WANTS(ACCESS) | HW_WANTS(ATOMIC), .ordered = told == ONE_BY_ONE,
                               .access = sign_access, .atomic = sign_access,
                               .lone = told == SEVERAL_AT_ONCE ? sign_lone : NULL}};
    const hw_sim_options options = {.gpu = hw_gpu_find("h200"), .threads = 1};
    hw_sim *sim;
    hw_sim_module *module;
    hw_sim_function *function;
    hw_diag diag = {0};
    hw_fault fault;
    uint64_t out = 0, in = 0;
    assert_int_equal(hw_sim_create(&options, &sim, &diag), HW_OK);
    assert_int_equal(hw_sim_add_sink(sim, &s.sink, &diag), HW_OK);
    if (hw_sim_load(sim, ptx, strlen(ptx), "test.ptx", &module, &diag)) fail_msg("%s\n%s", diag.text, ptx);
    assert_int_equal(hw_sim_find_function(module, "k", &function, &diag), HW_OK);
    assert_int_equal(hw_mem_alloc(hw_sim_mem(sim), 65536, 256, HW_ALLOC_DEVICE, NULL, NULL, &out, &diag), HW_OK);
    assert_int_equal(hw_mem_alloc(hw_sim_mem(sim), IN_BYTES, 256, HW_ALLOC_DEVICE, NULL, NULL, &in, &diag), HW_OK);
    void *params[] = {&out, &in};
    const hw_sim_launch_args args = {function, {2, 1, 1}, {BLOCK, 1, 1}, 0, params, false, 0, 0, {0}};
    hw_sim_refusal refusal;
    assert_int_equal(hw_sim_launch(sim, &args, &refusal, &fault, &diag), HW_OK);
    hw_sim_destroy(sim);
    return s;
}

static void test_sinks_hear_of_each_access(void **state) {
    (void)state;
    static const char *const accesses[] = {
        "ld.global.u32 %r14, [%rd5];\n", "ld.u16 %r14, [%rd5];\n", "st.global.v2.u32 [%rd5], {%r10, %r11};\n",
        "red.global.add.u32 [%rd5], 1;\n", "atom.global.exch.b64 %rd6, [%rd5], %rd5;\n"};
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++) {
        const char *texts[] = {"mov.u64 %rd4, %rd2;\n", LOOP_BEGINS,
                               "shr.u32 %r12, %r10, 20; and.b32 %r12, %r12, 4088;\n", LOOP_ACCESSES, accesses[i],
                               LOOP_ENDS, "ret;\n", NULL};
        const char *ptx = kernel_of(texts);
        signing_sink each = sign_kernel(ptx, ONE_BY_ONE), added = sign_kernel(ptx, ADDED_UP);
        signing_sink several = sign_kernel(ptx, SEVERAL_AT_ONCE);
        assert_int_equal(each.n, added.n);
        assert_int_equal(each.n, several.n);
        assert_true(each.sum == added.sum && each.sum == several.sum);
        assert_true(added.saw_unnamed && each.saw_unnamed && several.saw_unnamed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scattered_loads), cmocka_unit_test(test_fragments),
        cmocka_unit_test(test_scattered_stores),
        cmocka_unit_test(test_atomics_of_many_lanes), cmocka_unit_test(test_atomics_of_local_memory),
        cmocka_unit_test(test_sinks_hear_of_each_access),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
