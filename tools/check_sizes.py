#!/usr/bin/env python3
"""Functions fit a screen, files a quarter of an hour, folders a look: the longest of src, shim, cli, include and
tests/cli.

usage: check_sizes.py [--show] [TREE]

Prints what is beyond a limit, exit 1 then; with --show the longest of each. A function's lines are those from its head
to its closing brace, both in the first column, as the house style has them.
"""
import argparse
import pathlib
import re
import sys

FUNCTION_LINES, FILE_LINES, FOLDER_FILES = 50, 700, 50


def head_of(lines, number):
    """The first line of the head that ends in this line's brace; None: the brace is no function's."""
    first = number
    while first and lines[first].startswith(' '):
        first -= 1
    head = ' '.join(lines[first:number + 1])
    return first if re.match(r'[A-Za-z_][^;={}]*\([^;={}]*\)\s*\{$', head) else None


def functions(text):
    """Name and lines of each function."""
    lines, first = text.splitlines(), None
    for number, line in enumerate(lines):
        if first is None and line.endswith('{'):
            first = head_of(lines, number)
        elif first is not None and line == '}':
            yield re.search(r'(\w+)\(', lines[first]).group(1), number - first + 1
            first = None


def measure(tree):
    """(lines or files, where) of every function, file and folder."""
    found = {'function': [], 'file': [], 'folder': []}
    for top in ('src', 'shim', 'cli', 'include', 'tests/cli'):
        for folder in [tree / top] + sorted(p for p in (tree / top).rglob('*') if p.is_dir()):
            files = [p for p in folder.iterdir() if p.is_file()]
            found['folder'].append((len(files), str(folder.relative_to(tree))))
            for path in files:
                if path.suffix not in ('.c', '.h'):
                    continue
                text = path.read_text()
                where = str(path.relative_to(tree))
                found['file'].append((text.count('\n'), where))
                if path.suffix == '.c':
                    found['function'] += [(n, f'{where}: {name}') for name, n in functions(text)]
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument('--show', action='store_true')
    arguments.add_argument('tree', nargs='?', default=pathlib.Path(__file__).resolve().parent.parent, type=pathlib.Path)
    given = arguments.parse_args()
    found = measure(given.tree)
    limits = {'function': FUNCTION_LINES, 'file': FILE_LINES, 'folder': FOLDER_FILES}
    beyond = [f'{what} of {size}, {limit} at most: {where}' for what, limit in limits.items()
              for size, where in sorted(found[what], reverse=True) if size > limit]
    if given.show:
        for what in limits:
            print(f'{what}: {max(found[what])[0]}, {max(found[what])[1]}')
    print('\n'.join(beyond), file=sys.stderr, end='\n' if beyond else '')
    sys.exit(1 if beyond else 0)


main()
