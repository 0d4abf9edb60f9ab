"""Compares findings with a table of cases: check_hazards.py TABLE FINDINGS.json SOURCES. Prints what differs."""
import glob
import json
import os
import re
import sys

# What a remedy speaks of, by whom the order is missing between.
REMEDIES = {"host": "cudaEventSynchronize()", "warp": "__syncwarp()", "block": "__syncthreads() between", "grid": "blocks have none of themselves",
            "cluster": "cluster.sync()", "row": "asking its mbarrier",
            "child": "by the kernel's own thread", "launch": "before a launch comes", "siblings": "launches into one stream",
            "proxy": "fence.proxy.async", "wait": "waits for it", "streams": "cudaStreamWaitEvent()"}


def marked_lines(folder):
    """{mark: {"file:line"}} of all lines that end with a comment of one word."""
    marks = {}
    for path in glob.glob(os.path.join(folder, "*.cu*")):
        with open(path) as source:
            for number, line in enumerate(source, 1):
                mark = re.search(r"[;}].*// (\w+)$", line)
                if mark:
                    marks.setdefault(mark[1], set()).add(f"{os.path.basename(path)}:{number}")
    return marks


def place_of(side, marked):
    """Where a side is. addr2line names the including file for clang's tables of the host's code: a marked line wins."""
    if "kernel" in side:
        return os.path.basename(f"{side['file']}:{side['line']}")
    line = side.get("site", "").rpartition(":")[2]
    return next((place for place in marked if place.endswith(":" + line)), line)


def case_of(finding, names, marks):
    """The case that a kernel's name has, or a line's mark where both sides are the host's."""
    for side in finding["sides"]:
        for name in re.findall(r"\w+", side.get("kernel", "")):
            if name in names:
                return name
    for name in names:
        marked = marks.get(name, set())
        if all(place_of(side, marked) in marked for side in finding["sides"]):
            return name
    return None


def compare(row, findings, marks):
    """What is wrong with the findings of one case."""
    name, kind, missing, others = row
    wanted = set().union(*(marks.get(mark, set()) for mark in [name] + others.split()))
    if not findings:
        return [f"{name}: not found"]
    wrong = []
    for finding in findings:
        lacks = next((who for who, text in REMEDIES.items() if text in finding["remedy"]), "")
        if finding["kind"] != kind or (kind == "race" and lacks not in missing.split()):
            wrong.append(f"{name}: {finding['kind']} of '{lacks}', not {kind} of '{missing}'")
    lines = {place_of(side, wanted) for finding in findings for side in finding["sides"]}
    if lines != wanted:
        wrong.append(f"{name}: lines {sorted(lines)}, not {sorted(wanted)}")
    return wrong


def main():
    table, found, folder = sys.argv[1:4]
    with open(table) as file:
        rows = [line.rstrip("\n").split("|") for line in file]
    with open(found) as file:
        findings = json.load(file)["findings"]
    marks = marked_lines(folder)
    by_case = {}
    for finding in findings:
        by_case.setdefault(case_of(finding, [row[0] for row in rows], marks), []).append(finding)
    wrong = [f"of no case: {finding['sides']}" for finding in by_case.get(None, [])]
    for row in rows:
        wrong += compare(row, by_case.get(row[0], []), marks)
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    return bool(wrong)


sys.exit(main())
