#!/usr/bin/env bash
# Makes tests/data/ptxas_registers.csv anew: registers per thread that ptxas gives the kernels of recorded PTX, and the
# blocks of 256 threads that a multiprocessor holds of each, against which cli.register_estimates judges the
# estimate. usage: tools/record_registers.sh [BUILD]; needs ptxas on PATH.
set -eu
cd "$(dirname "$0")/.."
halfwarp=$(cd "${1:-build}" && pwd)/halfwarp
out=tests/data/ptxas_registers.csv

version=$(ptxas --version | sed -n 's/.*, V//p')
{
    echo "# By ptxas $version, as halfwarp occupancy --block 256 reports it."
    echo "file,gpu,kernel,block,regs,blocks"
    for file in tests/truth/recorded/ladder.ptx kernels/recorded/sm_*/*.ptx; do
        case $file in *sm_75*) gpu=t4 ;; *) gpu=h200 ;; esac
        "$halfwarp" occupancy --gpu $gpu --block 256 --format csv "$file" > "$out.one"
        python3 - "$file" $gpu "$out.one" << 'END'
import csv, sys
path, gpu, report = sys.argv[1:]
rows = csv.writer(sys.stdout, lineterminator="\n")
for row in csv.DictReader(open(report)):
    assert row["regs_estimated"] == "0", "no ptxas that knows " + path
    rows.writerow([path, gpu, row["kernel"], 256, row["regs"], row["blocks"]])
END
    done
} > "$out.new"
rm "$out.one"
mv "$out.new" "$out"
wc -l "$out"
