#!/usr/bin/env python3
"""Fills the tables of documents (DOCUMENTS) from the files of bench/results.

usage: tools/figures.py [--check]

A table stands between two comments, and what is between them is made anew:

    <!-- table: KIND from FILE [FILE...] -->
    <!-- end -->

KIND is one of the functions below (KINDS); FILE lies in bench/results. --check changes nothing, shows how the
documents differ from their files, and exits with 1 when they do, or when docs/performance.md has a table without a
file. 2: a file or a kind is not there.
"""
import csv
import difflib
import json
import os
import re
import statistics
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# True: no tables but those made here.
DOCUMENTS = {"docs/performance.md": True, "docs/check.md": False, "docs/advice.md": False, "docs/report.md": False,
             "README.md": False}
BLOCK = re.compile(r"(<!-- table: (\S+) from ([^>]+?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
NAMES = {"halfwarp": "Halfwarp", "cublas": "cuBLAS", "cub": "CUB", "torch": "PyTorch", "numpy": "NumPy",
         "scipy": "SciPy"}
CALLED = {"C loop": "in a C loop", "CUDA graph": "by captured graphs", "Python": "from Python"}


def fail(sentence):
    print(f"figures.py: {sentence}", file=sys.stderr)
    sys.exit(2)


# ---- Files and numbers ----------------------------------------------------------------------------------------------

def path_of(name):
    return os.path.join(ROOT, "bench", "results", name)


def load(name):
    try:
        with open(path_of(name)) as file:
            return json.load(file) if name.endswith(".json") else file.read()
    except (OSError, ValueError) as reason:
        fail(f"cannot read bench/results/{name}: {reason}")


def digits(number):
    """Three of them, or all before the point."""
    for least, places in ((100, 0), (10, 1), (1, 2)):
        if number >= least:
            return f"{number:.{places}f}"
    return f"{number:.3g}"


def percent(share):
    return f"{100 * share:.0f}%"


def size(extents):
    return "x".join(map(str, extents)) if isinstance(extents, list) else extents.replace(",", "x")


def bytes_text(count):
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + ["| " + " | ".join(r) + " |" for r in rows]


# ---- Files of `halfwarp bench` --------------------------------------------------------------------------------------

def result(case, who):
    """What was measured of the case by one; None where it has no time."""
    found = [each for each in case["results"] if each["who"] == who and "ms" in each]
    return found[0] if found else None


def ms(case, who):
    found = result(case, who)
    return found["ms"]["median"] if found else None


def peers(data, cases):
    """Those that were measured in some of the cases."""
    return [peer for peer in data["peers"] if any(result(case, peer["name"]) for case in cases)]


def head_of(peer):
    return NAMES.get(peer["name"], peer["name"])


def caption(name, data, cases, unit):
    """Where the numbers are from, and how those beside Halfwarp were called."""
    said = [f"`bench/results/{name}`, {data['device']['name']}, commit {data['commit']}; {unit}."]
    for peer in peers(data, cases):
        measured = [result(case, peer["name"]) for case in cases if result(case, peer["name"])]
        ways = sorted({CALLED[each.get("called", "Python")] for each in measured})
        said.append(f"{head_of(peer)} {peer['version']} was called {' or '.join(ways)}.")
    spreads = [result(case, "halfwarp")["ms"]["spread_pct"] for case in cases if result(case, "halfwarp")]
    said.append(f"Halfwarp's times have a spread of {max(spreads):.1f}% at most.")
    return textwrap.wrap(" ".join(said), 120) + [""]


def rate(case, who, key, scale=1):
    found = result(case, who)
    return digits(found[key] * scale) if found else "-"


def rate_and_share(case, who):
    found = result(case, who)
    return f"{digits(found['gbs'])}, {percent(found['share'])}" if found else "-"


def transposes(name, data, group):
    cases = [case for case in data["cases"] if case["group"] == group]
    others = peers(data, cases)
    rows = [[f"{case['dtype']} {size(case['shape'])}", case["axes"], rate(case, "copy", "gbs"),
             rate_and_share(case, "halfwarp")] + [rate_and_share(case, peer["name"]) for peer in others]
            for case in cases]
    unit = "GB/s read and written, and the share of the copy"
    return caption(name, data, cases, unit) + table(
        ["array", "axes", "copy", "Halfwarp"] + [head_of(peer) for peer in others], rows)


def transpose(name):
    return transposes(name, load(name), "peers")


def transpose_in_place(name):
    return transposes(name, load(name), "inplace")


def transpose_ttc(name):
    data = load(name)
    cases = [case for case in data["cases"] if case["group"] == "ttc57"]
    rows = []
    for who in ["halfwarp"] + [peer["name"] for peer in peers(data, cases)]:
        shares = sorted((result(case, who)["share"], f"{size(case['shape'])} by {case['axes']}")
                        for case in cases if result(case, who))
        worst, best = (f"{percent(share)}, {what}" for share, what in (shares[0], shares[-1]))
        over = sum(share >= 0.9 for share, _ in shares)
        rows.append([NAMES[who], str(len(shares)), worst, percent(statistics.median(s for s, _ in shares)), best,
                     str(over)])
    return caption(name, data, cases, "shares of the copy") + table(
        ["", "arrays", "worst", "median", "best", "90% and more"], rows)


def transpose_host(name):
    data = load(name)
    rows = []
    for case in data["cases"]:
        copy, own = result(case, "copy"), result(case, "halfwarp")
        rows.append([f"{case['dtype']} {size(case['shape'])}", bytes_text(case["bytes"]), digits(copy["gbs"] / 2),
                     f"{digits(own['gbs'] / 2)}, {percent(own['share'])}"])
    unit = "GB/s each way, and the share of plain copies both ways at the same time"
    return caption(name, data, data["cases"], unit) + table(["array", "bytes", "copies", "Halfwarp"], rows)


def product_name(case):
    name, layout = case["dtype"], case["layout"]
    if case["dtype"] == "f32" and case["precision"] not in ("fp32", "own"):
        name += " in " + case["precision"]
    return name + {"nn": "", "nt": ", B by columns", "tn": ", A by columns", "tt": ", both by columns"}[layout]


def matmul(name):
    data = load(name)
    cases, is_gpu = data["cases"], data["device"]["id"] != "cpu"
    others = peers(data, cases)

    def cell(case, who):
        found = result(case, who)
        if not found:
            return "-"
        speed = digits(found["tflops"] * (1 if is_gpu else 1000))
        return f"{speed} ({found['error']:.2g})" if is_gpu and "error" in found else speed

    rows = []
    for case in cases:
        m_n_k = f"{case['m']}, {case['n']}, {case['k']}"
        own, first = ms(case, "halfwarp"), ms(case, others[0]["name"]) if others else None
        rows.append([product_name(case), f"{case['batch']} times {m_n_k}" if case["batch"] > 1 else m_n_k] +
                    [cell(case, who) for who in ["halfwarp"] + [peer["name"] for peer in others]] +
                    [percent(first / own) if first else "-"])
    unit = "TFLOP/s (relative error)" if is_gpu else "GFLOP/s"
    heads = [head_of(peer) for peer in others]
    return caption(name, data, cases, unit) + table(
        ["product", "m, n, k", "Halfwarp"] + heads + [f"of {heads[0]}" if heads else ""], rows)


def reduction(case):
    axes = "all" if case["axes"] is None else ",".join(map(str, case["axes"]))
    return [f"{case['dtype']} {case['op']}{', exact' if case['exact'] else ''}", size(case["shape"]), axes]


def reduce(name):
    """On a GPU microseconds, on processors bandwidth and the share of reading."""
    data = load(name)
    cases, others = data["cases"], peers(data, data["cases"])
    heads = [head_of(peer) for peer in others]
    if data["device"]["id"] == "cpu":
        rows = [reduction(case) + [rate(case, "read", "gbs"), rate_and_share(case, "halfwarp")] +
                [rate(case, peer["name"], "gbs") for peer in others] for case in cases]
        unit = "GB/s of the array, and the share of what all cores reach when they only read it"
        return caption(name, data, cases, unit) + table(
            ["reduction", "array", "axes", "read", "Halfwarp"] + heads, rows)

    def us(case, who):
        found = ms(case, who)
        return "-" if found is None else f"{1000 * found:.1f}"

    rows = [reduction(case) + [us(case, "halfwarp"), rate(case, "halfwarp", "gbs")] +
            [us(case, peer["name"]) for peer in others] + [us(case, "copy")] for case in cases]
    unit = "microseconds, and GB/s of the array's bytes, read once; the copy reads and writes as many bytes"
    return caption(name, data, cases, unit) + table(
        ["reduction", "array", "axes", "Halfwarp us", "GB/s"] + [head + " us" for head in heads] + ["copy us"], rows)


def nearest(name):
    data = load(name)
    cases, others = data["cases"], peers(data, data["cases"])
    rows = []
    for case in cases:
        own = result(case, "halfwarp")
        queries = f", {case['queries']} queries" if case["queries"] else ""
        speed = (f"{digits(own['gpairs'] / 1000)} T pairs/s" if own.get("gpairs", 0) >= 1000 else
                 f"{digits(own['gpairs'])} G pairs/s" if "gpairs" in own else f"{digits(own['mqueries'])} M queries/s")
        rows.append([f"{case['dtype']} {case['data']} {case['n']}x{case['d']}{queries}", str(case["k"]),
                     "every pair" if case["method"] == "brute" else "index", digits(own["ms"]["median"]), speed] +
                    [digits(ms(case, peer["name"])) if ms(case, peer["name"]) else "-" for peer in others])
    return caption(name, data, cases, "milliseconds") + table(
        ["points", "k", "by", "Halfwarp ms", ""] +
        [head_of(peer) + (" ms, every pair" if peer["name"] == "torch" else " ms, tree built") for peer in others],
        rows)


# ---- Other files ----------------------------------------------------------------------------------------------------

def ladder(*names):
    """Rungs of several sizes side by side."""
    files = [load(name) for name in names]
    head, said = ["rung"], []
    for name, data in zip(names, files):
        extents = "x".join(str(extent) for extent in data["size"].values())
        head += [f"{extents} us", "GB/s", "of copy"]
        said.append(f"`bench/results/{name}` (commit {data['commit']})")
    rows = []
    for i, rung in enumerate(files[0]["rungs"]):
        row = [f"{rung['number']} {rung['rung']}"]
        for data in files:
            own = data["rungs"][i]
            row += [f"{own['ns_median'] / 1000:.1f}", digits(own["gbs"]), percent(own["share"])]
        rows.append(row)
    text = f"{files[0]['device']}, {files[0]['dtype']}: {', '.join(said)}."
    return textwrap.wrap(text, 120) + [""] + table(head, rows)


KERNELS = {"transpose_naive": "naive transpose {0}^2", "transpose_tile": "32x33-tile transpose {0}^2",
           "matmul_tiled": "16x16-tiled matrix product {0}^3"}


def simulation_speed(name):
    data = load(name)
    machine, method, rows = data["machine"], data.get("method"), []
    for kernel in data["kernels"]:
        runs = [kernel["thread_inst"] / each / 1e6 for each in kernel.get("runs_ms", [])]
        rows.append([KERNELS[kernel["kernel"]].format(kernel["size"]), f"{kernel['host_ms']['median']:.2f}",
                     f"{kernel['thread_inst_per_s'] / 1e9:.1f}",
                     f"{min(runs):.1f} to {max(runs):.1f}" if runs else "-",
                     f"{kernel['best_thread_inst_per_s'] / 1e9:.1f}", f"{kernel['c_loop_ms']['median']:.1f}"])
    runs = (f"the median of {method['runs']} runs of {method['processes']} processes of {method['launches']} launches "
            f"each, and between which medians the runs lie" if method else
            "one run of three processes of nine launches each: the median launch")
    text = (f"`bench/results/{name}`: {machine['cpu']}, {machine['processors']} cores, "
            f"{int(machine['memory'].split()[0]) // 1000000} GB; gcc {data['compiler']}; simulated GPU "
            f"{data['gpu'].upper()}; commit {data['commit']}; {runs}.")
    return textwrap.wrap(text, 120) + [""] + table(
        ["kernel", "host ms", "G inst/s", "runs", "best launch", "C loop ms"], rows)


def first_hour(name):
    lines = load(name).splitlines()
    said = " ".join(line.lstrip("# ") for line in lines if line.startswith("#"))
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    systems = list(dict.fromkeys(row["system"] for row in rows))
    cells = {(row["command"], row["system"]): f"{row['seconds']} ({row['processor_seconds']})"
             f"{', ' + row['note'] if row['note'] else ''}" for row in rows}
    commands = list(dict.fromkeys(row["command"] for row in rows))
    return textwrap.wrap(f"`bench/results/{name}`: {said}", 120) + [""] + table(
        ["seconds (of processors)"] + systems,
        [[f"`{command}`"] + [cells.get((command, system), "-") for system in systems] for command in commands])


def csv_rows(name):
    """A CSV file as it is, what its comments say above it."""
    lines = load(name).splitlines()
    said = " ".join(line.lstrip("# ") for line in lines if line.startswith("#"))
    cells = list(csv.reader(line for line in lines if not line.startswith("#")))
    return textwrap.wrap(f"`bench/results/{name}`: {said}", 120) + [""] + table(cells[0], cells[1:])


def rows_by_kind(name):
    """What stands above a file of bench/kinds.py, and its rows: of each kind, by whom."""
    lines = load(name).splitlines()
    said = " ".join(line.lstrip("# ") for line in lines if line.startswith("#"))
    found = {}
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        found.setdefault(row["kind"], {})[row["who"]] = row
    return said, found


def kinds(name):
    """Kernels by Halfwarp beside PoCL and C, all in PTX instructions of threads that Halfwarp counts."""
    said, found = rows_by_kind(name)

    def speed(row, key):
        return digits(int(row["count"]) / float(row[key]) / 1e6)

    def speed_of(who, by):
        return speed(by[who], "ms") if who in by else "-"

    def against(row):
        return f"{row['speed']} ({row['lower_speed']} to {row['upper_speed']})" if row["speed"] else "-"

    def with_quartiles(row):
        return f"{speed(row, 'ms')} ({speed(row, 'upper')} to {speed(row, 'lower')})"

    rows = [[kind, with_quartiles(by["profile"])] +
            [speed_of(who, by) for who in ("run", "opencl", "unrolled", "loops")] + [against(by["profile"])]
            for kind, by in found.items()]
    text = (f"`bench/results/{name}`: 10^9 PTX instructions of threads a second, or what the name of the kind says; "
            f"{said}. In brackets the quartiles.")
    return textwrap.wrap(text, 120) + [""] + table(
        ["kind", "profile", "run", "PoCL", "PoCL, unrolled", "C loops", "profile to PoCL's faster"], rows)


def programs(name):
    """Of each suite how many programs finish in the time that they were given, before and now."""
    lines = load(name).splitlines()
    said = " ".join(line.lstrip("# ") for line in lines if line.startswith("#"))
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    suites = list(dict.fromkeys(row["suite"] for row in rows)) + [None]

    def cells(suite):
        own = [row for row in rows if suite in (None, row["suite"])]
        ended = {when: [row[when] in ("right", "finished") for row in own] for when in ("before", "now")}
        both = [row for row, before, now in zip(own, ended["before"], ended["now"]) if before and now]
        seconds = [f"{sum(float(row[key]) for row in both):.0f}" for key in ("before_s", "now_s")]
        return [suite or "all", str(len(own))] + [f"{sum(ended[when])} ({percent(sum(ended[when]) / len(own))})"
                                             for when in ("before", "now")] + seconds

    return textwrap.wrap(f"`bench/results/{name}`: {said}", 120) + [""] + table(
        ["suite", "programs", "finish, before", "now", "s of those that finish in both, before", "now"],
        [cells(suite) for suite in suites])


def suites(name):
    """Of each suite how many programs are built and finish in their time; and which take longest of those."""
    lines = load(name).splitlines()
    said = " ".join(line.lstrip("# ") for line in lines if line.startswith("#"))
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    ended = [row for row in rows if row["outcome"] in ("right", "finished")]
    slowest = sorted(ended, key=lambda row: -float(row["seconds"]))[:10]

    def cells(suite):
        own = [row for row in rows if suite in (None, row["suite"])]
        built = [row for row in own if row["outcome"] != "not built"]
        done = [row for row in own if row in ended]
        right = sum(row["outcome"] == "right" for row in own)
        return [suite or "all", str(len(own)), str(len(built)), f"{len(done)} ({percent(len(done) / len(built))})",
                str(right), f"{sum(float(row['seconds']) for row in done):.0f}"]

    return textwrap.wrap(f"`bench/results/{name}`: {said}", 120) + [""] + table(
        ["suite", "programs", "built", "finish, of these", "right by their own check", "s of those that finish"],
        [cells(suite) for suite in list(dict.fromkeys(row["suite"] for row in rows)) + [None]]) + [""] + table(
        ["slowest that finish", "s", "s of processors"],
        [[f"{row['suite']} {row['program']}", row["seconds"], row["processor_seconds"]] for row in slowest])


def find(family, **wanted):
    for case in family["cases"]:
        if all(case[key] == value for key, value in wanted.items()):
            return case
    return fail(f"no case {wanted} of {family['family']}")


def operations(*names):
    """README's: one row or two of each family, what stands beside Halfwarp does the same job and is called alike."""
    by_family = {data["family"]: data for data in map(load, names)}
    rows = []
    case = find(by_family["transpose"], shape="8192,8192", dtype="f32", group="peers")
    rows.append(["transpose 8192x8192, f32", f"{percent(result(case, 'halfwarp')['share'])} of the driver's copy",
                 f"cuBLAS {percent(result(case, 'cublas')['share'])}"])
    case = find(by_family["matmul"], m=4096, n=4096, k=4096, dtype="f32", precision="fp32", layout="nn")
    own, other = result(case, "halfwarp"), result(case, "cublas")
    rows.append(["matrix product 4096^3, true fp32",
                 f"{digits(own['tflops'])} TFLOP/s, relative error {own['error']:.1e}",
                 f"cuBLAS {digits(other['tflops'])}, {other['error']:.1e}"])
    case = find(by_family["matmul"], m=4096, n=4096, k=4096, dtype="bf16")
    rows.append(["the same in bf16", f"{digits(result(case, 'halfwarp')['tflops'])} TFLOP/s",
                 f"cuBLAS {digits(result(case, 'cublas')['tflops'])}"])
    sums = by_family["reduce"]
    case = find(sums, shape=[268435456], dtype="f32", op="sum", exact=False)
    exact = find(sums, shape=[268435456], dtype="f32", op="sum", exact=True)
    rows.append(["sum of 2^28 f32", f"{digits(result(case, 'halfwarp')['gbs'])} GB/s; correctly rounded "
                 f"{digits(result(exact, 'halfwarp')['gbs'])}", f"CUB {digits(result(case, 'cub')['gbs'])}"])
    points = by_family["nearest"]
    pairs, index = (find(points, n=100000, d=3, k=1, dtype="f32", method=method) for method in ("brute", "auto"))
    rows.append(["nearest neighbours of 100,000 points, every pair", f"{digits(ms(pairs, 'halfwarp'))} ms",
                 f"PyTorch (cdist, topk) {digits(ms(pairs, 'torch'))} ms"])
    million = find(points, n=1000000, d=3, k=1, dtype="f32", data="uniform", queries=0)
    rows.append(["the same by an index, which is built each time",
                 f"{digits(ms(index, 'halfwarp'))} ms; of a million points {digits(ms(million, 'halfwarp'))}", "-"])
    return table(["operation", "Halfwarp", "beside it"], rows)


def advice_steps(name):
    """What the rung before each step is told, beside the step."""
    with open(path_of(name), newline="") as file:
        rows = list(csv.DictReader(file))
    lines = [f"{sum(bool(row['rule']) for row in rows)} of {len(rows)} steps are named.", "",
             "| ladder, rung | est. us | advice | would be | next rung | est. us | of the rung's | measured |",
             "|---|--:|---|--:|---|--:|--:|--:|"]
    for row in rows:
        step, measured = float(row["next_est_us"]) / float(row["est_us"]), row["next_measured"]
        lines.append(f"| {row['family']} `{row['rung']}` | {row['est_us']} | {row['rule'] or '-'} | "
                     f"{row['would_be_us'] or '-'} | `{row['next']}` | {row['next_est_us']} | {step:.2f} | "
                     f"{f'{float(measured):.2f}' if measured else '-'} |")
    return lines


KINDS = {"advice-steps": advice_steps, "simulation-speed": simulation_speed, "first-hour": first_hour, "rows": csv_rows,
         "kinds": kinds, "programs": programs, "suites": suites,
         "transpose": transpose, "transpose-ttc": transpose_ttc, "transpose-in-place": transpose_in_place, "transpose-host": transpose_host,
         "ladder": ladder, "matmul": matmul, "reduce": reduce, "nearest": nearest, "operations": operations}


# ---- Documents ------------------------------------------------------------------------------------------------------

def fill(text):
    def made(match):
        opening, kind, names, _, end = match.groups()
        if kind not in KINDS:
            fail(f"there is no table '{kind}'; there are {', '.join(KINDS)}")
        return opening + "\n".join(KINDS[kind](*names.split())) + "\n" + end
    return BLOCK.sub(made, text)


def tables_without_file(text):
    rest = BLOCK.sub("", text)
    return [line for line in rest.splitlines() if line.startswith("|")]


def main(words):
    if words not in ([], ["--check"]):
        fail("usage: tools/figures.py [--check]")
    differs = False
    for document, is_strict in DOCUMENTS.items():
        path = os.path.join(ROOT, document)
        with open(path) as file:
            text = file.read()
        filled = fill(text)
        for line in tables_without_file(text) if is_strict else []:
            print(f"{document}: a table has no file: {line}")
            differs = True
        if filled == text:
            continue
        if words:
            differs = True
            sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), filled.splitlines(True), document,
                                                       "from bench/results (tools/figures.py)"))
            continue
        with open(path + ".new", "w") as file:
            file.write(filled)
        os.replace(path + ".new", path)
    sys.exit(1 if differs else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
