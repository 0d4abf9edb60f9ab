// The instruction tables: every name finds its number, every word of ops.def means something, hints share a number.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "isa/rates.h"
#include "isa/undefined.h"

static void test_names_find_their_numbers(void **state) {
    (void)state;
    for (unsigned i = HW_OP_NONE + 1; i < HW_OP_COUNT; i++) {
        const char *name = hw_op_info((hw_op)i)->name;
        assert_int_equal(hw_op_find(name, strlen(name)), i);
    }
    for (unsigned i = HW_T_NONE + 1; i < HW_T_COUNT; i++) {
        const char *name = hw_type_name((hw_type)i);
        assert_int_equal(hw_type_find(name, strlen(name)), i);
        assert_true(hw_type_bits((hw_type)i) > 0);
    }
    for (unsigned i = 0; i < HW_M_COUNT; i++)
        assert_int_equal(hw_mod_find(hw_mod_name((hw_mod)i), strlen(hw_mod_name((hw_mod)i))), i);
    for (unsigned i = HW_SREG_NONE + 1; i < HW_SREG_COUNT; i++) {
        const char *name = hw_sreg_name((hw_sreg)i);
        assert_int_equal(hw_sreg_find(name, strlen(name)), i);
        assert_int_not_equal(hw_sreg_type((hw_sreg)i), HW_T_NONE);
    }
}

static void test_other_names_find_nothing(void **state) {
    (void)state;
    static const char *const names[] = {"", "ad", "addd", "ADD", "wgmma", "b3", "u128", "%tid.x"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(hw_op_find(names[i], strlen(names[i])), HW_OP_NONE);
        assert_int_equal(hw_type_find(names[i], strlen(names[i])), HW_T_NONE);
        assert_int_equal(hw_mod_find(names[i], strlen(names[i])), HW_M_COUNT);
        assert_int_equal(hw_sreg_find(names[i], strlen(names[i])), HW_SREG_NONE);
    }
    assert_int_equal(hw_op_find("addc", 3), HW_OP_ADD);   // the length counts, not the NUL
    assert_string_equal(hw_op_info((hw_op)-1)->name, "?");
    assert_string_equal(hw_type_name((hw_type)999), "?");
    assert_string_equal(hw_mod_name(HW_M_COUNT), "?");
    assert_string_equal(hw_space_name((hw_space)99), "?");
}

static void test_cache_hints_are_one_modifier(void **state) {
    (void)state;
    assert_int_equal(hw_mod_find("L1::no_allocate", 15), HW_M_L1_EVICT);
    assert_int_equal(hw_mod_find("L1::evict_last", 14), HW_M_L1_EVICT);
    assert_int_equal(hw_mod_find("L2::128B", 8), HW_M_L2_HINT);
    assert_int_equal(hw_mod_find("L2::evict_first", 15), HW_M_L2_HINT);
    assert_int_equal(hw_mod_find("L2::cache_hint", 14), HW_M_L2_CACHE_HINT);
}

static unsigned count_forms(const char *column) {
    unsigned n = 1;
    for (; *column; column++) n += *column == '/';
    return n;
}

// Splits text at any of separators and calls check with each word that is not empty.
static void each_word(const char *text, const char *separators, void (*check)(const char *, size_t)) {
    while (*text) {
        size_t length = strcspn(text, separators);
        if (length) check(text, length);
        text += length + (text[length] != 0);
    }
}

static void check_type(const char *word, size_t length) { assert_int_not_equal(hw_type_find(word, length), HW_T_NONE); }

static void check_mod(const char *word, size_t length) { assert_int_not_equal(hw_mod_find(word, length), HW_M_COUNT); }

static void check_operand(const char *word, size_t length) {
    if (length == 4 && memcmp(word, "call", 4) == 0) return;
    assert_non_null(memchr("dDWaAwcIipqMvmgzfxhyknoOlt", word[0], 26));
    for (size_t i = 1; i < length; i++) assert_non_null(memchr("?_|.-", word[i], 5));
}

static void test_rows_are_well_formed(void **state) {
    (void)state;
    for (unsigned i = HW_OP_NONE + 1; i < HW_OP_COUNT; i++) {
        const hw_op_row *row = hw_op_info((hw_op)i);
        unsigned forms = 1;
        const char *const columns[] = {row->operands, row->types, row->mods};
        for (int c = 0; c < 3; c++)
            if (count_forms(columns[c]) > forms) forms = count_forms(columns[c]);
        for (int c = 0; c < 3; c++)
            if (count_forms(columns[c]) != 1 && count_forms(columns[c]) != forms)
                fail_msg("%s: forms differ", row->name);
        each_word(row->types, " ;/", check_type);
        each_word(row->mods, " |!/", check_mod);
        each_word(row->operands, " /", check_operand);
        assert_true(strlen(row->section) > 0);
    }
}

// ---- attributes ----

static bool begins_with_destination(const char *operands) {
    size_t first = strspn(operands, " ");
    return operands[first] && strchr("dDWpOvf", operands[first]) != NULL;
}

// Does no form of the row begin with a destination? A vector or a fragment is one unless an address stands before it.
static bool has_no_destination(const hw_op_row *row) {
    const char *form = row->operands;
    if (strcmp(form, "call") == 0 || !*form) return true;
    for (; form; form = strchr(form, '/') ? strchr(form, '/') + 1 : NULL)
        if (begins_with_destination(form)) return false;
    return true;
}

static bool may_name_space(const hw_op_row *row) {
    return strstr(row->mods, "global") || strstr(row->mods, "shared") || strstr(row->mods, "local");
}

static bool has_operand(const hw_op_row *row, const char *letters) {
    for (const char *word = row->operands; *word; word += strcspn(word, " /"), word += strspn(word, " /"))
        if (strchr(letters, *word)) return true;
    return false;
}

// What its operands say of an instruction, its attributes say as well: an address is read or written, members are
// gathered, and an mbarrier orders what its threads do before and after it.
static void check_traits_of_operands(const hw_op_row *row, const hw_traits *t) {
    const bool is_hint = t->emitter == HW_EMIT_NOTHING, is_call = strcmp(row->operands, "call") == 0;
    const bool is_access = has_operand(row, "mgx") && !is_hint && !is_call;
    if (is_access && !(t->reads | t->writes)) fail_msg("%s has an address, and neither READS nor WRITES", row->name);
    const bool is_warp = has_operand(row, "M") && t->emitter != HW_EMIT_BARRIER;
    if (is_warp && !t->gathers) fail_msg("%s has members, and gathers nobody", row->name);
    if (t->emitter == HW_EMIT_MBARRIER && has_operand(row, "m") && !t->scope) fail_msg("%s orders nothing", row->name);
    if (t->emitter == HW_EMIT_ATOMIC && !t->is_atomic) fail_msg("%s is not atomic", row->name);
}

static void check_traits(hw_op op) {
    const hw_op_row *row = hw_op_info(op);
    const hw_traits *t = hw_op_traits(op);
    if (t->emitter == HW_EMIT_NONE || !t->count) fail_msg("%s has no attributes: EMIT and ISSUE", row->name);
    assert_true(t->emitter < HW_EMITTERS && t->pipe < HW_RATES);
    if (t->emitter == HW_EMIT_ARITHMETIC && !t->shape) fail_msg("%s: arithmetic has a shape", row->name);
    if (t->undefined >= HW_RULE_BODIES) fail_msg("%s: a rule of bodies, not of opcodes", row->name);
    check_traits_of_operands(row, t);
    hw_mods none = {{0}};
    hw_effects shared = hw_inst_effects(op, &none, HW_SPACE_SHARED, false);
    bool may_write_shared = t->writes & (HW_IN_ITS_SPACE | HW_IN(HW_SPACE_SHARED)) && t->emitter != HW_EMIT_COPY;
    if (may_write_shared && !(shared.parts_loads && (shared.writes & HW_IN(HW_SPACE_SHARED))))
        fail_msg("%s writes memory, and accesses before and after it may be merged", row->name);
    if ((t->reads | t->writes) & HW_IN_ITS_SPACE && !may_name_space(row)) fail_msg("%s names no space", row->name);
    if (t->gathers == HW_GATHER_MEMBERS && !strchr(row->operands, 'M')) fail_msg("%s names no members", row->name);
    if (t->gathers == HW_GATHER_ALL && !strstr(row->mods, "sync")) fail_msg("%s is not .sync", row->name);
    bool ends_lanes = t->flow == HW_FLOW_LEAVE || t->flow == HW_FLOW_STOP;
    if ((t->gathers || ends_lanes) && !t->is_unmaskable) fail_msg("%s can be masked", row->name);
    if ((t->flow != HW_FLOW_ON) != (t->emitter == HW_EMIT_BLOCK_END)) fail_msg("%s: emitted with its block", row->name);
    if ((t->flow == HW_FLOW_LABEL) != !strcmp(row->operands, "l")) fail_msg("%s goes to a label", row->name);
    if (t->compares != (strstr(row->mods, "eq|ne") && strstr(row->operands, " q"))) fail_msg("%s compares", row->name);
    if (t->rounds_to_nearest && !strstr(row->mods, "rn")) fail_msg("%s does not round", row->name);
    if (t->has_ftz_of_source && !(strstr(row->mods, "ftz") && strchr(row->types, ';')))
        fail_msg("%s has no .ftz, or one type", row->name);
    if (t->is_merged && (!t->reads == !t->writes || !t->writes == t->has_no_destination))
        fail_msg("%s is merged, and no load or store", row->name);
    if (t->is_fence && !t->scope) fail_msg("%s is a fence of no scope", row->name);
    if (t->kind == HW_NOTE_LOAD && !t->reads) fail_msg("%s is a load that reads nothing", row->name);
    if ((t->kind == HW_NOTE_STORE || t->kind == HW_NOTE_REDUCTION) && !t->writes)
        fail_msg("%s is a store that writes nothing", row->name);
    // bar.red has one, bar.sync none.
    bool is_barrier = t->emitter == HW_EMIT_BARRIER;
    if (!is_barrier && *row->operands && t->has_no_destination != has_no_destination(row))
        fail_msg("%s: has it a destination?", row->name);
}

static void test_every_opcode_has_attributes(void **state) {
    (void)state;
    for (unsigned i = HW_OP_NONE + 1; i < HW_OP_COUNT; i++) check_traits((hw_op)i);
    assert_int_equal(hw_op_traits((hw_op)-1)->emitter, HW_EMIT_NONE);
    assert_int_equal(hw_op_traits(HW_OP_NONE)->emitter, HW_EMIT_NONE);
}

// The opcode and modifiers of an instruction as it is written, "ld.volatile.global".
static hw_op split_words(const char *text, hw_mods *mods) {
    *mods = (hw_mods){{0}};
    hw_op op = HW_OP_NONE;
    size_t length = strlen(text);
    for (size_t n = length; n && op == HW_OP_NONE; n--)       // the longest opcode that it begins with
        if (text[n] == '.' || !text[n]) op = hw_op_find(text, n), length = n;
    assert_int_not_equal(op, HW_OP_NONE);
    for (const char *word = text + length; *word; word += strcspn(word, ".")) {
        word++;
        hw_mod mod = hw_mod_find(word, strcspn(word, "."));
        assert_int_not_equal(mod, HW_M_COUNT);
        hw_add_mod(mods, mod);
    }
    return op;
}

static hw_effects effects_of(const char *text, hw_space space) {
    hw_mods mods;
    hw_op op = split_words(text, &mods);
    return hw_inst_effects(op, &mods, space, false);
}

static void check_effects(const char *text, hw_space space, unsigned reads, unsigned writes, hw_scope scope) {
    hw_effects e = effects_of(text, space);
    if (e.reads != reads || e.writes != writes || e.scope != scope)
        fail_msg("%s: reads %x writes %x scope %d", text, e.reads, e.writes, e.scope);
}

static void test_modifiers_say_what_memory_is_ordered(void **state) {
    (void)state;
    const unsigned global = HW_IN(HW_SPACE_GLOBAL), shared = HW_IN(HW_SPACE_SHARED);
    check_effects("ld.global", HW_SPACE_GLOBAL, global, 0, HW_SCOPE_NONE);
    check_effects("ld", HW_SPACE_GENERIC, HW_IN_GENERIC, 0, HW_SCOPE_NONE);
    check_effects("ld.acquire.gpu.global", HW_SPACE_GLOBAL, global, 0, HW_SCOPE_GPU);
    check_effects("ld.relaxed.sys.global", HW_SPACE_GLOBAL, global, 0, HW_SCOPE_NONE);
    check_effects("st.release.cta.shared", HW_SPACE_SHARED, 0, shared, HW_SCOPE_CTA);
    check_effects("atom.add.global", HW_SPACE_GLOBAL, global, global, HW_SCOPE_NONE);
    check_effects("atom.acq_rel.cas.global", HW_SPACE_GLOBAL, global, global, HW_SCOPE_GPU);
    check_effects("membar.gl", HW_SPACE_GENERIC, 0, 0, HW_SCOPE_GPU);
    check_effects("fence.sc.cta", HW_SPACE_GENERIC, 0, 0, HW_SCOPE_CTA);
    check_effects("fence.proxy.alias", HW_SPACE_GENERIC, 0, 0, HW_SCOPE_SYS);
    check_effects("bar.sync", HW_SPACE_GENERIC, 0, 0, HW_SCOPE_CTA);
    check_effects("bar.warp.sync", HW_SPACE_GENERIC, 0, 0, HW_SCOPE_WARP);
    check_effects("barrier.cluster.arrive.relaxed", HW_SPACE_GENERIC, 0, 0, HW_SCOPE_NONE);
    check_effects("cp.async.cg.shared.global", HW_SPACE_SHARED, global, shared, HW_SCOPE_THREAD);
    check_effects("cp.async.wait_all", HW_SPACE_GENERIC, 0, 0, HW_SCOPE_THREAD);
    check_effects("mbarrier.arrive.release.cluster.shared", HW_SPACE_SHARED, shared, shared, HW_SCOPE_CLUSTER);
    check_effects("griddepcontrol.launch_dependents", HW_SPACE_GENERIC, 0, 0, HW_SCOPE_NONE);
    check_effects("add", HW_SPACE_GENERIC, 0, 0, HW_SCOPE_NONE);
}

static void check_parting(const char *text, hw_space space, unsigned loads, unsigned stores) {
    hw_effects e = effects_of(text, space);
    if (e.parts_loads != loads || e.parts_stores != stores)
        fail_msg("%s parts loads of %x, stores of %x", text, e.parts_loads, e.parts_stores);
}

// As ptxas 13.0 has it: tests/unit/lower/test_merge.c.
static void test_what_stands_between_accesses(void **state) {
    (void)state;
    const unsigned global = HW_IN(HW_SPACE_GLOBAL), shared = HW_IN(HW_SPACE_SHARED);
    check_parting("add", HW_SPACE_GENERIC, 0, 0);
    check_parting("shfl.sync.idx", HW_SPACE_GENERIC, 0, 0);
    check_parting("ld.shared", HW_SPACE_SHARED, 0, shared);
    check_parting("ld", HW_SPACE_GENERIC, 0, HW_IN_GENERIC);
    check_parting("ld.global", HW_SPACE_GLOBAL, 0, global);
    check_parting("ld.volatile.shared", HW_SPACE_SHARED, 0, shared);
    check_parting("ld.acquire.gpu.global", HW_SPACE_GLOBAL, 0, global);
    check_parting("ld.param", HW_SPACE_PARAM, 0, HW_IN(HW_SPACE_PARAM));
    check_parting("st.shared", HW_SPACE_SHARED, shared, shared);
    check_parting("st", HW_SPACE_GENERIC, HW_IN_GENERIC, HW_IN_GENERIC);
    check_parting("st.volatile.global", HW_SPACE_GLOBAL, global, global);
    check_parting("st.release.gpu.global", HW_SPACE_GLOBAL, global, HW_IN_ANY);
    check_parting("red.add.global", HW_SPACE_GLOBAL, global, global);
    check_parting("atom.exch.shared", HW_SPACE_SHARED, shared, shared);
    static const char *const all[] = {"bar.sync", "bar.arrive", "bar.warp.sync", "membar.cta", "fence.sc.cta", "call",
                                      "nanosleep", "mbarrier.init.shared", "mbarrier.arrive.shared",
                                      "mbarrier.test_wait.shared", "cp.async.wait_all", "cp.async.ca.shared.global"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) check_parting(all[i], HW_SPACE_GLOBAL, HW_IN_ANY, HW_IN_ANY);
    check_parting("cp.async.commit_group", HW_SPACE_GENERIC, 0, HW_IN_ANY);
    check_parting("stmatrix", HW_SPACE_SHARED, shared, shared);
    check_parting("wmma.store", HW_SPACE_SHARED, shared, shared);
    check_parting("ldmatrix", HW_SPACE_SHARED, 0, shared);
}

static void test_modifiers_say_who_waits_for_whom(void **state) {
    (void)state;
    assert_true(effects_of("bar.sync", HW_SPACE_GENERIC).may_wait);
    assert_false(effects_of("bar.arrive", HW_SPACE_GENERIC).may_wait);
    assert_int_equal(effects_of("bar.sync", HW_SPACE_GENERIC).gathers, HW_GATHER_NONE);
    assert_int_equal(effects_of("bar.warp.sync", HW_SPACE_GENERIC).gathers, HW_GATHER_MEMBERS);
    assert_int_equal(effects_of("bar.warp.sync", HW_SPACE_GENERIC).kind, HW_NOTE_PLAIN);
    assert_int_equal(effects_of("mma.sync", HW_SPACE_GENERIC).gathers, HW_GATHER_ALL);
    assert_int_equal(effects_of("cp.async.cg", HW_SPACE_SHARED).kind, HW_NOTE_COPY_BYPASS);
    assert_int_equal(effects_of("cp.async.commit_group", HW_SPACE_GENERIC).kind, HW_NOTE_PLAIN);
    assert_int_equal(effects_of("ld.param", HW_SPACE_PARAM).kind, HW_NOTE_PLAIN);
    assert_true(effects_of("atom.add", HW_SPACE_GENERIC).is_strong);
    assert_true(effects_of("atom.add", HW_SPACE_GENERIC).is_atomic);
    assert_false(effects_of("ld.global", HW_SPACE_GLOBAL).is_strong);
    hw_mods none = {{0}};
    assert_int_equal(hw_inst_effects(HW_OP_BRA, &none, HW_SPACE_GENERIC, true).kind, HW_NOTE_BRANCH);
    assert_int_equal(hw_inst_effects(HW_OP_BRA, &none, HW_SPACE_GENERIC, false).kind, HW_NOTE_PLAIN);
}

static void test_defaults_of_order_and_scope(void **state) {
    (void)state;
    static const struct {
        const char *text;
        hw_order order;
        hw_scope scope;
    } rows[] = {
        {"ld.global", HW_ORDER_WEAK, HW_SCOPE_NONE},
        {"ld.volatile.global", HW_ORDER_VOLATILE, HW_SCOPE_SYS},
        {"ld.acquire.cta.global", HW_ORDER_ACQUIRE, HW_SCOPE_CTA},
        {"atom.add.global", HW_ORDER_RELAXED, HW_SCOPE_GPU},
        {"red.release.sys.add.global", HW_ORDER_RELEASE, HW_SCOPE_SYS},
        {"membar.gl", HW_ORDER_SC, HW_SCOPE_GPU},
        {"fence.acquire.cluster", HW_ORDER_ACQUIRE, HW_SCOPE_CLUSTER},
        {"bar.sync", HW_ORDER_ACQ_REL, HW_SCOPE_CTA},
        {"bar.arrive", HW_ORDER_RELEASE, HW_SCOPE_CTA},
        {"bar.warp.sync", HW_ORDER_ACQ_REL, HW_SCOPE_WARP},
        {"barrier.cluster.arrive", HW_ORDER_RELEASE, HW_SCOPE_CLUSTER},
        {"barrier.cluster.arrive.relaxed", HW_ORDER_RELAXED, HW_SCOPE_CLUSTER},
        {"barrier.cluster.wait", HW_ORDER_ACQUIRE, HW_SCOPE_CLUSTER},
        {"mbarrier.arrive", HW_ORDER_RELEASE, HW_SCOPE_CTA},
        {"mbarrier.arrive.release.cluster", HW_ORDER_RELEASE, HW_SCOPE_CLUSTER},
        {"mbarrier.try_wait.parity", HW_ORDER_ACQUIRE, HW_SCOPE_CTA},
        {"mbarrier.expect_tx.relaxed.cta", HW_ORDER_RELAXED, HW_SCOPE_CTA},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hw_mods mods;
        hw_op op = split_words(rows[i].text, &mods);
        hw_order_words words = hw_inst_order(op, &mods);
        if (words.order != rows[i].order || words.scope != rows[i].scope)
            fail_msg("%s: order %u, scope %u", rows[i].text, words.order, words.scope);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_find_their_numbers),
        cmocka_unit_test(test_other_names_find_nothing),
        cmocka_unit_test(test_cache_hints_are_one_modifier),
        cmocka_unit_test(test_rows_are_well_formed),
        cmocka_unit_test(test_every_opcode_has_attributes),
        cmocka_unit_test(test_modifiers_say_what_memory_is_ordered),
        cmocka_unit_test(test_what_stands_between_accesses),
        cmocka_unit_test(test_modifiers_say_who_waits_for_whom),
        cmocka_unit_test(test_defaults_of_order_and_scope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
