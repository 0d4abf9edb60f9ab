# PyTorch's permute, written out, on the processors or a GPU. usage: transpose_torch.py DEVICE
import sys

import peer
import torch_times

device = sys.argv[1]
torch = torch_times.load(device)

names = {"f": "float", "u": "uint", "i": "int", "c": "complex"}


def measure(case):
    if case["in_place"]:
        raise peer.Skip("PyTorch transposes in place through a copy")
    dtype, axes = getattr(torch, names[case["dtype"][0]] + case["dtype"][1:], None), case["axes"]
    if dtype is None:
        raise peer.Skip("PyTorch has no " + case["dtype"])
    try:
        count = 1
        for extent in case["shape"]:
            count *= extent
        noise = torch.randint(0, 256, (min(count * dtype.itemsize, 1 << 24),), dtype=torch.uint8, device=device)
        copies = -(-count * dtype.itemsize // len(noise))
        array = noise.repeat(copies)[:count * dtype.itemsize].view(dtype).reshape(case["shape"])
        view = array.permute(axes)
        result = torch.empty(view.shape, dtype=dtype, device=device)
        result.copy_(view)
    except RuntimeError as reason:
        raise peer.Skip(str(reason).split("\n")[0])
    flat, origin = result.reshape(-1).view(torch.uint8), array.reshape(-1).view(torch.uint8)
    for place in peer.some_places(view.shape):
        to = sum(p * s for p, s in zip(place, result.stride())) * dtype.itemsize
        at = sum(p * s for p, s in zip(place, view.stride())) * dtype.itemsize
        if not torch.equal(flat[to:to + dtype.itemsize], origin[at:at + dtype.itemsize]):
            raise ValueError("element %s" % (place,))
    times = torch_times.samples_of(torch, device, lambda: result.copy_(view), case["seconds"])
    if device.startswith("cuda"):
        del array, view, result, flat, origin, noise
        torch.cuda.empty_cache()
    return times


peer.serve("torch", torch.__version__, measure)
