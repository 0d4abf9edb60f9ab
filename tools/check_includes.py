#!/usr/bin/env python3
"""Holds the order of modules in docs/design.md: what the files of a module may see, included by themselves or by what
they include. Prints each include that breaks it, and the way there; exit status 1 then."""
import fnmatch
import os
import re
import sys

# docs/design.md has the rows: `module -> what its files may see besides base and the installed headers`: modules, and,
# with a slash, single files of a module (`exec/fault.h`, `kernels/*/ladder.def`). A folder of src/ is a module, as are
# shim, cli and bench; folders within one are its rooms, which see each other.
DESIGN = "docs/design.md"
PLACES = ["src", ".", "include", "cli", "bench", "shim"]
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>|(.*))')


def read_design():
    """What each module may see, and the folders that the page draws."""
    with open(DESIGN, encoding="utf-8") as page:
        lines = page.read().splitlines()
    rows = [re.match(r"(\w+) +->(.*)", line) for line in lines]
    may_see = {row.group(1): set(row.group(2).split()) for row in rows if row}
    drawn = {match.group(1) for match in (re.match(r"((?:src/\w+|shim|cli|bench)/) ", line) for line in lines) if match}
    return may_see, drawn


def module_of(path):
    parts = path.split("/")
    return parts[1] if parts[0] == "src" else parts[0]


def is_allowed(path, allowed):
    """May a file be seen by who may see these modules and single files?"""
    name = path[len("src/"):] if path.startswith("src/") else path
    return module_of(path) in allowed or any(fnmatch.fnmatchcase(name, file) for file in allowed if "/" in file)


def sources():
    for top in ["src", "shim", "cli", "bench"]:
        for folder, _, names in os.walk(top):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".def")):
                    yield os.path.normpath(os.path.join(folder, name))


def found(file, header, is_quoted):
    """The path of a header that `file` names, or None: one that the build makes, or the system's."""
    for place in [os.path.dirname(file)] * is_quoted + PLACES:
        path = os.path.normpath(os.path.join(place, header))
        if os.path.isfile(path):
            return path
    return None


def headers_of(file, problems):
    """The headers that a file names, with whether in quotes. Who may see one that a macro names cannot be told."""
    with open(file, encoding="utf-8") as text:
        for match in filter(None, map(INCLUDE.match, text)):
            quoted, bracketed, other = match.groups()
            if other is None:
                yield quoted or bracketed, quoted is not None
            else:
                problems.append(f"{file}: {other.strip()} is no header's name; write it in quotes")


def includes_of(files, problems):
    graph = {}
    waiting = list(files)
    while waiting:
        file = waiting.pop()
        if file in graph:
            continue
        graph[file] = list(filter(None, (found(file, *named) for named in headers_of(file, problems))))
        waiting += graph[file]
    return graph


def breaks(file, graph, may_see):
    """Each module of which `file` sees what it must not, with the shortest way there."""
    module = module_of(file)
    if module not in may_see:
        return [(module, [file])]
    allowed = may_see[module] | {module, "base", "include"}
    seen, ways, bad = {file}, [[file]], {}
    while ways:
        way = ways.pop(0)
        for path in graph[way[-1]]:
            if path in seen:
                continue
            seen.add(path)
            if not is_allowed(path, allowed):
                bad.setdefault(module_of(path), way + [path])
            else:
                ways.append(way + [path])
    return bad.items()


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    may_see, drawn = read_design()
    files = list(sources())
    problems = []
    graph = includes_of(files, problems)
    for file in files:
        for module, way in breaks(file, graph, may_see):
            if module_of(file) in may_see:
                problems.append(f"{module_of(file)} must not see this of {module}: {' -> '.join(way)}")
            else:
                problems.append(f"{file}: {DESIGN} does not say what module {module} may see")
    folders = {"src/" + name + "/" for name in os.listdir("src")} | {"shim/", "cli/", "bench/"}
    problems += [f"{folder}: {DESIGN} does not draw it" for folder in sorted(folders - drawn)]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
