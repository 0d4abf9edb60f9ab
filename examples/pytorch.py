"""Tensors, elementwise, reduction, indexing, and the training of a net of two layers, by PyTorch without a GPU: what
PyTorch compiles (torch.compile, Triton) and a kernel of one's own, beside the processor's results.

    pip install torch
    TORCHINDUCTOR_COMPILE_THREADS=1 halfwarp run -- python3 examples/pytorch.py

PyTorch's own kernels are machine code in its wheels, which Halfwarp does not execute; Inductor's are Triton's and have
PTX. So what is computed on the GPU stands in functions that are compiled, and memory comes from the host."""
import torch
import triton
import triton.language as tl

torch.manual_seed(0)


@triton.jit
def product_kernel(a, b, c, m, n, k, a_row, a_col, b_row, b_col, TILE: tl.constexpr):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    cols = tl.program_id(1) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for first in range(0, k, TILE):
        inner = first + tl.arange(0, TILE)
        left = tl.load(a + rows[:, None] * a_row + inner[None, :] * a_col,
                       mask=(rows[:, None] < m) & (inner[None, :] < k), other=0.0)
        right = tl.load(b + inner[:, None] * b_row + cols[None, :] * b_col,
                        mask=(inner[:, None] < k) & (cols[None, :] < n), other=0.0)
        total += tl.dot(left, right, input_precision="ieee")
    tl.store(c + rows[:, None] * n + cols[None, :], total, mask=(rows[:, None] < m) & (cols[None, :] < n))


@torch.library.triton_op("mine::product", mutates_args={})
def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    m, k = a.shape
    n = b.shape[1]
    c = torch.empty((m, n), device=a.device, dtype=a.dtype)
    torch.library.wrap_triton(product_kernel)[(triton.cdiv(m, 16), triton.cdiv(n, 16))](
        a, b, c, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1), TILE=16)
    return c


@product.register_kernel("cpu")
def on_the_processor(a, b):
    return a @ b


def backward(ctx, grad):
    a, b = ctx.saved_tensors
    return product(grad, b.t()), product(a.t(), grad)


product.register_autograd(backward, setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs))


def elementwise(x, y):
    return torch.where(x > y, torch.exp(-x) * 2 + torch.tanh(y), x / (1 + y * y))


def reduction(x):
    return x.sum(), x.mean(0), x.amax(1), x.softmax(1), x.var(0)


def indexing(x, i):
    return x[i], 2 * x[:, 1:-1:2], x.gather(1, i[:, None] % x.shape[1]), x.flip(0) * (i > 50)[:, None]


def loss_of(x, target, w1, b1, w2, b2):
    hidden = torch.tanh(product(x, w1) + b1)
    return ((product(hidden, w2) + b2 - target) ** 2).mean()


def train(device, steps=5):
    generator = torch.Generator().manual_seed(1)
    x, target = torch.randn(64, 20, generator=generator), torch.randn(64, 3, generator=generator)
    weights = [torch.randn(s, generator=generator) * 0.1 for s in ((20, 32), (32,), (32, 3), (3,))]
    x, target = x.to(device), target.to(device)
    weights = [w.to(device).requires_grad_() for w in weights]
    step = torch.compile(loss_of) if device == "cuda" else loss_of
    update = torch.compile(lambda w, g: w - 0.1 * g) if device == "cuda" else (lambda w, g: w - 0.1 * g)
    losses = []
    for _ in range(steps):
        loss = step(x, target, *weights)
        grads = torch.autograd.grad(loss, weights, torch.ones(()).to(device))
        weights = [update(w.detach(), g).detach().requires_grad_() for w, g in zip(weights, grads)]
        losses.append(loss.detach().cpu())
    return [*losses, *(w.detach().cpu() for w in weights)]


def compare(name, ours, theirs):
    ours = ours if isinstance(ours, (tuple, list)) else (ours,)
    theirs = theirs if isinstance(theirs, (tuple, list)) else (theirs,)
    worst = max(((a.cpu() - b).abs().max() / (b.abs().max() + 1e-9)).item() for a, b in zip(ours, theirs))
    print(f"{name}: worst difference {worst:.1e} {'PASSED' if worst < 1e-5 else 'FAILED'}", flush=True)


x, y = torch.randn(100, 33), torch.randn(100, 33)
i = torch.randint(0, 100, (100,))
compare("copies", x.cuda(), x)
for f, given in ((elementwise, (x, y)), (reduction, (x,)), (indexing, (x, i))):
    compare(f.__name__, torch.compile(f)(*(t.cuda() for t in given)), f(*given))
compare("product", product(x.cuda(), y.t().contiguous().cuda()), x @ y.t())
compare("training", train("cuda"), train("cpu"))
