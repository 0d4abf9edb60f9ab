#!/usr/bin/env python3
"""Holds the order of modules in docs/design.md: what the files of a module may see, included by themselves or by what
they include. Prints each include that breaks it, and the way there; exit status 1 then."""
import os
import re
import sys

# A module, and which others its files may see besides base and the installed headers. A folder of src/ is a module, as
# are shim, cli and bench; folders within one are its rooms, which see each other.
MAY_SEE = {
    "base": "",
    "isa": "",
    "ptx": "isa",
    "lower": "ptx isa",
    "mem": "",
    "event": "isa",
    "exec": "lower ptx mem event isa",
    "model": "isa",
    "prof": "event model isa",
    "report": "prof event model isa",
    "toolchain": "",
    "device": "exec lower ptx mem event toolchain model io isa",
    "sim": "device prof io toolchain event exec mem model isa",
    "op": "device toolchain model isa kernels",
    "ladder": "op device prof event exec mem model isa",
    "io": "isa",
    "runtime": "device toolchain mem exec event isa",
    "shim": "runtime device prof report toolchain io event exec mem model isa",
    "cli": "toolchain isa op ladder device model io report prof event exec mem bench",
    "bench": "isa op device cli report prof event model",
}
PLACES = ["src", ".", "include", "cli", "bench", "shim"]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def module_of(path):
    parts = path.split("/")
    return parts[1] if parts[0] == "src" else parts[0]


def sources():
    for top in ["src", "shim", "cli", "bench"]:
        for folder, _, names in os.walk(top):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".def")):
                    yield os.path.normpath(os.path.join(folder, name))


def found(file, header):
    """The path of a header that `file` names, or None: one that the build makes, or the system's."""
    for place in [os.path.dirname(file)] + PLACES:
        path = os.path.normpath(os.path.join(place, header))
        if os.path.isfile(path):
            return path
    return None


def includes_of(files):
    graph = {}
    waiting = list(files)
    while waiting:
        file = waiting.pop()
        if file in graph:
            continue
        with open(file, encoding="utf-8") as text:
            named = (INCLUDE.match(line) for line in text)
            graph[file] = [path for path in (found(file, m.group(1)) for m in named if m) if path]
        waiting += graph[file]
    return graph


def breaks(file, graph):
    """Each module that `file` must not see, with the shortest way to it."""
    module = module_of(file)
    if module not in MAY_SEE:
        return [(module, [file])]
    allowed = set(MAY_SEE[module].split()) | {module, "base", "include"}
    seen, ways, bad = {file}, [[file]], {}
    while ways:
        way = ways.pop(0)
        for path in graph[way[-1]]:
            if path in seen:
                continue
            seen.add(path)
            if module_of(path) not in allowed:
                bad.setdefault(module_of(path), way + [path])
            else:
                ways.append(way + [path])
    return bad.items()


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    files = list(sources())
    graph = includes_of(files)
    status = 0
    for file in files:
        for module, way in breaks(file, graph):
            if module_of(file) in MAY_SEE:
                print(f"{module_of(file)} must not see {module}: {' -> '.join(way)}", file=sys.stderr)
            else:
                print(f"{file}: module {module} has no row in tools/check_includes.py", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
