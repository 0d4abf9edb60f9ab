#!/usr/bin/env python3
"""What a page of `profile --report` costs, and whether a browser draws it: of the examples and of two programs of
NVIDIA's cuda-samples, compiled before.

usage: bench/pages.py HALFWARP CUDA_SAMPLES OUT.csv [--axe AXE.min.js] [--pictures FOLDER]

A row has the page's size, the median seconds of five runs each without and with the page, in turns, by the clock and of
the processors, how long Chromium takes until the page is drawn, what it complains of, and what axe-core finds that is
serious. --pictures keeps the pages, and each as a desk, a dark one, a phone and paper show it."""
import argparse
import csv
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SAMPLES = "Samples/2_Concepts_and_Techniques"
# name in the table, options, sources (compiled into one program where there are several)
PROGRAMS = [
    ("examples/transpose.cu", [], [ROOT / "examples/transpose.cu"]),
    ("examples/race.cu, --check", ["--check"], [ROOT / "examples/race.cu"]),
    ("cuda-samples reduction", [], [f"{SAMPLES}/reduction/reduction.cpp", f"{SAMPLES}/reduction/reduction_kernel.cu"]),
    ("cuda-samples histogram", [], [f"{SAMPLES}/histogram/{name}" for name in
                                    ("main.cpp", "histogram_gold.cpp", "histogram64.cu", "histogram256.cu")]),
]
RUNS = 5
PICTURES = {"light": ["--window-size=1400,1800"], "phone": ["--window-size=500,1600"],
            "dark": ["--window-size=1400,1800", "--blink-settings=preferredColorScheme=0"]}
FIELDS = ["program", "launches", "page, kB", "without, s", "of processors", "with the page, s", "of processors",
          "drawn, ms", "complaints", "serious for axe"]


def program_of(halfwarp, samples, sources, folder):
    if len(sources) == 1:
        return sources[0]
    program = folder / pathlib.Path(sources[0]).parent.name
    command = [halfwarp, "nvcc", "-std=c++17", "-O3", "-lineinfo", "-w", "-I", samples / "Common", "-o", program]
    subprocess.run(command + [samples / source for source in sources], check=True)
    return program


def run(command):
    """Seconds by the clock and of the processors, of the whole process tree; and what the command said."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        clock = time.monotonic() - begin
        out.seek(0)
        said = out.read().decode(errors="replace")
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{' '.join(map(str, command))} failed:\n{said[-2000:]}")
    return clock, usage.ru_utime + usage.ru_stime


def browser(page, *options):
    """What Chromium prints, and what it complains of."""
    with tempfile.TemporaryDirectory() as home:
        found = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--enable-logging=stderr", *options, page.as_uri()], capture_output=True, text=True, timeout=300,
            env=dict(os.environ, HOME=home))
    return found.stdout, re.findall(r".*(?:CONSOLE|Uncaught).*", found.stderr)


def with_script(page, folder, text):
    changed = folder / "changed.html"
    changed.write_text(page.read_text().replace("</body>", f"<script>{text}</script></body>"))
    return changed


def drawn(page, folder):
    """Milliseconds until all of the page's own script has run, and the browser's complaints."""
    last = with_script(page, folder, "document.title = 'drawn in ' + performance.now();")
    found, complaints = browser(last, "--dump-dom")
    return float(re.search(r"<title>drawn in ([\d.]+)", found)[1]), complaints


def serious(page, folder, axe):
    if not axe:
        return "-"
    asked = with_script(page, folder, axe.read_text().replace("</script", "<\\/script") + """
        axe.run().then(found => document.title = 'axe ' + JSON.stringify(found.violations.map(v => v.impact)));""")
    found, _ = browser(asked, "--dump-dom", "--virtual-time-budget=60000")
    impacts = json.loads(re.search(r"<title>axe (.*?)</title>", found)[1])
    return sum(impact in ("serious", "critical") for impact in impacts)


def row_of(halfwarp, name, options, program, folder, axe):
    page = folder / (re.sub(r"\W+", "-", name) + ".html")
    plain = [halfwarp, "profile", *options, "-o", os.devnull]
    both = [plain + [program], plain + ["--report", page, program]]
    run(both[1])
    times = ([], [])
    for i in range(RUNS):
        for which in ((0, 1), (1, 0))[i % 2]:
            times[which].append(run(both[which]))
    medians = [f"{statistics.median(each):.2f}" for found in times for each in zip(*found)]
    data = json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(), re.DOTALL)[1])
    launches = sum(row["launches"] for row in data["profile"]["summary"])
    milliseconds, complaints = drawn(page, folder)
    for complaint in complaints:
        print(f"{name}: {complaint}", file=sys.stderr)
    return page, [name, launches, page.stat().st_size // 1000, *medians, f"{milliseconds:.0f}", len(complaints),
                  serious(page, folder, axe)]


def keep_pictures(page, folder):
    folder.mkdir(exist_ok=True)
    kept = folder / page.name
    kept.write_bytes(page.read_bytes())
    for name, options in PICTURES.items():
        browser(kept, *options, f"--screenshot={kept.with_suffix('')}.{name}.png", "--virtual-time-budget=5000")
    browser(kept, f"--print-to-pdf={kept.with_suffix('.pdf')}", "--virtual-time-budget=5000")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("halfwarp", type=pathlib.Path)
    parser.add_argument("samples", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--axe", type=pathlib.Path)
    parser.add_argument("--pictures", type=pathlib.Path)
    words = parser.parse_args()
    halfwarp = words.halfwarp.resolve()
    with tempfile.TemporaryDirectory() as name, open(words.out, "w", newline="") as out:
        folder, table = pathlib.Path(name), csv.writer(out, lineterminator="\n")
        table.writerow(FIELDS)
        for title, options, sources in PROGRAMS:
            program = program_of(halfwarp, words.samples.resolve(), sources, folder)
            page, row = row_of(halfwarp, title, options, program, folder, words.axe)
            table.writerow(row)
            out.flush()
            if words.pictures:
                keep_pictures(page, words.pictures.resolve())


if __name__ == "__main__":
    main()
