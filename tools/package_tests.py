#!/usr/bin/env python3
"""Runs the own tests of Python packages on Halfwarp, file by file, and keeps what came of each test:

    tools/package_tests.py numba-cuda --python VENV/bin/python --data bench/results/python_packages.json [FILE...]
    tools/package_tests.py cupy --tests CUPY/tests/cupy_tests/core_tests ...
    tools/package_tests.py --data bench/results/python_packages.json --table

--peer runs the package's own simulator instead, whose times are kept beside. A file that is kept already is not run
again, unless it is named. The table is that of docs/compatibility.md. This file is pytest's plugin as well, by which
each test's outcome is written as soon as it is known: a file that crashes or takes too long loses only what comes
behind."""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

from limited import run

# What a package's tests are, where they lie (None: in the package), which of them count, and how its own simulator of a
# GPU is asked for. slow: the mark of tests that the package's own continuous integration leaves out; they are counted.
PACKAGES = {
    "numba-cuda": {"module": "numba.cuda.tests.cudapy", "files": "test_*.py", "env": {}, "slow": None,
                   "peer": {"NUMBA_ENABLE_CUDASIM": "1"}, "peer_name": "NUMBA_ENABLE_CUDASIM"},
    "cupy": {"module": None, "files": "test_*.py", "env": {"CUPY_TEST_GPU_LIMIT": "1"}, "slow": "slow", "peer": None,
             "peer_name": None},
    "tinygrad": {"module": None, "files": "test_ops.py", "env": {"DEV": "CUDA"}, "slow": None,
                 "peer": {"DEV": "MOCKKFD+AMD:LLVM"}, "peer_name": "its mock GPU"},
}


# What no call of a process recovers from, here as on a GPU.
FAULTED = 77
STICKY = re.compile(r"ILLEGAL_ADDRESS|LAUNCH_FAILED|CUDA_ERROR_ASSERT|MISALIGNED_ADDRESS|cudaErrorIllegalAddress|"
                    r"cudaErrorLaunchFailure|cudaErrorAssert|cudaErrorMisalignedAddress|an illegal memory access")


# ---- the plugin, in pytest's process ----

if "pytest" in sys.modules:
    import pytest

    @pytest.fixture(scope="class")
    def initialize_from_pytest_config(request):
        """Of numba-cuda's conftest.py, which its wheel lacks."""
        request.cls._dump_failed_filechecks = False


def keep(record):
    with open(os.environ["HALFWARP_TESTS_KEPT"], "a", encoding="utf-8") as f:
        f.write(json.dumps(record) + "\n")


def pytest_collection_modifyitems(config, items):
    """Without those that are another process's part, that are marked as slow, that an earlier process of the same part
    has run, or that ended it."""
    told = json.loads(os.environ["HALFWARP_TESTS_WANTED"])
    part = items[told["part"]::told["parts"]]
    left = [item for item in part if not (told["slow"] and item.get_closest_marker(told["slow"]))]
    keep({"collected": len(left), "slow": len(part) - len(left)})
    left = [item for item in left if item.nodeid.split("::", 1)[-1] not in told["done"]]
    config.hook.pytest_deselected(items=[item for item in items if item not in left])
    items[:] = left


def pytest_sessionfinish():
    keep({"ended": True})


def processors():
    """Seconds so far, of this process, all of its threads, and of those that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


begun_at = [0.0]


def pytest_runtest_logstart(nodeid):
    begun_at[0] = processors()
    keep({"begun": nodeid.split("::", 1)[-1]})


def pytest_runtest_logreport(report):
    outcome = "expected" if hasattr(report, "wasxfail") else report.outcome
    if report.when == "call" or outcome != "passed":
        text = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr or "")
        errors = [line for line in text.splitlines() if line.startswith("E  ")]
        why = (errors or text.splitlines() or [""])[0].lstrip("E ").strip()
        keep({"test": report.nodeid.split("::", 1)[-1], "outcome": outcome, "why": why[:300],
              "seconds": round(processors() - begun_at[0], 3)})
        if outcome == "failed" and STICKY.search(text):
            os._exit(FAULTED)   # the tests behind it go on in another process


# ---- the script ----

def run_part(command, env, limit, wanted):
    """The records of a part of a file's tests, what was said, the status, seconds of the processors. Behind a test that
    ends the process the others go on in another one."""
    begin = time.time()
    records, said, status, seconds = [], "", 0, 0.0
    with tempfile.TemporaryDirectory() as place:
        kept = pathlib.Path(place) / "kept"
        while True:
            kept.write_text("")
            done = [r["test"] for r in records if "test" in r]
            status, text, spent = run(command, place, max(1, limit - (time.time() - begin)), dict(
                os.environ, HALFWARP_TESTS_KEPT=str(kept), HALFWARP_TESTS_WANTED=json.dumps(dict(wanted, done=done)),
                **env))
            said += text
            seconds += spent
            new = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
            records += new
            begun = [r["begun"] for r in new if "begun" in r]
            has_died = status is not None and begun and not any("ended" in r for r in new)
            if not has_died:
                return records, said, status, seconds
            if begun[-1] not in [r.get("test") for r in new]:
                records.append({"test": begun[-1], "outcome": "failed", "why": f"ended the process: {status}"})


def run_file(given, files, env, slow):
    """One file's tests, in as many processes as asked for: counts of outcomes, failures with their reason, seconds of
    the processors."""
    begin = time.time()
    command = [given.python, "-m", "pytest", "-q", "-p", "package_tests", "-p", "no:cacheprovider", "--tb=short",
               "--import-mode=importlib", "--disable-warnings"] + files
    if not given.peer:
        command = [str(pathlib.Path(given.halfwarp).resolve()), "run", "--"] + command
    with concurrent.futures.ThreadPoolExecutor(given.parts) as threads:
        parts = list(threads.map(lambda part: run_part(command, env, given.limit, {
            "slow": slow, "part": part, "parts": given.parts}), range(given.parts)))
    result = summed([records for records, _, _, _ in parts])
    if not given.each:
        del result["seconds"]
    said = "".join(part[1] for part in parts)
    result["processor_s"] = round(sum(part[3] for part in parts), 1)
    result["clock_s"] = round(time.time() - begin, 1)
    result["exit"] = next((part[2] for part in parts if part[2] != 0), 0)
    result["refused"] = sorted({m for m in re.findall(r"halfwarp: (?:.*: )?(\w+) is not supported", said)})
    if any(part[2] is None for part in parts):
        result["end"] = f"over {given.limit} s"
    elif not result["collected"]:
        result["end"] = (said.strip().splitlines() or ["?"])[-1][:200]
    return result


def most(records, key):
    return max([r.get(key, 0) for r in records] + [0])


def summed(parts):
    outcomes = {}
    for record in sum(parts, []):
        if "test" in record and outcomes.get(record["test"], {}).get("outcome") != "failed":
            outcomes[record["test"]] = record
    counts = collections.Counter(r["outcome"] for r in outcomes.values())
    collected = sum(most(records, "collected") for records in parts)
    return {"collected": collected, "slow": sum(most(records, "slow") for records in parts),
            "passed": counts["passed"] + counts["expected"], "skipped": counts["skipped"],
            "failed": counts["failed"], "not_run": max(0, collected - len(outcomes)),
            "failures": {name: r["why"] for name, r in sorted(outcomes.items()) if r["outcome"] == "failed"},
            "seconds": {name: r["seconds"] for name, r in sorted(outcomes.items()) if r["outcome"] == "passed"}}


def files_of(package, given):
    """(name, what pytest is told) of each file."""
    if package["module"]:
        place = subprocess.run([given.python, "-c", f"import {package['module']} as m; print(m.__path__[0])"],
                               capture_output=True, text=True, check=True).stdout.split()[-1]
        for f in sorted(pathlib.Path(place).glob(package["files"])):
            yield f.stem, ["--pyargs", f"{package['module']}.{f.stem}"]
    else:
        for f in sorted(given.tests.resolve().glob(package["files"])):
            yield f.stem, [str(f), "--rootdir", str(f.parent)]


def share(result):
    ran = result["passed"] + result["failed"] + result["not_run"]
    return 100 * result["passed"] / ran if ran else None


def is_ended(result):
    return result.get("end", "").startswith("over")


def seconds_of(result):
    """What a file that was ended took is not known: processes that are killed do not tell."""
    return "-" if is_ended(result) else result["processor_s"]


def seconds_of_peer(result):
    """At least: of the processes that came to their end."""
    return f"over {result['processor_s']}" if is_ended(result) and result["processor_s"] else seconds_of(result)


def table(data):
    rows = []
    for name, files in sorted(data.items()):
        peer = PACKAGES[name]["peer_name"]
        rows += ["", f"**{name}**", "", "| file | passes | fails | not run | slow | skipped | share | processor s | " +
                 (f"of {peer} |" if peer else "|"), "|---|---|---|---|---|---|---|---|---|"]
        total = collections.Counter()
        for f, kinds in sorted(files.items()):
            ours, other = kinds.get("halfwarp"), kinds.get("peer")
            if not ours:
                continue
            part = share(ours)
            rows.append(f"| {f} | {ours['passed']} | {ours['failed']} | {ours['not_run']} | " +
                        f"{ours.get('slow', 0)} | {ours['skipped']} | " +
                        (f"{part:.1f}%" if part is not None else "") + f" | {seconds_of(ours)} | " +
                        (f"{seconds_of_peer(other)} |" if other else "|"))
            total.update({k: ours.get(k, 0) for k in ("passed", "failed", "not_run", "slow", "skipped")})
            total["processor_s"] += 0 if is_ended(ours) else ours["processor_s"]
        if total:
            part = share(total)
            rows.append(f"| all | {total['passed']} | {total['failed']} | {total['not_run']} | " +
                        f"{total['slow']} | {total['skipped']} | " +
                        f"{part:.1f}% | {total['processor_s']:.0f} | |")
    return "\n".join(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", nargs="?", choices=sorted(PACKAGES))
    parser.add_argument("only", nargs="*", help="files, without .py")
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--tests", type=pathlib.Path, help="the folder of the tests")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--halfwarp", default="build/halfwarp")
    parser.add_argument("--limit", type=int, default=300, help="seconds by the clock for one file")
    parser.add_argument("--at-once", type=int, default=1, help="files at a time")
    parser.add_argument("--parts", type=int, default=1, help="processes for one file's tests")
    parser.add_argument("--each", action="store_true", help="keep the processors' seconds of each test that passes")
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    data = json.loads(given.data.read_text()) if given.data.exists() else {}
    if given.table:
        print(table(data).strip())
        return 0
    if not given.package or (given.peer and not PACKAGES[given.package]["peer"]):
        parser.error("which package, and has it a simulator of its own?")
    package = PACKAGES[given.package]
    kind = "peer" if given.peer else "halfwarp"
    env = dict(package["env"], **(package["peer"] if given.peer else {}))
    # The plugin, and a checkout whose tests import each other and the package from there.
    roots = [pathlib.Path(__file__).resolve().parent]
    roots += [p for p in given.tests.resolve().parents if (p / "pyproject.toml").exists()] if given.tests else []
    env["PYTHONPATH"] = os.pathsep.join([str(root) for root in roots] + [os.environ.get("PYTHONPATH", "")])
    lock = threading.Lock()

    def try_one(name, wanted):
        result = run_file(given, wanted, env, package["slow"])
        with lock:
            data.setdefault(given.package, {}).setdefault(name, {})[kind] = result
            print(name, {k: v for k, v in result.items() if k not in ("failures", "seconds")}, flush=True)
            given.data.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n")

    known = data.get(given.package, {})
    wanted = [f for f in files_of(package, given)
              if (f[0] in given.only if given.only else kind not in known.get(f[0], {}))]
    with concurrent.futures.ThreadPoolExecutor(given.at_once) as threads:
        list(threads.map(lambda f: try_one(*f), wanted))
    return 0


if __name__ == "__main__":
    sys.exit(main())
