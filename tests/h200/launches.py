"""Of Nsight Compute's CSV on standard input: a row for every launch until the first kernel comes again, behind the
fields given. Without any: the heading."""
import csv
import sys

METRICS = {
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "gld_requests",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "gld_sectors",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": "gst_requests",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "gst_sectors",
    "smsp__inst_executed_op_shared_ld.sum": "lds_inst",
    "smsp__inst_executed_op_shared_st.sum": "sts_inst",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "lds_wavefronts",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "sts_wavefronts",
    "sm__maximum_warps_per_active_cycle_pct": "occupancy_pct",
    "launch__registers_per_thread": "regs",
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


def main():
    if len(sys.argv) == 1:
        print("family,size,rung,launch,kernel,grid,block", *METRICS.values(), sep=",")
        return
    for i, (kernel, values) in enumerate(first_run(launches_of(sys.stdin))):
        print(sys.argv[1], i, *kernel, *(values.get(metric, "") for metric in METRICS), sep=",")


main()
