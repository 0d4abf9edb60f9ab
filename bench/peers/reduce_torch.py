# PyTorch's reductions, on the processors or a GPU. usage: reduce_torch.py DEVICE
import sys

import peer
import reduce
import torch_times

device = sys.argv[1]
torch = torch_times.load(device)
types = {"i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64, "u8": torch.uint8,
         "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}
functions = {"sum": torch.sum, "mean": torch.mean, "min": torch.amin, "max": torch.amax, "argmin": torch.argmin,
             "argmax": torch.argmax, "norm": torch.linalg.vector_norm}


def measure(case):
    reduce.refuse_exact(case)
    if case["dtype"] not in types:
        raise peer.Skip("PyTorch reduces no " + case["dtype"])
    scale, shift = reduce.scale_and_shift(case["dtype"])
    op, axes = case["op"], case["axes"]
    if op.startswith("arg") and axes and len(axes) > 1:
        raise peer.Skip("PyTorch's %s takes one axis" % op)
    try:
        block = (torch.tensor(reduce.block, dtype=torch.float64) * scale + shift).to(types[case["dtype"]]).to(device)
        count = reduce.count_of(case)
        array = block.repeat(-(-count // len(block)))[:count].clone()
        array[reduce.smallest_at(case)] = reduce.SMALLEST * scale + shift
        array = array.reshape(case["shape"])
        words = () if axes is None else (axes[0] if op.startswith("arg") else tuple(axes),)
        name = "ord" if op == "norm" else None
        run = (lambda: functions[op](array, 2, *words)) if name else (lambda: functions[op](array, *words))
        reduce.check(case, run().double().cpu().numpy())
        times = torch_times.samples_of(torch, device, run, case["seconds"])
    except RuntimeError as reason:
        raise peer.Skip(str(reason).split("\n")[0])
    if device.startswith("cuda"):
        del array, block
        torch.cuda.empty_cache()
    return times


peer.serve("torch", torch.__version__, measure)
