// The capture of streams.
#include "shim/cudart/graph.h"

_Static_assert((int)cudaStreamCaptureModeRelaxed == HW_RT_CAPTURE_RELAXED &&
               (int)cudaStreamCaptureStatusInvalidated == HW_RT_CAPTURE_BROKEN, "the runtime numbers as CUDA does");

HW_EXPORT cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                    const cudaGraphNode_t *behind, const cudaGraphEdgeData *edges,
                                                    size_t count, enum cudaStreamCaptureMode mode) {
    HW_ENTER();
    (void)edges;
    if (!graph) return hw_cudart_return(HW_RT_INVALID_VALUE);
    return hw_cudart_return(hw_rt_capture_begin(hw_shim_runtime(), hw_stream_of(stream), mode, hw_graph_of(graph),
                                                hw_these_of(behind), count));
}

HW_EXPORT cudaError_t cudaStreamBeginCaptureToGraph_ptsz(cudaStream_t stream, cudaGraph_t graph,
                                                         const cudaGraphNode_t *behind,
                                                         const cudaGraphEdgeData *edges, size_t count,
                                                         enum cudaStreamCaptureMode mode) {
    return cudaStreamBeginCaptureToGraph(hw_of_thread(stream), graph, behind, edges, count, mode);
}

HW_EXPORT cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_capture_begin(hw_shim_runtime(), hw_stream_of(stream), mode, NULL, NULL, 0));
}

HW_EXPORT cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    return cudaStreamBeginCapture(hw_of_thread(stream), mode);
}

HW_EXPORT cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_capture_end(hw_shim_runtime(), hw_stream_of(stream), (hw_rt_graph **)graph));
}

HW_EXPORT cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t *graph) {
    return cudaStreamEndCapture(hw_of_thread(stream), graph);
}

HW_EXPORT cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    return hw_cudart_capture_info(stream, status, NULL, NULL, NULL, NULL, NULL);
}

HW_EXPORT cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    return cudaStreamIsCapturing(hw_of_thread(stream), status);
}

HW_EXPORT cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *mode = (enum cudaStreamCaptureMode)hw_rt_capture_exchange_mode(*mode);
    return cudaSuccess;
}

cudaError_t hw_cudart_capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                   cudaGraph_t *graph, const cudaGraphNode_t **last, const cudaGraphEdgeData **edges,
                                   size_t *count) {
    HW_ENTER();
    hw_rt_capture_info info;
    const hw_rt_status got = hw_rt_capture_get(hw_shim_runtime(), hw_stream_of(stream), &info);
    if (got || !status) return hw_cudart_return(got ? got : HW_RT_INVALID_VALUE);
    *status = (enum cudaStreamCaptureStatus)info.state;
    if (info.state != HW_RT_CAPTURED) return cudaSuccess;   // and the others stay as they are
    if (id) *id = info.id;
    if (graph) *graph = (cudaGraph_t)info.graph;
    if (last) *last = (const cudaGraphNode_t *)info.last;
    if (edges) *edges = NULL;
    if (count) *count = info.n_last;
    return cudaSuccess;
}

cudaError_t hw_cudart_capture_depend(cudaStream_t stream, const cudaGraphNode_t *on, size_t count, unsigned flags) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_capture_depend(hw_shim_runtime(), hw_stream_of(stream), hw_these_of(on), count,
                                                 flags == cudaStreamSetCaptureDependencies));
}
