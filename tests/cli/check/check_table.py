"""The table of docs/check.md that says which programs of tests/check the tests run at which levels by which compilers,
made from these tests: check_table.py SCRIPTS DOCUMENT [--write]. Without --write it prints how the document differs, and
exits with 1 where it does."""
import difflib
import pathlib
import re
import sys

BEGIN, END = "<!-- programs: made by tests/cli/check/check_table.py -->\n", "<!-- end -->\n"
# What is found: kind, whom the order is missing between where there are several.
ROWS = [
    ("race: threads of a block", "race", ("block",)), ("race: lanes of a warp", "race", ("warp",)),
    ("race: blocks of a launch", "race", ("grid",)), ("race: blocks of a cluster", "race", ("cluster",)),
    ("race: asynchronous copies", "race", ("wait", "row", "proxy")), ("race: streams, copies and sets", "race", ("streams",)),
    ("race: kernels that kernels launch", "race", ("launch", "child", "siblings")),
    ("race: the host and asynchronous copies", "race", ("host",)), ("uninitialised", "uninitialised", ()),
    ("outside of the allocation or variable", "bounds", ()), ("of freed memory", "use-after-free", ()),
    ("misaligned", "misaligned", ()), ("barriers and masks", "barrier", ()), ("threads that wait for ever", "deadlock", ()),
    ("host: frees", "free", ()), ("host: copies and sets", "copy", ()),
    ("host: handles", "handle", ()), ("host: launches", "launch", ()), ("host: errors", "error", ()),
    ("host: leaks", "leak", ()), ("arithmetic", "arithmetic", ()),
]
LEVELS = ("-O0", "-O3", "-G")
COMPILERS = ("clang", "nvcc")


def cases_of(text):
    """(kind, whom the order is missing between) of each case of a script."""
    cases = re.findall(r"^\w+\|([\w-]+)\|([\w ]*)\|[\w ]*$", text, re.M)
    for names, kind in re.findall(r"^ +for name in ([\w ]+); do\n(?:.*\n)*? +finds (\w+) ", text, re.M):
        cases += [(kind, "")] * len(names.split())
    return cases


def runs_of(text):
    """What a script runs its cases by: pairs of a compiler and a level."""
    compilers = re.search(r"for compiler in ([\w ]+);", text)[1].split()
    levels = re.search(r"for options in (.*); do", text)[1]
    # levels_of of check.bash leaves out nvcc's -O3, whose PTX is that of -O0.
    same = "levels_of" in levels
    return {(compiler, level) for compiler in compilers for level in LEVELS if same or level in levels}


def table_of(folder):
    counts = {}
    for script in sorted(folder.glob("check_*.sh")):
        text = script.read_text()
        if "for compiler in" not in text:
            continue
        for kind, whom in cases_of(text):
            name = next(name for name, of, who in ROWS if of == kind and (not who or whom.split()[-1] in who))
            for run in runs_of(text):
                counts.setdefault(name, {}).setdefault(run, 0)
                counts[name][run] += 1
    heads = [f"{compiler} {level}" for compiler in COMPILERS for level in LEVELS]
    lines = ["| hazard | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for name, _, _ in ROWS:
        cells = [str(counts[name].get((c, l), "-")) for c in COMPILERS for l in LEVELS] if name in counts else []
        lines += [f"| {name} | " + " | ".join(cells) + " |"] if cells else []
    return "\n".join(["", *lines, ""]) + "\n"


def main():
    folder, document = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    old = document.read_text()
    before, rest = old.split(BEGIN)
    new = before + BEGIN + table_of(folder) + END + rest.split(END, 1)[1]
    if "--write" in sys.argv:
        document.write_text(new)
        return 0
    sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), str(document), "the tests"))
    return int(old != new)


if __name__ == "__main__":
    sys.exit(main())
