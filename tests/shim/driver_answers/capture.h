// Questions on captures: what streams may do meanwhile, and what a spoiled one answers.
static void begin(CUstreamCaptureMode mode) {
    ASK(cuStreamBeginCapture(stream, mode));
    ASK(launch(stream, 1));
}

static void end(void) {
    CUgraph graph = (CUgraph)1;
    status_of(stream);
    ASK(cuStreamEndCapture(stream, &graph));
    SAY(graph == NULL);
}

static void capture_of_legacy_stream(void) { ASK(cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL)); }

static void capture_of_per_thread_stream(void) {
    CUgraph graph;
    ASK(cuStreamBeginCapture(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_GLOBAL));
    ASK(launch(CU_STREAM_PER_THREAD, 1));
    ASK(cuStreamEndCapture(CU_STREAM_PER_THREAD, &graph));
}

static void end_without_begin(void) {
    CUgraph graph = (CUgraph)1;
    ASK(cuStreamEndCapture(stream, &graph));
    SAY(graph == NULL);
}

static void begin_twice(void) {
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    end();
}

static void query_of_captured(void) {
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuStreamQuery(stream));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuStreamQuery(stream));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuStreamQuery(other));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuStreamQuery(NULL));
    end();
}

static void synchronize_captured(void) {
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuStreamSynchronize(stream));
    ASK(launch(stream, 1));
    end();
    ASK(launch(stream, 1));
}

static void synchronize_other(void) {
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuStreamSynchronize(other));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuStreamSynchronize(NULL));
    end();
}

static void synchronize_context(void) {
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuCtxSynchronize());
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuCtxSynchronize());
    end();
}

static void allocate_in_capture(void) {
    CUdeviceptr p = 0;
    void *host = NULL;
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuMemAlloc(&p, 4));
    end();
    begin(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    ASK(cuMemAlloc(&p, 4));
    end();
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuMemAlloc(&p, 4));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuMemFree(p));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuMemAllocHost(&host, 4));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuMemAllocManaged(&p, 4, CU_MEM_ATTACH_GLOBAL));
    end();
}

static void copies_in_capture(void) {
    unsigned one = 1;
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuMemcpyHtoD(word, &one, 4));
    end();
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuMemcpyHtoD(word, &one, 4));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuMemsetD8(word, 1, 4));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuMemcpyHtoDAsync(word, &one, 4, other));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuMemcpyHtoDAsync(word, &one, 4, stream));
    end();
}

static void legacy_beside_nonblocking(void) {
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(launch(NULL, 1));
    end();
}

static void legacy_beside_blocking(void) {
    CUgraph graph = NULL;
    ASK(cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
    ASK(launch(blocking, 1));
    ASK(launch(NULL, 1));
    status_of(blocking);
    status_of(NULL);
    ASK(cuStreamEndCapture(blocking, &graph));
    ASK(cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
    ASK(cuMemcpyHtoD(word, &(unsigned){1}, 4));
    status_of(blocking);
    ASK(cuStreamEndCapture(blocking, &graph));
}

static void events_of_captures(void) {
    float ms;
    CUevent timed;
    cuEventCreate(&timed, 0);
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuEventRecord(event, stream));
    ASK(cuEventQuery(event));
    end();
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuEventRecord(event, stream));
    ASK(cuEventSynchronize(event));
    end();
    ASK(cuEventSynchronize(event));
    ASK(cuEventQuery(event));
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuEventRecord(timed, stream));
    ASK(cuEventElapsedTime(&ms, timed, timed));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuEventQuery(second));
    end();
    ASK(cuEventRecord(second, other));
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuEventQuery(second));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuEventSynchronize(second));
    end();
}

static void wait_for_uncaptured(void) {
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuStreamWaitEvent(stream, second, 0));   // never recorded
    end();
    ASK(cuEventRecord(event, other));
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuStreamWaitEvent(stream, event, 0));
    end();
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuStreamWaitEvent(stream, event, CU_EVENT_WAIT_EXTERNAL));
    end();
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL));
    end();
}

static void stale_event(void) {   // of a capture that has ended
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuEventRecord(event, stream));
    end();
    ASK(cuStreamWaitEvent(other, event, 0));
    status_of(other);
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuStreamWaitEvent(stream, event, 0));
    end();
}

static void unjoined(void) {
    CUgraph graph = NULL;
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuEventRecord(event, stream));
    ASK(cuStreamWaitEvent(other, event, 0));
    status_of(other);
    end();
    status_of(other);
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuEventRecord(event, stream));
    ASK(cuStreamWaitEvent(other, event, 0));
    ASK(launch(other, 1));
    ASK(cuStreamEndCapture(other, &graph));
    status_of(other);
    end();
    status_of(other);
    ASK(launch(other, 1));
}

static void merge_of_captures(void) {
    CUgraph graph;
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuStreamBeginCapture(other, CU_STREAM_CAPTURE_MODE_RELAXED));
    ASK(launch(other, 1));
    ASK(cuEventRecord(event, other));
    ASK(cuStreamWaitEvent(stream, event, 0));
    status_of(other);
    end();
    ASK(cuStreamEndCapture(other, &graph));
}

static void things_destroyed_in_capture(void) {
    CUgraph graph;
    CUstream short_lived;
    cuStreamCreate(&short_lived, CU_STREAM_NON_BLOCKING);
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuEventDestroy(second));
    end();
    ASK(cuStreamBeginCapture(short_lived, CU_STREAM_CAPTURE_MODE_RELAXED));
    ASK(cuStreamGetId(short_lived, &(unsigned long long){0}));
    ASK(cuStreamDestroy(short_lived));
    (void)graph;
}

static void modules_in_capture(void) {
    CUmodule module;
    CUfunction f;
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuModuleLoadData(&module, kernels_ptx));
    end();
    ASK(cuModuleLoadData(&module, kernels_ptx));
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuModuleGetFunction(&f, module, "add"));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuModuleUnload(module));
    end();
}

static void empty_capture(void) {
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    size_t n = 9;
    ASK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    ASK(cuStreamEndCapture(stream, &graph));
    ASK(cuGraphGetNodes(graph, NULL, &n));
    SAY(n);
    ASK(cuGraphInstantiate(&exec, graph, 0));
    ASK(cuGraphLaunch(exec, stream));
}

static void bad_capture_arguments(void) {
    CUgraph graph;
    ASK(cuStreamBeginCapture(stream, (CUstreamCaptureMode)7));
    ASK(cuStreamIsCapturing(stream, NULL));
    ASK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    ASK(cuStreamEndCapture(stream, NULL));
    ASK(cuStreamEndCapture(stream, &graph));
    ASK(cuThreadExchangeStreamCaptureMode(&(CUstreamCaptureMode){9}));
}
