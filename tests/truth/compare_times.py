"""compare_times.py TIMES LABELS PROFILE: the estimates of a profile beside an H200's times, by family of kernels.

TIMES: h200_times.csv, "label,microseconds". LABELS: what times.cu printed, "ordinal,label". PROFILE: the CSV of
`halfwarp profile`. The times are of launches in a row, est_us of one by itself. Prints a row for each launch, and for
each family the median and the largest relative difference.
"""
import collections
import csv
import re
import statistics
import sys


LOOP_US = 3.7   # that machine let pass between launches: one that does next to nothing took 4.5 us, 0.8 by a profiler


def read_times(path):
    with open(path) as file:
        return {label: float(us) for label, us in (line.rstrip("\n").rsplit(",", 1) for line in file)}


def time_of(times, label):
    """Three copies ran on 2^24 elements instead of 2^26: a quarter of the time, and of a launch the rest."""
    if label in times:
        return times[label]
    return times[label.replace("2^24", "2^26")] / 4 + 3


def main(times_path, labels_path, profile_path):
    times = read_times(times_path)
    with open(labels_path) as file:
        labels = [line.rstrip("\n").split(",", 1)[1] for line in file if re.match(r"\d+,", line)]
    families = collections.defaultdict(list)
    with open(profile_path) as file:
        for label, row in zip(labels, csv.DictReader(file), strict=True):
            us, estimate = time_of(times, label), float(row["est_us"]) + LOOP_US
            difference = estimate / us - 1
            families[re.match(r"\w+", label).group()].append((abs(difference), difference, label))
            print(f"{label:45} {us:9.2f} us, {estimate:9.2f} estimated: {100 * difference:+4.0f}%, {row['est_bound']}")
    families["in all"] = [row for rows in families.values() for row in rows]
    for family, rows in families.items():
        _, worst, label = max(rows)
        median = statistics.median(row[0] for row in rows)
        print(f"{family:20} {len(rows):3} rows, median {100 * median:3.0f}%, worst {100 * worst:+4.0f}%, {label}")


main(*sys.argv[1:4])
