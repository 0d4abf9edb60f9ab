// The process's one runtime, and what is told to the halfwarp command while it runs.
#define _GNU_SOURCE
#include "shim/process.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/gpu_file.h"
#include "runtime/own_work.h"
#include "shim/findings.h"
#include "shim/selection.h"
#include "shim/shim.h"
#include "timeline/launch.h"

static const char DEFAULT_GPU[] = "h200";

// The first door's; those that find the runtime made do not use theirs.
static hw_shim_process own_process;

static void print_complaint(const hw_diag *diag) {
    char text[sizeof *diag + 32];
    fprintf(stderr, "halfwarp: %s\n", hw_diag_format(diag, text, sizeof text));
}

// A report that lacks launches is no success.
static void tell_lost_launch(const hw_diag *diag) {
    static bool is_told;
    if (is_told) return;
    is_told = true;
    fprintf(stderr, "halfwarp: %s; the report lacks launches\n", diag->text);
    hw_shim_note(HW_EXIT_SETUP, diag->text);
}

static void print_kernel_text(void *context, const char *text, size_t length) {
    (void)context;
    fwrite(text, 1, length, stdout);
}

static void print_notice(void *context, const char *sentence) {
    (void)context;
    fprintf(stderr, "halfwarp: %s\n", sentence);
}

// Launches come one after the other, and so do these.
static void keep_launches(void *context, const hw_report *report) {
    hw_shim_process *process = context;
    hw_diag diag = {0};
    const hw_report_launch *launch = &report->launches[report->n_launches - 1];
    process->counted = hw_timeline_launch_of(report->gpu, &launch->work, &launch->estimate);
    process->counted.number = (uint32_t)process->n_launches - 1;
    process->is_counted = true;
    if (!process->journal) return;
    pthread_mutex_lock(&process->journal_lock);
    if (hw_journal_add(process->journal, report, &diag)) tell_lost_launch(&diag);
    pthread_mutex_unlock(&process->journal_lock);
}

static void pass_launch(hw_shim_process *process) {
    hw_diag diag = {0};
    pthread_mutex_lock(&process->journal_lock);
    if (hw_journal_pass(process->journal, &diag)) tell_lost_launch(&diag);
    pthread_mutex_unlock(&process->journal_lock);
}

// What the GPU's clock tells: work always, what the host did in between for a trace.
static void keep_span(void *context, const hw_span *span) {
    hw_shim_process *process = context;
    hw_diag diag = {0};
    if (!process->journal || process->is_orphan || (span->kind >= HW_SPAN_CALL && !process->environment.traces)) return;
    pthread_mutex_lock(&process->journal_lock);
    if (hw_journal_span(process->journal, span, &diag)) tell_lost_launch(&diag);
    pthread_mutex_unlock(&process->journal_lock);
}

// Without a journal launches are counted for their times alone, once the program has asked for any. A launch that is
// not counted leaves its place in the journal, for the ordinals of those behind it.
static bool wants_launch(void *context, const char *mangled) {
    hw_shim_process *process = context;
    if (!process->journal) return hw_timeline_is_asked(hw_rt_timeline(hw_shim_runtime()));
    if (hw_selection_takes(&process->environment, mangled)) return true;
    pass_launch(process);
    return false;
}

// A launch that is not executed leaves its place in the journal as well.
static bool is_to_be_executed(void *context, const char *mangled) {
    hw_shim_process *process = context;
    process->is_counted = false;
    if (hw_shim_is_stopped()) hw_shim_end(HW_EXIT_OUT_OF_TIME);
    if (hw_selection_executes(&process->environment, mangled, process->n_launches++)) return true;
    if (process->journal) pass_launch(process);
    return false;
}

static bool estimate_launch(void *context, hw_timeline_launch *out) {
    const hw_shim_process *process = context;
    *out = process->counted;
    return process->is_counted;
}

static void count_executed(void *context) {
    hw_shim_process *process = context;
    const uint64_t most = process->environment.max_launches;
    if (hw_findings_are_wanted()) hw_findings_count();
    if (atomic_fetch_add(&process->n_executed, 1) + 1 != most) return;
    fflush(NULL);
    fprintf(stderr, "halfwarp: the program is ended here, after %llu launch%s (--max-launches)\n",
            (unsigned long long)most, most == 1 ? "" : "es");
    hw_shim_end(0);
}

// The profiler of the first context goes on with the next.
static hw_status context_opened(void *context, hw_sim *sim, hw_diag *diag) {
    hw_shim_process *process = context;
    hw_status status = HW_OK;
    if ((process->journal || process->environment.gpu_time) && !process->prof) {
        const hw_prof_options options = {.lines = process->environment.lines, .no_l1 = process->environment.no_l1,
                                         .forgets = !process->journal, .finished = keep_launches,
                                         .wants = wants_launch, .context = process};
        status = hw_prof_create(hw_sim_gpu(sim), &options, &process->prof, diag);
    }
    if (!status && process->prof) status = hw_sim_add_sink(sim, hw_prof_sink(process->prof), diag);
    if (!status && hw_findings_are_wanted()) status = hw_findings_watch(sim, diag);
    if (status) return status;
    hw_sim_set_monitor(sim, hw_shim_monitor());
    hw_touch_watch(hw_sim_mem(sim));
    return HW_OK;
}

// Of a GPU that still has a context; NULL: none has.
static hw_sim *another_simulation(const hw_sim *closing) {
    hw_runtime *gpu;
    for (int i = 0; (gpu = hw_rt_gpu_at(hw_shim_runtime(), i)); i++)
        if (hw_rt_simulation(gpu) && hw_rt_simulation(gpu) != closing) return hw_rt_simulation(gpu);
    return NULL;
}

static void context_closing(void *context, hw_sim *sim) {
    (void)context;
    hw_sim *left = another_simulation(sim);
    hw_touch_watch(left ? hw_sim_mem(left) : NULL);
    hw_findings_closing(left);
}

// The call that asked for the kernel fails, and the program may go on with others.
static void kernel_refused(void *context, const hw_diag *diag, hw_rt_status status) {
    (void)context;
    char text[sizeof *diag + 32];
    if (status != HW_RT_NO_MEMORY) hw_shim_complain(hw_diag_format(diag, text, sizeof text), HW_EXIT_UNSUPPORTED);
}

static void launch_failed(void *context, const hw_diag *diag) {
    (void)context;
    print_complaint(diag);
}

static const void *program_site(void *context) {
    (void)context;
    return hw_shim_site();
}

static void kernel_faulted(void *context, const hw_fault *fault) {
    (void)context;
    hw_shim_report_fault(fault);
}

// Another thread of the parent may have held them when it forked.
static void begin_child(void) {
    own_process.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    own_process.journal_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    own_process.is_orphan = own_process.is_orphan || own_process.prof;
}

// The journal says that there was a program that could have launched something, even if it never does.
static const hw_gpu *open_process(hw_environment *environment) {
    hw_diag diag = {0};
    const hw_gpu *gpu;
    hw_environment_read(environment);
    pthread_mutex_init(&own_process.lock, NULL);
    pthread_mutex_init(&own_process.journal_lock, NULL);
    pthread_atfork(NULL, NULL, begin_child);
    if (hw_gpu_open(environment->gpu ? environment->gpu : DEFAULT_GPU, &gpu, &diag)) {   // kept as long as the process
        print_complaint(&diag);
        _exit(HW_EXIT_SETUP);
    }
    if (environment->journal_path && hw_journal_open(environment->journal_path, &own_process.journal, &diag))
        print_complaint(&diag);
    if (environment->check_path && hw_findings_open(environment, &diag)) print_complaint(&diag);
    return gpu;
}

static void choose_gpus(const hw_environment *environment, hw_rt_options *options) {
    const uint32_t wanted = environment->gpus ? environment->gpus : 1;
    hw_visible visible;
    hw_visible_read(environment->visible, options->device.gpu->id, wanted < HW_MEM_GPUS ? wanted : HW_MEM_GPUS,
                    &visible);
    options->gpus = visible.n;
    options->hides_gpus = !visible.n;
    memcpy(options->places, visible.places, sizeof options->places);
}

static void describe_process(hw_rt_options *options) {
    hw_environment *environment = &own_process.environment;
    const hw_gpu *gpu = open_process(environment);
    *options = (hw_rt_options){
        .device = {
            .gpu = gpu,
            .threads = hw_findings_are_wanted() ? 1 : environment->threads,    // as check/check.h asks
            .seed = environment->seed,
            .watched = environment->watched,
            .poisons = environment->poison >= 0,
            .poison = (uint8_t)environment->poison,
            .reuses = environment->reuses,
            .lenient = environment->lenient,
            .producer = environment->ptx_by,
            .max_regs = environment->max_regs,
            .compiler_path = environment->compiles ? environment->path : NULL,
            .code_cache = environment->cache_dir,
            .awaits_compiler = environment->awaits_compiler,
            .print = print_kernel_text,
            .notice = print_notice,
            .executes = is_to_be_executed,
            .executed = count_executed,
            .launch_context = &own_process,
        },
        .context = &own_process,
        .has_gpu_time = environment->gpu_time,
        .launched = estimate_launch,
        .done = keep_span,
        .opened = context_opened,
        .closing = context_closing,
        .failed = launch_failed,
        .refused = kernel_refused,
        .faulted = kernel_faulted,
        .site = program_site,
        .ptxas_path = environment->ask_ptxas ? environment->path : NULL,
        .cache_dir = environment->cache_dir,
    };
    choose_gpus(environment, options);
}

hw_runtime *hw_shim_runtime(void) {
    hw_runtime *runtime = hw_rt_process(describe_process);
    if (runtime) return runtime;
    fprintf(stderr, "halfwarp: there is not enough memory for the runtime\n");
    _exit(HW_EXIT_SETUP);
}

hw_shim_process *hw_shim_process_get(void) { return hw_rt_context(hw_shim_runtime()); }

// Whoever hides all GPUs on purpose says so; a number that was meant for a real machine does not.
void hw_shim_tell_hidden(void) {
    static atomic_flag is_told = ATOMIC_FLAG_INIT;
    const hw_environment *environment = &hw_shim_process_get()->environment;
    const char *list = environment->visible;
    if (!list || !*list || !strcmp(list, "-1") || atomic_flag_test_and_set(&is_told)) return;
    fprintf(stderr, "halfwarp: the program sees no GPU, for CUDA_VISIBLE_DEVICES=%s names none of the %u simulated; "
            "unset it, or number them from 0\n", list, environment->gpus ? environment->gpus : 1);
}

// Code that is loaded at run time is nowhere else to be found when the program has ended.
static void keep_code(hw_shim_process *process, const hw_rt_module *module) {
    hw_diag diag = {0};
    size_t bytes;
    const char *ptx = hw_rt_module_ptx(module, &bytes);
    pthread_mutex_lock(&process->journal_lock);
    if (hw_journal_code(process->journal, ptx, bytes, &diag)) tell_lost_launch(&diag);
    pthread_mutex_unlock(&process->journal_lock);
}

void hw_shim_module_loaded(hw_rt_module *module) {
    hw_shim_process *process = hw_shim_process_get();
    if (!process->journal) return;
    hw_rt_module_ask_registers(hw_shim_runtime(), module);
    if (process->environment.keeps_code) keep_code(process, module);
}

static void tell_own_work(hw_shim_process *process) {
    const double us = process->environment.traces ? hw_rt_take_own_work() : 0;
    const hw_span span = {.kind = HW_SPAN_OWN, .engine = HW_SPAN_COMPUTES, .launch = HW_SPAN_NO_LAUNCH,
                          .busy_us = us};
    if (us > 0) keep_span(process, &span);
}

// What the program has not waited for is in the report as well.
void hw_shim_finish_clock(void) {
    hw_shim_process *process = hw_shim_process_get();
    hw_runtime *first = hw_rt_gpu_at(hw_shim_runtime(), 0), *gpu;
    hw_diag diag = {0};
    if (!first || !hw_rt_timeline(first) || !process->journal || process->is_orphan) return;
    for (int i = 0; (gpu = hw_rt_gpu_at(first, i)); i++) hw_timeline_finish(hw_rt_timeline(gpu));
    tell_own_work(process);
    pthread_mutex_lock(&process->journal_lock);
    if (hw_journal_flush(process->journal, &diag)) tell_lost_launch(&diag);
    pthread_mutex_unlock(&process->journal_lock);
}

// What the process holds is left to the system: threads of the program may still be using it.
__attribute__((constructor)) static void prepare(void) {
    hw_shim_runtime();
    hw_monitor_on_signal();
    if (hw_shim_process_get()->environment.traces) hw_rt_watch_own_work();
}

__attribute__((destructor)) static void end(void) {
    hw_shim_finish_clock();
    hw_findings_end(true);
}
