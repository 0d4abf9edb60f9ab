#!/usr/bin/env python3
"""Programs of public suites with their own default arguments under `halfwarp run`: which finish by themselves, with
what their own checks call right, in 60 seconds on two processors.

usage: bench/programs.py fetch SUITES
       bench/programs.py run [OPTIONS] BUILD SUITES OUT.csv

`fetch` clones the suites, at the commits of bench/programs.csv, which says how each program is built and started
and what it prints when it is right. `run` builds each (by clang; --compiler nvcc: by nvcc) and runs it once.

  --built FOLDER   where the programs are, or are built (build/programs)
  --build-only     runs none
  --seconds N      a program's time (60)
  --jobs N         so many beside each other, two processors each (1)
  --only REGEX     of suite/program

The list was made by a rule: every program of seven suites that has device code or calls the runtime, needs one GPU, no
library beside the runtime (or a window, MPI, OpenMP, the driver's interface, device-side launches), and no file that its
suite lacks; with the arguments of the suite's own run script, else none.

An outcome is `right` (the program's own check passed), `finished` (it has none), `wrong`, `fault`, `unsupported`,
`waived` (the program says that this GPU is not for it), `over the limit`, or `not built`. A program that is over the
limit by the clock while others use the machine, and has had less than two processors' N seconds, may be within it."""
import argparse
import csv
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LIST = os.path.join(HERE, "programs.csv")
CORES = 2
UNSUPPORTED, FAULT, WAIVED = 4, 5, 2     # halfwarp's exit statuses, and that of cuda-samples
# What the configure scripts of two suites write on Linux.
TIMERS = "#define HAVE_CLOCK_GETTIME 1\n#define HAVE_CLOCK_PROCESS_CPUTIME_ID 1\n#define HAVE_GETTIMEOFDAY 1\n" \
         "#define HAVE_SYS_TIME_H 1\n"
CONFIGURED = {
    "vetter+shoc/src/common/config.h": TIMERS + "#define HAVE_FLOAT_H 1\n#define HAVE_STDLIB_H 1\n"
                                                "#define HAVE_UNISTD_H 1\n#define restrict __restrict\n",
    "utcs-scea+altis/config/config.h": TIMERS,
}


def read_list(wanted=""):
    with open(LIST, newline="") as file:
        return [row for row in csv.DictReader(file) if re.search(wanted, row["suite"] + "/" + row["program"])]


def suite_folder(suites, row):
    return os.path.join(suites, row["repository"].replace("/", "+"))


def fetch(suites):
    for repository, commit in sorted({(row["repository"], row["commit"]) for row in read_list()}):
        folder = os.path.join(suites, repository.replace("/", "+"))
        commands = [["git", "-C", folder, "checkout", "-q", commit]]
        if not os.path.isdir(folder):
            commands.insert(0, ["git", "clone", "-q", "https://github.com/" + repository, folder])
        for command in commands:
            if subprocess.run(command, stdin=subprocess.DEVNULL).returncode != 0:
                sys.exit(f"bench/programs.py: {repository} cannot be had at {commit}, as git says above: what is there "
                         f"stays in {suites}, and `fetch` goes on from it")
    for path, text in CONFIGURED.items():
        os.makedirs(os.path.dirname(os.path.join(suites, path)), exist_ok=True)
        with open(os.path.join(suites, path), "w") as file:
            file.write(text)


def line_with(path, wanted):
    with open(path, errors="replace") as file:
        return next((line.strip()[:200] for line in file if re.search(wanted, line)), "")


class Runner:
    def __init__(self, options):
        self.halfwarp = os.path.abspath(os.path.join(options.build, "halfwarp"))
        self.suites, self.built = os.path.abspath(options.suites), os.path.abspath(options.built)
        self.options = options
        os.makedirs(self.built, exist_ok=True)

    def program(self, row):
        return os.path.join(self.built, row["suite"] + "-" + row["program"].replace("/", "-"))

    def build(self, row):
        """'' or why it cannot be built."""
        target = self.program(row)
        if os.access(target, os.X_OK):
            return ""
        command = [self.halfwarp, "nvcc", "-w", "--halfwarp-compiler", self.options.compiler] + row["flags"].split()
        with open(target + ".build", "w") as log:
            status = subprocess.run(command + row["files"].split() + ["-o", target], stdin=subprocess.DEVNULL,
                                    stdout=log, stderr=subprocess.STDOUT,
                                    cwd=os.path.join(suite_folder(self.suites, row), row["folder"])).returncode
        if status == 0:
            return ""
        return line_with(target + ".build", "error|undefined|fatal|unsupported") or f"the compiler's status is {status}"

    def start(self, row, processors):
        """Exit status (None: over the limit), seconds, processors' seconds."""
        command = ["taskset", "-c", processors, self.halfwarp, "run", self.program(row)] + shlex.split(row["arguments"])
        begin = time.monotonic()
        with open(self.program(row) + ".log", "w") as log:
            child = subprocess.Popen(command, cwd=os.path.join(suite_folder(self.suites, row), row["folder"]),
                                     stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                     env={**os.environ, "HALFWARP_CACHE": os.path.join(self.built, "cache")},
                                     start_new_session=True)
        late = threading.Timer(self.options.seconds, os.killpg, (child.pid, signal.SIGKILL))
        late.start()
        _, status, used = os.wait4(child.pid, 0)
        is_late = not late.is_alive()
        late.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        return None if is_late else child.returncode, time.monotonic() - begin, used.ru_utime + used.ru_stime

    def judge(self, row, status):
        """Outcome, and why."""
        log, expected = self.program(row) + ".log", int(row["status"])
        with open(log, errors="replace") as file:
            said = file.read()
        for bad, outcome in ((UNSUPPORTED, "unsupported"), (FAULT, "fault")):
            if status == bad != expected:
                return outcome, line_with(log, "halfwarp")
        if status == WAIVED and row["suite"] == "cuda-samples":
            return "waived", ""
        if status != expected:
            return "wrong", f"exit status {status}; " + line_with(log, "(?i)halfwarp|error|fail|not supp")
        bad = re.search(row["wrong"], said, re.M) if row["wrong"] else None
        if bad or not re.search(row["pattern"], said, re.M):
            return "wrong", "its check printed " + bad[0] if bad else "it did not print what it prints when it is right"
        return "right" if row["checks"] == "own" else "finished", ""

    def result_of(self, row, processors):
        why, seconds, used = self.build(row), 0, 0
        outcome = "not built" if why else "built"
        if not why and not self.options.build_only:
            status, seconds, used = self.start(row, processors)
            outcome, why = ("over the limit", "") if status is None else self.judge(row, status)
        is_known = outcome in ("right", "finished", "wrong", "fault", "unsupported", "waived")
        times = [f"{seconds:.2f}", f"{used:.2f}"] if is_known else ["", ""]
        return [row["suite"], row["program"], outcome] + times, why


def run(options):
    rows = read_list(options.only)
    runner, found, lock, queue = Runner(options), {}, threading.Lock(), list(rows)
    usable = sorted(os.sched_getaffinity(0))
    places = [usable[k * CORES:(k + 1) * CORES] for k in range(options.jobs)]
    if len(places[-1]) < min(CORES, len(usable)):
        sys.exit(f"programs.py: {options.jobs} beside each other need {options.jobs * CORES} processors")

    def work(processors):
        while True:
            with lock:
                if not queue:
                    return
                row = queue.pop(0)
            result, why = runner.result_of(row, ",".join(map(str, processors)))
            with lock:
                found[row["suite"], row["program"]] = result
                print(" ".join(result), why, flush=True)

    threads = [threading.Thread(target=work, args=(place,)) for place in places]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with open(options.out, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["suite", "program", "outcome", "seconds", "processor_seconds"])
        writer.writerows(found[row["suite"], row["program"]] for row in rows)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("fetch").add_argument("suites")
    runs = commands.add_parser("run")
    for name in ("build", "suites", "out"):
        runs.add_argument(name)
    runs.add_argument("--built", default=os.path.join(HERE, "..", "build", "programs"))
    runs.add_argument("--build-only", action="store_true")
    runs.add_argument("--compiler", choices=("clang", "nvcc"), default="clang")
    runs.add_argument("--seconds", type=float, default=60)
    runs.add_argument("--jobs", type=int, default=1)
    runs.add_argument("--only", default="")
    options = parser.parse_args()
    if options.command == "fetch":
        fetch(options.suites)
    else:
        run(options)


if __name__ == "__main__":
    main()
