// The relative addresses of memory instructions: what makes a repeated access cheap, and how sinks know it again.
// Private to exec.
#ifndef HW_EXEC_PATTERN_H
#define HW_EXEC_PATTERN_H

#include "event/event.h"
#include "exec/ops/lanes.h"

typedef enum hw_shape {
    HW_SHAPE_GENERAL,
    HW_SHAPE_UNIT,                // lane i at lane 0's place + i * bytes, of the lanes that are on
    HW_SHAPE_SAME,                // all lanes that are on at one place
    HW_SHAPE_UNIT_HALVES,         // the same in each half warp
    HW_SHAPE_SAME_HALVES,
    // Of all lanes on, as matrices' fragments lie:
    HW_SHAPE_FOURS,               // side by side in each group of four: lane i behind lane i - i % 4
    HW_SHAPE_FOUR_ROWS,           // of each four neighbouring lanes one in each of four rows: lane i behind lane i % 4
} hw_shape;

// What one memory instruction did last, on one worker. A repetition of the same relative addresses, the usual case,
// is recognised by comparing differences, and costs neither a look-up of allocations nor a count.
//
// `base` is the address in the lowest active lane, in the instruction's space. The fields come in groups, each with
// the time that it holds for:
//
//   group      fields                             written by              holds until
//   relative   mask shape delta delta_32 low      hw_access_learn         the next hw_access_learn, or the launch's end
//              high bits inst lane_0 lane_16                              (mask 0: nothing is known)
//   memory     space begin window limit           hw_access_check,        the next of them, hw_access_learn, or
//              known_limit told_limit told_kind   hw_access_count_in_room hw_access_refresh after an allocation
//   room       room_begin room room_origin        hw_access_find_room     the next one, or hw_access_refresh
//              room_shift room_space
//   history    apart lone                         hw_access_learn,        the launch's end
//                                                 hw_lanes_at
//   reports    hits                               hw_access_count         hw_access_flush
//              name name_serial                   hw_pattern_name         the next hw_access_learn, another space
//   convoy     at phase                           the convoy's body       its next access
//              fixed_for n_at repeats             the convoy's body       hw_access_settle
//              told_for told_n                    hw_access_tell_convoy   hw_access_settle
//   guess      last                               the quick bodies        their next access
//   segment    root_delta root_scale              memory/known.h          the next hw_access_learn
//              root_for root_n                    memory/known.h          the next hw_access_learn
//
// Fields stand in the order of their use: the first cache line has what every access looks at.
typedef struct hw_pattern {
    _Alignas(64) uint32_t mask;   // active lanes; 0: nothing remembered
    uint8_t shape;                // hw_shape
    uint8_t space;                // resolved
    uint8_t room_space;           // likewise
    uint8_t apart;                // so many accesses more are taken to have addresses that do not repeat
    uint8_t lone;                 // patterns in a row that were met a few times, up to HW_PATTERN_LONE_MOST
    uint64_t begin, limit;        // base may be begin .. begin + limit - 1, as far as the memory goes that the last
                                  // access lay in; limit 0: look it up
    uint64_t known_limit;         // the same in whole elements, for the quick way: 0 unless all lanes are on
    uint64_t window;              // base - window is an offset: of SHARED in the block's memory, else from address 0 of
                                  // the host
    uint64_t last;                // where the host found base last, of the warp or of the convoy's first: for a guess
    _Alignas(64) int64_t delta[32];      // addresses less base; 0 in inactive lanes
    _Alignas(64) int32_t delta_32[32];   // the same, cut to 32 bits
    int64_t low, high;            // smallest delta; largest delta plus access width
    uint64_t bits;                // of all deltas, or-ed: for alignment
    int64_t lane_0, lane_16;      // by a shape of halves or wholes: the deltas that these lanes have, or would have
    const hw_inst *inst;
    const hw_access_pattern *name;    // the pattern as sinks know it; NULL: not told yet
    uint64_t name_serial;         // name is another's when it no longer has this serial
    // The memory that all lanes of an access lay in, in the instruction's space: of each lane, whatever its neighbours.
    uint64_t room_begin, room;    // an address may be room_begin .. room_begin + room - 1; room 0: look it up
    uint64_t room_origin;         // an address less this is what sinks are told
    uint64_t room_shift;          // of GLOBAL and CONST: from the address to the host's
    uint64_t hits[128];           // accesses by base modulo 128. 32 bits would wrap in a launch of minutes
    // The convoy's last access: the host address of each warp's base, and the base modulo 128.
    char *at[HW_CONVOY_MAX];
    uint8_t phase[HW_CONVOY_MAX];
    const hw_warp *fixed_for;     // the convoy's first warp, when its addresses are the same in every block; or NULL
    uint32_t n_at;                // of fixed_for: how many warps,
    uint64_t repeats;             // and how often it has made these accesses, which are not among the hits
    const hw_warp *told_for;      // as fixed_for and n_at, where a sink is told of each access
    uint32_t told_n;
    uint8_t told_kind;            // of the instruction's note, of which told_limit is
    uint64_t told_limit;          // limit of convoys whose accesses are told to an ordered sink; limit and known_limit
                                  // are 0 then
    // For segments (exec/segment.h): delta over root_scale, which is 0 when that is not known; and the convoy's first
    // warp and length whose roots have been found to lie so, of registers that depend on the thread alone.
    _Alignas(64) int32_t root_delta[32];
    int64_t root_scale;
    const hw_warp *root_for;
    uint32_t root_n;
} hw_pattern;

// An instruction whose patterns do not repeat (HW_PATTERN_LONE in a row that were met HW_PATTERN_FEW times at most, so
// that each took more time to learn than it saved) learns none for HW_PATTERN_APART accesses, twice as many the next
// time, and then twice as many again (HW_PATTERN_LONE_MOST): each is told to sinks as it is.
enum { HW_PATTERN_FEW = 8, HW_PATTERN_LONE = 4, HW_PATTERN_LONE_MOST = 6, HW_PATTERN_APART = 60 };
_Static_assert(HW_PATTERN_APART << (HW_PATTERN_LONE_MOST - HW_PATTERN_LONE) <= UINT8_MAX, "apart has 8 bits");

// What the places of hw_lone_access count from. Only addresses that are known to lie in the room have places.
static inline uint64_t hw_lone_origin(const hw_pattern *p) { return p->room_begin & ~(uint64_t)127; }
static inline bool hw_lone_has_places(const hw_pattern *p, uint32_t bytes) {
    return !(p->room >> (30 + __builtin_ctz(bytes)));
}

static inline void hw_access_count(hw_pattern *p, uint64_t base) { p->hits[base & 127]++; }

// The last patterns of one PTX instruction, as sinks know them, on one worker.
typedef struct hw_pattern_names {
    uint64_t launch;              // of the worker; another: there are none
    uint32_t n, oldest;           // oldest: the next to go
    uint32_t found, missed;       // by hw_name_of_few
    hw_access_pattern ways[HW_PATTERN_WAYS];
} hw_pattern_names;

#endif
