# PyTorch's matmul, on the processors or a GPU. usage: matmul_torch.py DEVICE
import sys

import matmul
import peer
import torch_times

device = sys.argv[1]
torch = torch_times.load(device)
types = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16}


def operand(case, which, rows, cols):
    data = torch.frombuffer(bytearray(matmul.blocks(case["dtype"])[which][0]), dtype=types[case["dtype"]]).to(device)
    count = case["batch"] * rows * cols
    flat = data.repeat(-(-count // len(data)))[:count]
    if case["layout"][which] == "t":
        return flat.reshape(case["batch"], cols, rows).transpose(1, 2)
    return flat.reshape(case["batch"], rows, cols)


def measure(case):
    if case["dtype"] not in types or (case["dtype"] == "f32" and case["precision"] == "bf16"):
        raise peer.Skip("PyTorch has no such product")
    torch.backends.cuda.matmul.allow_tf32 = case["precision"] == "tf32"
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    m, n, k = case["m"], case["n"], case["k"]
    try:
        a, b = operand(case, 0, m, k), operand(case, 1, k, n)
        if case["batch"] == 1:
            a, b = a[0], b[0]
        c = torch.matmul(a, b)
        rows = c if case["batch"] == 1 else c[-1]
        error = matmul.error_of(case, lambda row: rows[row].double().cpu().tolist())
        times = torch_times.samples_of(torch, device, lambda: torch.matmul(a, b, out=c), case["seconds"])
    except RuntimeError as reason:
        raise peer.Skip(str(reason).split("\n")[0])
    if device.startswith("cuda"):
        del a, b, c, rows
        torch.cuda.empty_cache()
    return times, error


peer.serve("torch", torch.__version__, measure)
