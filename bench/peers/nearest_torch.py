# PyTorch's cdist and topk, some queries at a time, on the processors or a GPU. usage: nearest_torch.py DEVICE
import sys

import nearest
import peer
import torch_times

device = sys.argv[1]
torch = torch_times.load(device)
np = nearest.load_numpy("torch")
CHUNK = 1 << 28   # distances at a time
MOST = 3e10 if device.startswith("cuda") else 3e9   # of them in all


def measure(case):
    if case["n"] * float(case["queries"] or case["n"]) > MOST:
        raise peer.Skip("every pair takes too long")
    points, queries = nearest.points_and_queries(np, case)
    try:
        there = torch.from_numpy(points).to(device)
        asked = there if queries is None else torch.from_numpy(queries).to(device)
        wanted, rows = case["k"] + (queries is None), max(1, CHUNK // case["n"])

        def run():
            parts = [torch.topk(torch.cdist(asked[at:at + rows], there), wanted, largest=False)
                     for at in range(0, len(asked), rows)]
            return torch.cat([part.values for part in parts])

        distances = run()[:, wanted - case["k"]:].double().cpu().numpy()
        # Its squares are |p|^2 + |q|^2 - 2 p q, which loses what these have in common.
        nearest.check(np, case, points, queries, distances, 1e-5 if case["dtype"] == "f32" else 1e-12)
        times = torch_times.samples_of(torch, device, run, case["seconds"])
    except RuntimeError as reason:
        raise peer.Skip(str(reason).split("\n")[0])
    if device.startswith("cuda"):
        torch.cuda.empty_cache()
    return times


peer.serve("torch", torch.__version__, measure)
