// The capture of streams.
#include "shim/cuda/graph.h"

_Static_assert((int)CU_STREAM_CAPTURE_MODE_RELAXED == HW_RT_CAPTURE_RELAXED &&
               (int)CU_STREAM_CAPTURE_STATUS_INVALIDATED == HW_RT_CAPTURE_BROKEN, "the runtime numbers as CUDA does");

HW_EXPORT CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                                    const CUgraphNode *behind, const CUgraphEdgeData *edges,
                                                    size_t count, CUstreamCaptureMode mode) {
    HW_ENTER();
    (void)edges;
    if (!graph) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return hw_cuda_return(hw_rt_capture_begin(hw_shim_runtime(), hw_stream_of(stream), mode, hw_graph_of(graph),
                                                hw_these_of(behind), count));
}

HW_EXPORT CUresult cuStreamBeginCaptureToGraph_ptsz(CUstream stream, CUgraph graph,
                                                         const CUgraphNode *behind,
                                                         const CUgraphEdgeData *edges, size_t count,
                                                         CUstreamCaptureMode mode) {
    return cuStreamBeginCaptureToGraph(hw_of_thread(stream), graph, behind, edges, count, mode);
}

HW_EXPORT CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_capture_begin(hw_shim_runtime(), hw_stream_of(stream), mode, NULL, NULL, 0));
}

HW_EXPORT CUresult cuStreamBeginCapture_v2_ptsz(CUstream stream, CUstreamCaptureMode mode) {
    return cuStreamBeginCapture_v2(hw_of_thread(stream), mode);
}

HW_EXPORT CUresult cuStreamBeginCapture(CUstream stream) {
    return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

HW_EXPORT CUresult cuStreamBeginCapture_ptsz(CUstream stream) { return cuStreamBeginCapture(hw_of_thread(stream)); }

HW_EXPORT CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_capture_end(hw_shim_runtime(), hw_stream_of(stream), (hw_rt_graph **)graph));
}

HW_EXPORT CUresult cuStreamEndCapture_ptsz(CUstream stream, CUgraph *graph) {
    return cuStreamEndCapture(hw_of_thread(stream), graph);
}

HW_EXPORT CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
    if (!mode) return CUDA_ERROR_INVALID_VALUE;   // the driver takes any number
    *mode = (CUstreamCaptureMode)hw_rt_capture_exchange_mode(*mode);
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                             CUgraph *graph, const CUgraphNode **last, const CUgraphEdgeData **edges,
                                             size_t *count) {
    HW_ENTER();
    hw_rt_capture_info info;
    const hw_rt_status got = hw_rt_capture_get(hw_shim_runtime(), hw_stream_of(stream), &info);
    if (got || !status) return hw_cuda_return(got ? got : HW_RT_INVALID_VALUE);
    *status = (CUstreamCaptureStatus)info.state;
    if (info.state != HW_RT_CAPTURED) return CUDA_SUCCESS;   // and the others stay as they are
    if (id) *id = info.id;
    if (graph) *graph = (CUgraph)info.graph;
    if (last) *last = (const CUgraphNode *)info.last;
    if (edges) *edges = NULL;
    if (count) *count = info.n_last;
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuStreamGetCaptureInfo_v3_ptsz(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                                  CUgraph *graph, const CUgraphNode **last,
                                                  const CUgraphEdgeData **edges, size_t *count) {
    return cuStreamGetCaptureInfo_v3(hw_of_thread(stream), status, id, graph, last, edges, count);
}

HW_EXPORT CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                             CUgraph *graph, const CUgraphNode **last, size_t *count) {
    return cuStreamGetCaptureInfo_v3(stream, status, id, graph, last, NULL, count);
}

HW_EXPORT CUresult cuStreamGetCaptureInfo_v2_ptsz(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                                  CUgraph *graph, const CUgraphNode **last, size_t *count) {
    return cuStreamGetCaptureInfo_v2(hw_of_thread(stream), status, id, graph, last, count);
}

HW_EXPORT CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id) {
    return cuStreamGetCaptureInfo_v3(stream, status, id, NULL, NULL, NULL, NULL);
}

HW_EXPORT CUresult cuStreamGetCaptureInfo_ptsz(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id) {
    return cuStreamGetCaptureInfo(hw_of_thread(stream), status, id);
}

HW_EXPORT CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
    return cuStreamGetCaptureInfo_v3(stream, status, NULL, NULL, NULL, NULL, NULL);
}

HW_EXPORT CUresult cuStreamIsCapturing_ptsz(CUstream stream, CUstreamCaptureStatus *status) {
    return cuStreamIsCapturing(hw_of_thread(stream), status);
}

HW_EXPORT CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *on, size_t count, unsigned flags) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_capture_depend(hw_shim_runtime(), hw_stream_of(stream), hw_these_of(on), count,
                                               flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES));
}

HW_EXPORT CUresult cuStreamUpdateCaptureDependencies_ptsz(CUstream stream, CUgraphNode *on, size_t count,
                                                          unsigned flags) {
    return cuStreamUpdateCaptureDependencies(hw_of_thread(stream), on, count, flags);
}

HW_EXPORT CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *on, const CUgraphEdgeData *edges,
                                                        size_t count, unsigned flags) {
    (void)edges;
    return cuStreamUpdateCaptureDependencies(stream, on, count, flags);
}

HW_EXPORT CUresult cuStreamUpdateCaptureDependencies_v2_ptsz(CUstream stream, CUgraphNode *on,
                                                             const CUgraphEdgeData *edges, size_t count,
                                                             unsigned flags) {
    return cuStreamUpdateCaptureDependencies_v2(hw_of_thread(stream), on, edges, count, flags);
}
