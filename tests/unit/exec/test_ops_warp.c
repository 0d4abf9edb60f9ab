// Bodies that look beyond one lane or one register: shfl, vote, match, redux, elect, activemask; packing and unpacking;
// logic on predicates; carry chains; lop3 with a predicate; isspacep.
#include "int_bodies.h"

static uint32_t random_mask(int round) {
    static const uint32_t fixed[] = {0xffffffffu, 1, 0x80000000u, 0x0000ffffu, 0x55555555u};
    uint32_t r = (uint32_t)random_64();
    return round < 5 ? fixed[round] : r ? r : 1;
}
static uint32_t get_predicate(const int_bench *t, hw_slot slot) { return *(const uint32_t *)(t->frame + slot); }
static void set_predicate(int_bench *t, hw_slot slot, uint32_t value) { *(uint32_t *)(t->frame + slot) = value; }
#define EACH_LEVEL_AND_ROUND(rounds)                          \
    for (int level = 0; level < n_int_levels; level++)        \
        for (int round = 0; round < (rounds); round++)

// ---- shfl: the pseudo-code of the PTX ISA ----

static void check_shfl(int level, int round, const char *name, char mode) {
    int_bench t;
    uint32_t mask = random_mask(round), a[32], old[32], old_e = (uint32_t)random_64();
    bool in_place = round & 1;
    bench_start(&t, mask);
    t.insts[0].d = round % 7 == 6 ? HW_NO_SLOT : in_place ? SLOT_A : SLOT_D;
    t.insts[0].e = round % 5 == 4 ? HW_NO_SLOT : SLOT_E;
    set_predicate(&t, SLOT_E, old_e);
    uint32_t c_same = (uint32_t)random_64(), widths[] = {0x1f, 0x1800, 0x181f, 0x1c1f, 0x0, 0x100f};
    for (int i = 0; i < 32; i++) {
        set_lane(&t, SLOT_A, 32, i, a[i] = (uint32_t)random_64());
        set_lane(&t, SLOT_B, 32, i, round & 2 ? (uint64_t)(round >> 2) & 31 : random_64() & 0xffff);
        set_lane(&t, SLOT_C, 32, i, round & 4 ? widths[(unsigned)round % 6] : round & 8 ? c_same : random_64());
        set_lane(&t, SLOT_D, 32, i, old[i] = (uint32_t)random_64());
        if (in_place) old[i] = a[i];
    }
    bench_run(&t, level, name);
    for (int lane = 0; lane < 32; lane++) {
        uint32_t b = (uint32_t)get_lane(&t, SLOT_B, 32, lane), c = (uint32_t)get_lane(&t, SLOT_C, 32, lane);
        int bval = b & 31, cval = c & 31, segment = c >> 8 & 31;
        int max_lane = (lane & segment) | (cval & ~segment), min_lane = lane & segment, j;
        bool p;
        switch (mode) {
        case 'u': j = lane - bval; p = j >= max_lane; break;
        case 'd': j = lane + bval; p = j <= max_lane; break;
        case 'b': j = lane ^ bval; p = j <= max_lane; break;
        default: j = min_lane | (bval & ~segment); p = j <= max_lane;
        }
        // From lanes that take no part an H200 gives 0.
        uint32_t wanted = !p ? a[lane] : mask >> j & 1 ? a[j] : 0;
        if (p && !(mask >> j & 1)) p = false;
        bool on = mask >> lane & 1;
        if (t.insts[0].d != HW_NO_SLOT) assert_int_equal(get_lane(&t, t.insts[0].d, 32, lane), on ? wanted : old[lane]);
        uint32_t want_e = t.insts[0].e != HW_NO_SLOT && on ? p : old_e >> lane & 1;
        assert_int_equal(get_predicate(&t, SLOT_E) >> lane & 1, want_e);
    }
}
static void test_shfl(void **state) {
    (void)state;
    EACH_LEVEL_AND_ROUND(300) {
        check_shfl(level, round, "shfl.up.b32", 'u');
        check_shfl(level, round, "shfl.down.b32", 'd');
        check_shfl(level, round, "shfl.bfly.b32", 'b');
        check_shfl(level, round, "shfl.idx", 'i');
    }
}

// ---- votes and the like ----

static void test_vote(void **state) {
    (void)state;
    EACH_LEVEL_AND_ROUND(64) {
        uint32_t mask = random_mask(round % 13), p = (uint32_t)random_64(), old = (uint32_t)random_64();
        if (round % 4 == 1) p |= mask;
        if (round % 4 == 2) p &= ~mask;
        uint32_t votes = (round & 32 ? ~p : p) & mask;
        const char *const names[] = {"vote.all.pred", "vote.any.pred", "vote.uni.pred"};
        bool results[] = {votes == mask, votes != 0, votes == mask || votes == 0};
        for (int k = 0; k < 4; k++) {
            int_bench t;
            bench_start(&t, mask);
            t.insts[0].p = SLOT_P;
            t.insts[0].flags = round & 32 ? HW_INST_NEGATE_P : 0;
            set_predicate(&t, SLOT_P, p);
            set_predicate(&t, SLOT_D, old);
            if (k == 3) {
                for (int i = 0; i < 32; i++) set_lane(&t, SLOT_D, 32, i, 9);
                bench_run(&t, level, "vote.ballot.b32");
                for (int i = 0; i < 32; i++) assert_int_equal(get_lane(&t, SLOT_D, 32, i), mask >> i & 1 ? votes : 9);
                continue;
            }
            bench_run(&t, level, names[k]);
            assert_int_equal(get_predicate(&t, SLOT_D), (old & ~mask) | (results[k] ? mask : 0));
        }
    }
}

static void test_match(void **state) {
    (void)state;
    EACH_LEVEL_AND_ROUND(120) {
        unsigned bits = round & 1 ? 64 : 32;
        bool any = round & 2, typed = round & 4;
        uint32_t mask = random_mask(round % 17), all = mask, old_e = (uint32_t)random_64();
        uint64_t a[32];
        int_bench t;
        bench_start(&t, mask);
        t.insts[0].width = (uint8_t)(bits / 8);
        t.insts[0].e = any ? HW_NO_SLOT : SLOT_E;
        set_predicate(&t, SLOT_E, old_e);
        for (int i = 0; i < 32; i++) {
            // Equal in the low half, different in the high one, at times; all equal at others.
            a[i] = round % 3 == 0 ? 77 : (random_64() & 3) | (random_64() & 1) << 33;
            set_lane(&t, SLOT_A, bits, i, a[i]);
            a[i] = get_lane(&t, SLOT_A, bits, i);
            set_lane(&t, SLOT_D, 32, i, 5);
        }
        for (int i = 0; i < 32; i++)
            if (mask >> i & 1 && a[i] != a[__builtin_ctz(mask)]) all = 0;
        char name[32];
        snprintf(name, sizeof name, typed ? "match.%s.b%u" : "match.%s", any ? "any" : "all", bits);
        bench_run(&t, level, name);
        for (int i = 0; i < 32; i++) {
            uint32_t want = all;
            if (any) {
                want = 0;
                for (int k = 0; k < 32; k++) want |= (uint32_t)(mask >> k & 1 && a[k] == a[i]) << k;
            }
            assert_int_equal(get_lane(&t, SLOT_D, 32, i), mask >> i & 1 ? want : 5);
        }
        uint32_t want_e = any ? old_e : (old_e & ~mask) | all;
        assert_int_equal(get_predicate(&t, SLOT_E), want_e);
    }
}

static void test_redux(void **state) {
    (void)state;
    static const char *const names[] = {"redux.add.s32", "redux.add.u32", "redux.min.s32", "redux.max.s32",
                                        "redux.min.u32", "redux.max.u32", "redux.and.b32", "redux.or.b32",
                                        "redux.xor.b32"};
    EACH_LEVEL_AND_ROUND(90) {
        int op = round % 9;
        uint32_t mask = random_mask(round % 16), want = 0;
        int_bench t;
        bench_start(&t, mask);
        bool first = true;
        for (int i = 0; i < 32; i++) {
            uint32_t a = (uint32_t)int_input(32);
            set_lane(&t, SLOT_A, 32, i, a);
            set_lane(&t, SLOT_D, 32, i, 3);
            if (!(mask >> i & 1)) continue;
            int32_t s = (int32_t)a, w = (int32_t)want;
            if (first) want = a;
            else if (op < 2) want += a;
            else if (op == 2) want = (uint32_t)(s < w ? s : w);
            else if (op == 3) want = (uint32_t)(s > w ? s : w);
            else if (op == 4) want = a < want ? a : want;
            else if (op == 5) want = a > want ? a : want;
            else want = op == 6 ? want & a : op == 7 ? want | a : want ^ a;
            first = false;
        }
        bench_run(&t, level, names[op]);
        for (int i = 0; i < 32; i++) assert_int_equal(get_lane(&t, SLOT_D, 32, i), mask >> i & 1 ? want : 3);
    }
}

static void test_mask_and_leader(void **state) {
    (void)state;
    EACH_LEVEL_AND_ROUND(20) {
        uint32_t mask = random_mask(round);
        int_bench t;
        bench_start(&t, mask);
        for (int i = 0; i < 32; i++) set_lane(&t, SLOT_D, 32, i, 99);
        bench_run(&t, level, "activemask");
        for (int i = 0; i < 32; i++) assert_int_equal(get_lane(&t, SLOT_D, 32, i), mask >> i & 1 ? mask : 99);
        t.insts[0].e = SLOT_E;
        set_predicate(&t, SLOT_E, ~0u);
        if (round & 1) t.insts[0].d = HW_NO_SLOT;
        bench_run(&t, level, "elect");
        uint32_t leader = (uint32_t)__builtin_ctz(mask);
        assert_int_equal(get_predicate(&t, SLOT_E), ~mask | 1u << leader);
        for (int i = 0; i < 32; i++)
            assert_int_equal(get_lane(&t, SLOT_D, 32, i), !(mask >> i & 1) ? 99 : round & 1 ? mask : leader);
    }
}

// ---- packing ----

static void test_pack(void **state) {
    (void)state;
    static const struct {
        unsigned n, bits;
    } shapes[] = {{2, 8}, {4, 8}, {8, 8}, {2, 16}, {4, 16}, {2, 32}};
    EACH_LEVEL_AND_ROUND(60) {
        unsigned n = shapes[round % 6].n, bits = shapes[round % 6].bits, whole = n * bits;
        uint32_t mask = random_mask(round / 6);
        char name[32];
        _Alignas(64) char parts[8][320];
        uint64_t old[32];
        int_bench t, *u = &t;
        bench_start(u, mask);
        hw_slot slots[10];
        t.insts[0].list = 2;
        t.warp.slots = slots;
        memset(parts, GUARD, sizeof parts);
        hw_set_base(&t.warp, HW_BASE_BLOCK, parts[0]);
        for (unsigned k = 0; k < n; k++) slots[2 + k] = (hw_slot)(320 * k) | HW_BASE_BLOCK;
        for (int i = 0; i < 32; i++) {
            set_lane(u, SLOT_D, whole, i, old[i] = random_64() & low_bits(whole));
            for (unsigned k = 0; k < n; k++) {
                uint64_t r = random_64();
                if (bits == 32) ((uint32_t *)parts[k])[i] = (uint32_t)r;
                else ((uint16_t *)parts[k])[i] = (uint16_t)r;    // of 8-bit parts the upper half means nothing
            }
        }
        snprintf(name, sizeof name, "mov.pack.%ux%u", n, bits);
        bench_run(u, level, name);
        for (int i = 0; i < 32; i++) {
            uint64_t want = 0;
            for (unsigned k = 0; k < n; k++) {
                uint64_t part = bits == 32 ? ((uint32_t *)parts[k])[i] : ((uint16_t *)parts[k])[i];
                want |= (part & low_bits(bits)) << bits * k;
            }
            assert_int_equal(get_lane(u, SLOT_D, whole, i), mask >> i & 1 ? want : old[i]);
        }
        // And apart again, the second part dropped at times.
        bool drops = round & 1;
        if (drops) slots[3] = HW_NO_SLOT;
        for (int i = 0; i < 32; i++) set_lane(u, SLOT_A, whole, i, old[i] = random_64() & low_bits(whole));
        memset(parts, GUARD, sizeof parts);
        snprintf(name, sizeof name, "mov.unpack.%ux%u", n, bits);
        bench_run(u, level, name);
        for (int i = 0; i < 32; i++)
            for (unsigned k = 0; k < n; k++) {
                bool written = mask >> i & 1 && !(drops && k == 1);
                uint64_t got = bits == 32 ? ((uint32_t *)parts[k])[i] : ((uint16_t *)parts[k])[i];
                uint64_t untouched = bits == 32 ? 0x5a5a5a5a : 0x5a5a;
                assert_int_equal(got, written ? old[i] >> bits * k & low_bits(bits) : untouched);
            }
    }
}

static void test_wide_registers(void **state) {
    (void)state;
    EACH_LEVEL_AND_ROUND(8) {
        uint32_t mask = random_mask(round);
        _Alignas(64) uint64_t whole[64], copy[64] = {0}, halves[2][32], quarters[64];
        hw_slot slots[4] = {0 | HW_BASE_BLOCK, 256 | HW_BASE_BLOCK, 0, 0};
        int_bench t;
        bench_start(&t, mask);
        t.warp.slots = slots;
        for (int i = 0; i < 32; i++) halves[0][i] = random_64(), halves[1][i] = random_64();
        memset(whole, 0, sizeof whole);
        hw_set_base(&t.warp, HW_BASE_LAUNCH, (char *)whole);
        hw_set_base(&t.warp, HW_BASE_BLOCK, (char *)halves);
        hw_set_base(&t.warp, HW_BASE_WARP, (char *)copy);
        t.insts[0].d = HW_BASE_LAUNCH;
        bench_run(&t, level, "mov.pack.2x64");
        for (int i = 0; i < 64; i++) assert_int_equal(whole[i], mask >> (i / 2) & 1 ? halves[i & 1][i / 2] : 0);
        t.insts[0].a = HW_BASE_LAUNCH;
        t.insts[0].d = HW_BASE_WARP;
        bench_run(&t, level, "mov.b128");
        assert_memory_equal(copy, whole, sizeof copy);
        memset(halves, 0, sizeof halves);
        slots[0] = HW_NO_SLOT;
        bench_run(&t, level, "mov.unpack.2x64");
        for (int i = 0; i < 32; i++) {
            assert_int_equal(halves[0][i], 0);
            assert_int_equal(halves[1][i], whole[2 * i + 1]);
        }
        memset(quarters, 0, sizeof quarters);
        hw_set_base(&t.warp, HW_BASE_BLOCK, (char *)quarters);
        for (unsigned k = 0; k < 4; k++) slots[k] = (128 * k) | HW_BASE_BLOCK;
        bench_run(&t, level, "mov.unpack.4x32");
        memset(copy, 0, sizeof copy);
        bench_run(&t, level, "mov.pack.4x32");
        assert_memory_equal(copy, whole, sizeof copy);
        for (int i = 0; i < 32; i++)
            assert_int_equal(((uint32_t *)quarters)[32 + i], mask >> i & 1 ? whole[2 * i] >> 32 : 0);
    }
}

// ---- predicates ----

static void test_predicates(void **state) {
    (void)state;
    static const char *const names[] = {"and.pred", "or.pred", "xor.pred", "not.pred", "mov.pred"};
    EACH_LEVEL_AND_ROUND(100) {
        int op = round % 5;
        uint32_t mask = random_mask(round % 11), a = (uint32_t)random_64(), b = (uint32_t)random_64();
        uint32_t old = (uint32_t)random_64();
        int_bench t;
        bench_start(&t, mask);
        t.insts[0].flags = (round & 1 ? HW_INST_NEGATE_P : 0) | (round & 2 ? HW_INST_NEGATE_B : 0);
        if (round & 4) t.insts[0].d = SLOT_A, old = a;
        set_predicate(&t, SLOT_A, a);
        set_predicate(&t, SLOT_B, b);
        set_predicate(&t, t.insts[0].d, old);
        bench_run(&t, level, names[op]);
        uint32_t x = round & 1 ? ~a : a, y = round & 2 ? ~b : b;
        uint32_t want = op == 0 ? x & y : op == 1 ? x | y : op == 2 ? x ^ y : op == 3 ? ~x : x;
        assert_int_equal(get_predicate(&t, t.insts[0].d), (want & mask) | (old & ~mask));
        check_guard(&t, t.insts[0].d, 1, names[op]);
    }
}

static void test_lop3_predicate(void **state) {
    (void)state;
    EACH_LEVEL_AND_ROUND(60) {
        uint32_t mask = random_mask(round % 9), p = (uint32_t)random_64(), old_e = (uint32_t)random_64(), want_e = 0;
        int_bench t;
        bench_start(&t, mask);
        bool drops = round & 1, both = round & 2, negated = round & 4;
        t.insts[0] = (hw_inst){.d = drops ? HW_NO_SLOT : SLOT_A, .a = SLOT_A, .b = SLOT_B, .c = SLOT_C, .e = SLOT_E,
                               .p = SLOT_P, .imm = 0x80, .flags = negated ? HW_INST_NEGATE_P : 0};
        set_predicate(&t, SLOT_P, p);
        set_predicate(&t, SLOT_E, old_e);
        uint32_t q = negated ? ~p : p, a[32], all[32];
        for (int i = 0; i < 32; i++) {
            uint32_t b = (uint32_t)(random_64() & random_64()), c = (uint32_t)random_64() & 3;
            set_lane(&t, SLOT_A, 32, i, a[i] = (uint32_t)random_64());
            set_lane(&t, SLOT_B, 32, i, b);
            set_lane(&t, SLOT_C, 32, i, c);
            all[i] = a[i] & b & c;
            want_e |= (uint32_t)(both ? all[i] && q >> i & 1 : all[i] || q >> i & 1) << i;
        }
        bench_run(&t, level, both ? "lop3.and.b32" : "lop3.or.b32");
        assert_int_equal(get_predicate(&t, SLOT_E), (want_e & mask) | (old_e & ~mask));
        for (int i = 0; i < 32; i++)
            assert_int_equal(get_lane(&t, SLOT_A, 32, i), !drops && mask >> i & 1 ? all[i] : a[i]);
    }
}

static void test_isspacep(void **state) {
    (void)state;
    static const uint64_t addresses[] = {0, 0x7f0012345678, HW_SHARED_WINDOW - 1, HW_SHARED_WINDOW, HW_LOCAL_WINDOW - 1,
                                         HW_SHARED_WINDOW + HW_WINDOW_BYTES - 1, HW_SHARED_WINDOW + HW_WINDOW_BYTES,
                                         HW_LOCAL_WINDOW, HW_LOCAL_WINDOW + 100,
                                         HW_LOCAL_WINDOW + HW_WINDOW_BYTES, ~0ull};
    EACH_LEVEL_AND_ROUND(5) {
        static const uint8_t spaces[] = {HW_SPACE_GLOBAL, HW_SPACE_SHARED, HW_SPACE_LOCAL, HW_SPACE_CONST,
                                         HW_SPACE_PARAM};
        int_bench t;
        bench_start(&t, 0xfffffff7u);
        t.insts[0].asked_space = spaces[round];
        set_predicate(&t, SLOT_D, 8);
        for (int i = 0; i < 32; i++) set_lane(&t, SLOT_A, 64, i, addresses[i % 11]);
        bench_run(&t, level, "isspacep");
        for (int i = 0; i < 32; i++) {
            uint64_t a = addresses[i % 11];
            bool shared = a >= HW_SHARED_WINDOW && a < HW_SHARED_WINDOW + HW_WINDOW_BYTES;
            bool local = a >= HW_LOCAL_WINDOW && a < HW_LOCAL_WINDOW + HW_WINDOW_BYTES;
            bool want = round == 0 ? !shared && !local : round == 1 ? shared : round == 2 ? local : false;
            assert_int_equal(get_predicate(&t, SLOT_D) >> i & 1, i == 3 ? 1 : want);
        }
    }
}

// ---- the condition code ----

typedef struct carry_case {
    const char *name;       // without its type
    char product;           // 0 none, 'l' low, 'h' high
    bool subtracts, reads, writes;
} carry_case;
static const carry_case carry_cases[] = {
    {"add.cc", 0, false, false, true},      {"addc", 0, false, true, false},       {"addc.cc", 0, false, true, true},
    {"sub.cc", 0, true, false, true},       {"subc", 0, true, true, false},        {"subc.cc", 0, true, true, true},
    {"mad.cc.lo", 'l', false, false, true}, {"mad.cc.hi", 'h', false, false, true},
    {"madc.lo", 'l', false, true, false},   {"madc.hi", 'h', false, true, false},
    {"madc.cc.lo", 'l', false, true, true}, {"madc.cc.hi", 'h', false, true, true},
};

static uint64_t multiply(const carry_case *c, uint64_t a, uint64_t b, unsigned bits, bool is_signed) {
    unsigned unused = 64 - bits;
    unsigned __int128 full = is_signed ? (unsigned __int128)((__int128)((int64_t)(a << unused) >> unused) *
                                                             ((int64_t)(b << unused) >> unused))
                                       : (unsigned __int128)a * b;
    return (uint64_t)(c->product == 'h' ? full >> bits : full) & low_bits(bits);
}

static void check_carry(int level, int round, const carry_case *c, const char *type_name) {
    unsigned bits = type_name[1] == '3' ? 32 : 64;
    uint32_t mask = random_mask(round % 7), carry = (uint32_t)random_64(), want_carry = 0;
    char name[32];
    int_bench t;
    bench_start(&t, mask);
    t.warp.carry = carry;
    if (round & 1) t.insts[0].d = SLOT_A;
    if (round % 3 == 0) t.insts[0].d = SLOT_B;
    uint64_t want[32], old[32];
    for (int i = 0; i < 32; i++) {
        uint64_t x[3];
        for (int k = 0; k < 3; k++)
            set_lane(&t, k == 0 ? SLOT_A : k == 1 ? SLOT_B : SLOT_C, bits, i, x[k] = int_input(bits));
        if (t.insts[0].d == SLOT_D) set_lane(&t, SLOT_D, bits, i, 4);
        old[i] = get_lane(&t, t.insts[0].d, bits, i);
        unsigned cf = c->reads && carry >> i & 1;
        unsigned __int128 left = c->product ? multiply(c, x[0], x[1], bits, type_name[0] == 's') : x[0];
        unsigned __int128 right = (unsigned __int128)(c->product ? x[2] : x[1]) + cf;
        want[i] = (uint64_t)(c->subtracts ? left - right : left + right) & low_bits(bits);
        want_carry |= (uint32_t)(c->subtracts ? left < right : left + right > low_bits(bits)) << i;
    }
    snprintf(name, sizeof name, "%s.%s", c->name, type_name);
    bench_run(&t, level, name);
    for (int i = 0; i < 32; i++)
        if (get_lane(&t, t.insts[0].d, bits, i) != (mask >> i & 1 ? want[i] : old[i])) fail_msg("%s: lane %d", name, i);
    uint32_t expected = c->writes ? (want_carry & mask) | (carry & ~mask) : carry;
    if (t.warp.carry != expected) fail_msg("%s: carries %08x, not %08x", name, t.warp.carry, expected);
}
static void test_carry(void **state) {
    (void)state;
    static const char *const type_names[] = {"s32", "u32", "s64", "u64"};
    EACH_LEVEL_AND_ROUND(42)
        for (size_t k = 0; k < sizeof carry_cases / sizeof *carry_cases; k++)
            for (int y = 0; y < 4; y++) check_carry(level, round, &carry_cases[k], type_names[y]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shfl),  cmocka_unit_test(test_vote),       cmocka_unit_test(test_match),
        cmocka_unit_test(test_redux), cmocka_unit_test(test_mask_and_leader), cmocka_unit_test(test_pack),
        cmocka_unit_test(test_wide_registers), cmocka_unit_test(test_predicates), cmocka_unit_test(test_lop3_predicate),
        cmocka_unit_test(test_isspacep), cmocka_unit_test(test_carry),
    };
    return cmocka_run_group_tests(tests, find_int_levels, NULL);
}
