# What the peers by PyTorch share.
import peer


def load(device):
    """PyTorch, or the end of this peer."""
    try:
        import torch
    except ImportError as reason:
        peer.absent("torch", reason)
    if device.startswith("cuda") and not torch.cuda.is_available():
        peer.absent("torch", "this PyTorch has no CUDA")
    return torch


def samples_of(torch, device, run, seconds):
    """Times of run() in nanoseconds, on the device where it is a GPU."""
    if not device.startswith("cuda"):
        return peer.clock_samples(run, seconds)

    def sample(runs):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(runs):
            run()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e6 / runs

    return peer.event_samples(sample, seconds)
