"""Of Nsight Compute's CSV on standard input: a row for every launch until the first kernel comes again, behind the
fields given. Without any: the heading; --metrics: what Nsight Compute is asked for."""
import csv
import sys

L1 = "l1tex__t_%s_pipe_lsu_mem_global_op_%s.sum"
# By instrumented instructions, which leave out such as no lane executes, ptxas's own `@!PT LDS` among them.
INSTRUCTIONS = "smsp__sass_inst_executed_op_%s.sum"
WAVEFRONTS = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_%s.sum"
COLUMNS = {   # each the sum of its metrics
    "gld_requests": [L1 % ("requests", "ld")],
    "gld_sectors": [L1 % ("sectors", "ld")],
    "gst_requests": [L1 % ("requests", "st")],
    "gst_sectors": [L1 % ("sectors", "st")],
    "lds_inst": [INSTRUCTIONS % "shared_ld", INSTRUCTIONS % "ldsm"],
    "sts_inst": [INSTRUCTIONS % "shared_st", INSTRUCTIONS % "shared_stsm"],
    "lds_wavefronts": [WAVEFRONTS % "ld", WAVEFRONTS % "ldsm"],
    "sts_wavefronts": [WAVEFRONTS % "st", WAVEFRONTS % "stsm"],
    "occupancy_pct": ["sm__maximum_warps_per_active_cycle_pct"],
    "regs": ["launch__registers_per_thread"],
}


def size_of(text):
    """(8, 4, 1) as 8x4x1."""
    return "x".join(text.strip("()").replace(",", " ").split())


def launches_of(lines):
    """Of each launch, in order: its kernel, grid and block, and its metrics."""
    launches = {}
    for row in csv.DictReader(line for line in lines if line.startswith('"')):
        if not row["ID"].isdigit():
            continue   # the units
        kernel = (row["Kernel Name"], size_of(row["Grid Size"]), size_of(row["Block Size"]))
        launches.setdefault(row["ID"], (kernel, {}))[1][row["Metric Name"]] = row["Metric Value"].replace(",", "")
    return list(launches.values())


def first_run(launches):
    """The run repeats: it begins again where its first kernel does."""
    for i, (kernel, _) in enumerate(launches):
        if i and kernel == launches[0][0]:
            return launches[:i]
    return launches


def number(text):
    return float(text) if "." in text else int(text)


def main():
    if len(sys.argv) == 1:
        print("family,size,rung,launch,kernel,grid,block", *COLUMNS, sep=",")
    elif sys.argv[1] == "--metrics":
        print(*(metric for metrics in COLUMNS.values() for metric in metrics), sep=",")
    else:
        for i, (kernel, values) in enumerate(first_run(launches_of(sys.stdin))):
            sums = (sum(number(values[metric]) for metric in metrics) for metrics in COLUMNS.values())
            print(sys.argv[1], i, *kernel, *(f"{value:g}" if value % 1 else int(value) for value in sums), sep=",")


main()
