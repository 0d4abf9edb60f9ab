// The .def files as arrays, and names to numbers by hashing. The hash tables are filled once, on the first look-up.
#include "isa/isa.h"

#include <pthread.h>
#include <string.h>

static const hw_op_row op_rows[HW_OP_COUNT] = {
    [HW_OP_NONE] = {"?", "", "", "", ""},
#define HW_OP(id, name, operands, types, mods, section, ...) [HW_OP_##id] = {name, operands, types, mods, section},
#include "isa/ops.def"
#undef HW_OP
};

typedef struct type_row {
    const char *name;
    uint8_t bits, elements, kind;
} type_row;

static const type_row type_rows[HW_T_COUNT] = {
    [HW_T_NONE] = {"?", 0, 0, HW_KIND_NONE},
#define HW_TYPE(id, name, bits, elements, kind) [HW_T_##id] = {name, bits, elements, HW_KIND_##kind},
#include "isa/types.def"
#undef HW_TYPE
};

static const char *const mod_names[HW_M_COUNT] = {
#define HW_MOD(id, name) [HW_M_##id] = name,
#include "isa/mods.def"
#undef HW_MOD
};

typedef struct sreg_row {
    const char *name;
    hw_type type;
} sreg_row;

static const sreg_row sreg_rows[HW_SREG_COUNT] = {
    [HW_SREG_NONE] = {"?", HW_T_NONE},
#define HW_SREG(id, name, type, invariance) [HW_SREG_##id] = {name, HW_T_##type},
#include "isa/sregs.def"
#undef HW_SREG
};

// Words that only hint at caching; they change no result, so all of a kind are one modifier.
typedef struct hint_row {
    const char *name;
    hw_mod mod;
} hint_row;

static const hint_row hint_rows[] = {
    {"L1::evict_normal", HW_M_L1_EVICT}, {"L1::evict_unchanged", HW_M_L1_EVICT},
    {"L1::evict_first", HW_M_L1_EVICT},  {"L1::evict_last", HW_M_L1_EVICT},
    {"L1::no_allocate", HW_M_L1_EVICT},  {"L1", HW_M_L1_EVICT},
    {"L2::evict_last", HW_M_L2_HINT},    {"L2::evict_normal", HW_M_L2_HINT},
    {"L2::evict_first", HW_M_L2_HINT},   {"L2::64B", HW_M_L2_HINT},
    {"L2::128B", HW_M_L2_HINT},          {"L2::256B", HW_M_L2_HINT},
    {"L2", HW_M_L2_HINT},
};

const hw_op_row *hw_op_info(hw_op op) { return &op_rows[(unsigned)op < HW_OP_COUNT ? op : HW_OP_NONE]; }

static const type_row *type_info(hw_type type) { return &type_rows[(unsigned)type < HW_T_COUNT ? type : HW_T_NONE]; }

const char *hw_type_name(hw_type type) { return type_info(type)->name; }

unsigned hw_type_bits(hw_type type) { return type_info(type)->bits; }

unsigned hw_type_elements(hw_type type) { return type_info(type)->elements; }

hw_type_kind hw_type_kind_of(hw_type type) { return (hw_type_kind)type_info(type)->kind; }

const char *hw_mod_name(hw_mod mod) { return (unsigned)mod < HW_M_COUNT ? mod_names[mod] : "?"; }

const char *hw_sreg_name(hw_sreg sreg) { return sreg_rows[(unsigned)sreg < HW_SREG_COUNT ? sreg : HW_SREG_NONE].name; }

hw_type hw_sreg_type(hw_sreg sreg) { return sreg_rows[(unsigned)sreg < HW_SREG_COUNT ? sreg : HW_SREG_NONE].type; }

const char *hw_space_name(hw_space space) {
    static const char *const names[] = {"generic", "global", "shared", "local", "const", "param", "reg"};
    return (unsigned)space < sizeof names / sizeof *names ? names[space] : "?";
}

// Open addressing; the tables are at most half full.
enum { SLOTS = 512 };

typedef struct name_table {
    const char *names[SLOTS];
    uint16_t numbers[SLOTS];
} name_table;

static name_table ops_by_name, types_by_name, mods_by_name, sregs_by_name;
static pthread_once_t tables_filled = PTHREAD_ONCE_INIT;

_Static_assert(HW_OP_COUNT < SLOTS / 2 && HW_SREG_COUNT < SLOTS / 2, "grow SLOTS");
_Static_assert(HW_M_COUNT + sizeof hint_rows / sizeof *hint_rows < SLOTS / 2, "grow SLOTS");
_Static_assert(HW_M_COUNT <= 192, "hw_mods holds 192 modifiers");

// FNV-1a.
static uint32_t hash_name(const char *name, size_t length) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (uint8_t)name[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static void enter_name(name_table *table, const char *name, unsigned number) {
    uint32_t slot = hash_name(name, strlen(name)) % SLOTS;
    while (table->names[slot]) slot = (slot + 1) % SLOTS;
    table->names[slot] = name;
    table->numbers[slot] = (uint16_t)number;
}

static void fill_tables(void) {
    for (unsigned i = HW_OP_NONE + 1; i < HW_OP_COUNT; i++) enter_name(&ops_by_name, op_rows[i].name, i);
    for (unsigned i = HW_T_NONE + 1; i < HW_T_COUNT; i++) enter_name(&types_by_name, type_rows[i].name, i);
    for (unsigned i = 0; i < HW_M_COUNT; i++) enter_name(&mods_by_name, mod_names[i], i);
    for (size_t i = 0; i < sizeof hint_rows / sizeof *hint_rows; i++)
        enter_name(&mods_by_name, hint_rows[i].name, hint_rows[i].mod);
    for (unsigned i = HW_SREG_NONE + 1; i < HW_SREG_COUNT; i++) enter_name(&sregs_by_name, sreg_rows[i].name, i);
}

static unsigned look_up(const name_table *table, const char *name, size_t length, unsigned missing) {
    pthread_once(&tables_filled, fill_tables);
    for (uint32_t slot = hash_name(name, length) % SLOTS; table->names[slot]; slot = (slot + 1) % SLOTS)
        if (strncmp(table->names[slot], name, length) == 0 && table->names[slot][length] == 0)
            return table->numbers[slot];
    return missing;
}

hw_op hw_op_find(const char *name, size_t length) {
    return (hw_op)look_up(&ops_by_name, name, length, HW_OP_NONE);
}

hw_type hw_type_find(const char *name, size_t length) {
    return (hw_type)look_up(&types_by_name, name, length, HW_T_NONE);
}

hw_mod hw_mod_find(const char *name, size_t length) {
    return (hw_mod)look_up(&mods_by_name, name, length, HW_M_COUNT);
}

hw_sreg hw_sreg_find(const char *name, size_t length) {
    return (hw_sreg)look_up(&sregs_by_name, name, length, HW_SREG_NONE);
}
