// A timeline behind the profiler, which is asked for each launch's estimate.
#include "ladder/clock.h"

#include "base/alloc.h"
#include "timeline/launch.h"

struct hw_ladder_clock {
    hw_sim *sim;
    hw_prof *prof;
    hw_timeline *timeline;
    bool runs;
    double begun_us, us, copies_us;
};

static bool estimate_launch(void *context, hw_timeline_launch *out) {
    const hw_ladder_clock *clock = context;
    const hw_report *report = hw_prof_report(clock->prof);
    if (!report->n_launches) return false;
    const hw_report_launch *launch = &report->launches[report->n_launches - 1];
    *out = hw_timeline_launch_of(report->gpu, &launch->work, &launch->estimate);
    return true;
}

static void add_span(void *context, const hw_span *span) {
    hw_ladder_clock *clock = context;
    if (clock->runs && span->kind == HW_SPAN_COPY) clock->copies_us += span->end_us - span->begin_us;
}

hw_status hw_ladder_clock_create(hw_sim *sim, hw_prof *prof, hw_ladder_clock **out, hw_diag *diag) {
    hw_ladder_clock *clock = *out = hw_calloc(1, sizeof *clock);
    if (!clock) return hw_diag_no_memory(diag);
    clock->sim = sim;
    clock->prof = prof;
    const hw_timeline_options options = {.gpu = hw_sim_gpu(sim),
                                         .copy_engines = hw_timeline_copy_engines(hw_sim_gpu(sim)),
                                         .launched = estimate_launch, .done = add_span, .context = clock};
    hw_status status = hw_timeline_create(&options, &clock->timeline, diag);
    return status ? status : hw_sim_add_sink(sim, hw_timeline_sink(clock->timeline), diag);
}

void hw_ladder_clock_destroy(hw_ladder_clock *clock) {
    if (!clock) return;
    if (clock->timeline) {
        hw_sim_remove_sink(clock->sim, hw_timeline_sink(clock->timeline));
        hw_timeline_destroy(clock->timeline);
    }
    hw_free(clock);
}

void hw_ladder_clock_start(hw_ladder_clock *clock) {
    hw_timeline_finish(clock->timeline);
    clock->begun_us = hw_timeline_now(clock->timeline);
    clock->runs = true;
}

void hw_ladder_clock_stop(hw_ladder_clock *clock) {
    hw_timeline_finish(clock->timeline);
    clock->us = hw_timeline_now(clock->timeline) - clock->begun_us;
    clock->runs = false;
}

void hw_ladder_clock_read(const hw_ladder_clock *clock, double *us, double *copies_us) {
    *us = clock->us;
    *copies_us = clock->copies_us;
}
