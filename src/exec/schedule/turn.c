// How turns begin and end.
#include "exec/schedule/turn.h"

#include <sched.h>
#include <time.h>

#include "exec/schedule/seeded.h"

int32_t hw_turn_fuel(uint64_t max_instructions) {
    return max_instructions && max_instructions < HW_TURN_FUEL ? (int32_t)max_instructions : HW_TURN_FUEL;
}

void hw_turn_begin(hw_state *s) {
    hw_turn *turn = &s->turn;
    const bool goes_on = turn->is_interrupted;
    turn->steps = hw_is_seeded(s->worker) ? hw_seeded_steps(s->worker) : 0;
    turn->is_interrupted = false;
    if (goes_on) return;
    // Another path of the warp may have work.
    turn->is_look = turn->state != HW_TURN_WORKING && s->pc == turn->at && s->warp.mask == turn->mask;
    turn->state = HW_TURN_WORKING;
    turn->polls = 0;
    turn->whole = turn->is_look ? HW_LOOK_FUEL : hw_turn_fuel(s->run->launch->max_instructions);
    turn->fuel = turn->whole;
}

void hw_turn_end(hw_state *s) {
    hw_turn *turn = &s->turn;
    // A few polls on the way are no waiting: lanes that left a loop are not let go early for them.
    const bool went_in_polls = turn->polls > (uint32_t)turn->whole / HW_POLL_FUEL / 2;
    turn->spent = went_in_polls ? HW_TURNS_SPENT : turn->spent + 1;
    if (went_in_polls) hw_outside_tell(s, HW_NO_NOTE, HW_OUTSIDE_WAIT);
    if (!hw_turn_waits(turn)) return;
    const uint64_t looks_like = hw_watch_path(s->frame, s->pc, s->warp.mask);
    const bool is_new = looks_like != turn->looked_like;
    if (!turn->is_look) turn->state = HW_TURN_WAITING;
    else turn->state = is_new ? HW_TURN_WORKING : HW_TURN_IDLE;
    turn->looked_like = looks_like;
    turn->at = s->pc;
    turn->mask = s->warp.mask;
}

// For a while, when that has gone on for many rounds. A limit of instructions is to be reached before long, so polls
// that count towards it go on.
void hw_turn_rest(hw_worker *worker, const hw_block *block) {
    enum { ROUNDS = 16, REST_NS = 20000 };
    static const struct timespec a_while = {.tv_nsec = REST_NS};
    worker->idle_turns = block->turn.is_idle ? worker->idle_turns + 1 : 0;
    bool is_round = worker->idle_turns && worker->idle_turns % worker->n_blocks == 0;
    bool is_long = worker->idle_turns > worker->n_blocks * ROUNDS && !worker->run->launch->max_instructions;
    if (is_round && is_long) nanosleep(&a_while, NULL);
    else if (is_round || worker->n_blocks == 1) sched_yield();
}
