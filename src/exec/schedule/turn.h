// Turns: how long a warp runs before others do, and what it is taken for that only polls memory.
//
// A warp whose lanes poll looks like one that works. Each turn has fuel, which backward branches use up, and polls much
// faster; a warp that has used up turn after turn, or one in polls, waits for something outside it. It gets looks then,
// turns of one poll, until a look finds something new. A block all of whose warps wait makes room for others, and a
// worker all of whose blocks are idle leaves the processor to them.
//
//     WORKING --- a turn spent in polls, or HW_TURNS_SPENT turns used up ---> WAITING
//     WAITING, IDLE --- a look that found its place and registers as they were ---> IDLE
//     WAITING, IDLE --- any other end of a turn ---> WORKING
#ifndef HW_EXEC_TURN_H
#define HW_EXEC_TURN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hw_inst;
struct hw_state;
struct hw_block;
struct hw_worker;

// Fuel is counted in backward branches. Volatile loads cost more, atomics that change nothing, and vectors by .cg that
// are what they were. How often a warp looks depends on the host's clock, as it does on a GPU's; but each look is
// counted, and takes time from those who have work.
enum { HW_TURN_FUEL = 65536, HW_POLL_FUEL = 512, HW_LOOK_FUEL = 1 };
// Turns in a row after which a warp is taken to wait without a poll (for plain loads that another block changes).
enum { HW_TURNS_SPENT = 64 };

typedef enum hw_turn_state {
    HW_TURN_WORKING,              // the next turn is a whole one
    HW_TURN_WAITING,              // the last turn went in polls: the next one of the same path is a look
    HW_TURN_IDLE,                 // the last turn was a look that found nothing new: the next is one more
} hw_turn_state;

// The turns of a warp.
typedef struct hw_turn {
    int32_t fuel;                 // left of the turn
    int32_t whole;                // what the turn began with
    uint32_t steps;               // basic blocks until the turn is interrupted; 0: it is not (schedule/seeded.h)
    bool is_interrupted;          // and goes on later
    uint32_t polls;               // accesses of this turn that a thread that waits for another would make
    uint32_t spent;               // turns in a row that used up their fuel; HW_TURNS_SPENT where it went in polls
    hw_turn_state state;
    bool is_look;                 // this turn
    // The path that waited at the end of the last turn: its place and lanes, and hw_watch_path of it.
    const struct hw_inst *at;
    uint32_t mask;
    uint64_t looked_like;
    // The last load that is a poll if it brings a lane the same again, and what it brought each (memory_lanes.c).
    const struct hw_inst *seen_by;
    uint32_t seen[32];
} hw_turn;

// The turns of a block.
typedef struct hw_block_turn {
    bool has_progressed;          // in this round something has changed that others may wait for
    bool is_idle;                 // all warps that ran since the block's turn began are idle
} hw_block_turn;

static inline void hw_turn_reset(hw_turn *turn) {
    turn->spent = 0;
    turn->state = HW_TURN_WORKING;
    turn->seen_by = NULL;
}

// A thread that waits for another would do what the warp has done now.
static inline void hw_turn_poll(hw_turn *turn) {
    turn->polls++;
    turn->fuel -= HW_POLL_FUEL;
}

// The warp asks for the end of its turn, as one that waits (nanosleep).
static inline void hw_turn_give_up(hw_turn *turn) {
    turn->polls += HW_TURN_FUEL / HW_POLL_FUEL;
    turn->fuel = 0;
}

// The end of a basic block. True: the turn is interrupted there.
static inline bool hw_turn_is_interrupted(hw_turn *turn) {
    if (__builtin_expect(!turn->steps, 1) || --turn->steps) return false;
    turn->is_interrupted = true;
    return true;
}

// A backward branch. False: the turn is over.
static inline bool hw_turn_goes_on(hw_turn *turn) { return --turn->fuel >= 0; }

// Is the warp taken to wait for something outside it?
static inline bool hw_turn_waits(const hw_turn *turn) { return turn->spent >= HW_TURNS_SPENT; }

// The fuel of a whole turn: less than usual where the launch may execute fewer instructions.
int32_t hw_turn_fuel(uint64_t max_instructions);
// The running path of s begins a turn, or goes on with one that was interrupted.
void hw_turn_begin(struct hw_state *s);
// Ends a turn in which the warp has used up its fuel, and decides what the warp is taken for now.
void hw_turn_end(struct hw_state *s);
// The worker's block has yielded. When none of its blocks finds anything new, others have the processor.
void hw_turn_rest(struct hw_worker *worker, const struct hw_block *block);

#endif
