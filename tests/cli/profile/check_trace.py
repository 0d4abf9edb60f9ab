#!/usr/bin/env python3
"""check_trace.py TRACE WORK: is the trace one that a viewer draws rightly, and does it have what profile's table of work
(--copies --format csv) has? Prints what is wrong; exit status 1 then."""
import csv
import json
import sys

complaints = []


def check_nesting(events):
    """Spans of a track lie behind each other or within each other, in whole nanoseconds, which Perfetto keeps of begins
    and lengths: it drops what overlaps by one."""
    tracks = {}
    for event in events:
        tracks.setdefault((event["pid"], event["tid"]), []).append(
            (round(event["ts"] * 1e3), -round(event["dur"] * 1e3), event["name"]))
    for track, spans in tracks.items():
        open_until = []
        for begin, minus_length, name in sorted(spans):
            end = begin - minus_length
            while open_until and open_until[-1] <= begin:
                open_until.pop()
            if open_until and end > open_until[-1]:
                complaints.append(f"track {track}: {name} at {begin} ns overlaps what began before it")
            open_until.append(end)


def check_work(events, rows):
    """Each row of the table is a span of its stream, and their times are the same."""
    # A copy is on its stream's track and on its engine's.
    spans = sorted((round(e["ts"], 3), e["name"], e["tid"] - 1000, round(e["dur"], 3)) for e in events
                   if e["cat"] in ("kernel", "copy", "set") and e["tid"] < 1000000)
    wanted = sorted((float(r["start_us"]), r["what"], int(r["stream"]), float(r["us"])) for r in rows)
    if len(spans) != len(wanted):
        complaints.append(f"{len(spans)} spans for {len(wanted)} rows")
    for span, row in zip(spans, wanted):
        if span[1:3] != row[1:3] or abs(span[0] - row[0]) > 0.002 or abs(span[3] - row[3]) > 0.002:
            complaints.append(f"{span} is not {row}")


def check_counters(events):
    """They come to nothing where nothing runs."""
    last = {}
    for event in events:
        last[event["name"]] = event["args"]["value"]
        if event["args"]["value"] < 0:
            complaints.append(f"{event['name']} is negative")
    complaints.extend(f"{name} ends at {value}" for name, value in last.items() if value != 0)
    if len(last) < 3:
        complaints.append(f"counters: {sorted(last)}")


with open(sys.argv[1], encoding="utf-8") as file:
    trace = json.load(file)["traceEvents"]
with open(sys.argv[2], encoding="utf-8") as file:
    table = list(csv.DictReader(file))
complete = [e for e in trace if e["ph"] == "X"]
check_nesting(complete)
check_work(complete, table)
check_counters([e for e in trace if e["ph"] == "C"])
named = {(e["pid"], e["tid"]) for e in trace if e["ph"] == "M" and e["name"] == "thread_name"}
complaints.extend(f"track {track} has no name" for track in sorted({(e["pid"], e["tid"]) for e in complete} - named))
print("\n".join(complaints[:20]))
sys.exit(bool(complaints))
