# What the peers by PyTorch share.
import peer

GRAPH_NS = 1e6   # a call that takes longer hides what Python takes for it


def load(device):
    """PyTorch, or the end of this peer."""
    try:
        import torch
    except ImportError as reason:
        peer.absent("torch", reason)
    if device.startswith("cuda") and not torch.cuda.is_available():
        peer.absent("torch", "this PyTorch has no CUDA")
    return torch


def capture(torch, run, runs):
    """A CUDA graph of so many calls; None where PyTorch cannot have one."""
    try:
        graph, side = torch.cuda.CUDAGraph(), torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):   # what is made once must be there before
            run()
        torch.cuda.current_stream().wait_stream(side)
        with torch.cuda.graph(graph):
            for _ in range(runs):
                run()
        return graph
    except RuntimeError:
        torch.cuda.synchronize()
        return None


def samples_of(torch, device, run, seconds):
    """Times of run(), on the device where it is a GPU. Calling PyTorch takes several microseconds: short ones are
    captured, a millisecond's worth of them, so that the GPU starts them by itself."""
    if not device.startswith("cuda"):
        return peer.clock_samples(run, seconds)

    def timed(call, runs):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(runs):
            call()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e6 / runs

    timed(run, 3)
    once = max(timed(run, 3), 100)
    graph = capture(torch, run, peer.runs_of_sample(once)) if once < GRAPH_NS else None
    if not graph:
        return peer.event_samples(lambda runs: timed(run, runs), seconds, "Python")
    runs = peer.runs_of_sample(once)
    timed(graph.replay, 1)
    replays = max(1, int(2e6 / timed(graph.replay, 3)))   # so many that starting the first one does not matter
    return peer.event_samples(lambda _: timed(graph.replay, replays) / runs, seconds, "CUDA graph")
