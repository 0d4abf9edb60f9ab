#!/usr/bin/env python3
"""Records how many load and store instructions of which width ptxas makes of the random kernels.

usage: record_merging.py [--count N] [--nvdisasm FILE] [--folder tests/data]

Compiles what tools/random_kernels.py writes by the nvcc and ptxas on PATH, for compute capability 9.0, and writes
  merging.ptx   the PTX of all kernels, without comments and what only debuggers read
  merging.csv   a row for each kernel: its instructions in the machine code, by kind (lds, sts shared; ldg, stg global;
                ld, st generic) and by width in bits
Compiles the cases of merge_cases.txt, whose head says what they are, and writes their "ptxas" lines anew.
tests/unit/lower/test_merge_random.c and test_merge.c compare them with what src/lower/merge.c does to the same PTX.
nvdisasm comes with the CUDA toolkit, or with the Python package nvidia-cuda-nvdisasm.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KINDS = ['lds', 'sts', 'ldg', 'stg', 'ld', 'st']
WIDTHS = [8, 16, 32, 64, 128]
INSTRUCTION = re.compile(r'/\*[0-9a-f]{4,}\*/\s+(@!?U?P[0-9T]+\s+)?(LDS|STS|LDG|STG|LD|ST)((?:\.[A-Z0-9]+)*)\s')


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'{" ".join(map(str, command))}: {done.stderr.strip()}')
    return done.stdout


def width_of(suffix):
    words = suffix.split('.')
    for word, width in (('128', 128), ('64', 64), ('U8', 8), ('S8', 8), ('U16', 16), ('S16', 16)):
        if word in words:
            return width
    return 32


def count(listing):
    """Instructions by kernel, kind and width. ptxas puts loads that never run (@!PT) before asynchronous copies."""
    counts, kernel = {}, None
    for line in listing.splitlines():
        section = re.match(r'\.text\.(\w+):', line.strip())
        if section:
            kernel = counts.setdefault(section.group(1), {})
        found = INSTRUCTION.search(line)
        if found and kernel is not None and (found.group(1) or '').strip() != '@!PT':
            key = found.group(2).lower(), width_of(found.group(3))
            kernel[key] = kernel.get(key, 0) + 1
    return counts


def plain(ptx):
    """Without comments, indentation and empty lines."""
    ptx = re.sub(r'//.*', '', re.sub(r'/\*.*?\*/', '', ptx, flags=re.S))
    lines = (re.sub(r'[ \t]+', ' ', line).strip() for line in ptx.splitlines())
    return '\n'.join(line for line in lines if line) + '\n'


def machine_code(ptx, work, nvdisasm):
    """How many loads and stores ptxas makes of it, by kernel."""
    (work / 'k.ptx').write_text(ptx)
    run('ptxas', '-O3', '-arch=sm_90', work / 'k.ptx', '-o', work / 'k.cubin')
    return count(run(nvdisasm, '-c', work / 'k.cubin'))


def random_kernels(options, folder, work, version):
    (work / 'k.cu').write_text(run(sys.executable, HERE / 'random_kernels.py', '--count', options.count))
    run('nvcc', '-O3', '-w', '-arch=sm_90', '-ptx', work / 'k.cu', '-o', work / 'nvcc.ptx')
    ptx = plain((work / 'nvcc.ptx').read_text())
    counts = machine_code(ptx, work, options.nvdisasm)
    columns = [(kind, width) for kind in KINDS for width in WIDTHS]
    rows = [f'# ptxas {version} -O3 -arch=sm_90 of merging.ptx; by tools/record_merging.py',
            ','.join(['kernel'] + [f'{kind}{width}' for kind, width in columns])]
    for kernel in sorted(set(re.findall(r'\.entry (\w+)', ptx))):
        rows.append(','.join([kernel] + [str(counts[kernel].get(column, 0)) for column in columns]))
    (folder / 'merging.ptx').write_text(ptx)
    (folder / 'merging.csv').write_text('\n'.join(rows) + '\n')


def cases(options, folder, work, version):
    lines = (folder / 'merge_cases.txt').read_text().splitlines()
    module, prologue = lines.index('module'), lines.index('prologue')
    first = next(n for n, line in enumerate(lines) if line.startswith('=='))
    bodies, name = {}, None
    for line in lines[first:]:
        if line.startswith('=='):
            name = line.split()[1]
            bodies[name] = []
        elif not line.startswith('ptxas'):
            bodies[name].append(line)
    head = '\n'.join(lines[prologue + 1:first])
    ptx = '\n'.join(lines[module + 1:prologue]) + '\n' + ''.join(
        f'.visible .entry {name}(.param .u64 out, .param .u64 in) {{\n{head}\n' + '\n'.join(body) + '\nret;\n}\n'
        for name, body in bodies.items())
    counts = machine_code(ptx, work, options.nvdisasm)
    for n, line in enumerate(lines):
        name = line.split()[1] if line.startswith('==') else name
        if line.startswith('ptxas'):
            found = sorted(counts[name].items(), key=lambda item: (KINDS.index(item[0][0]), item[0][1]))
            lines[n] = 'ptxas ' + version + ''.join(f' {kind}{width} {number}' for (kind, width), number in found)
    (folder / 'merge_cases.txt').write_text('\n'.join(lines) + '\n')


def main():
    options = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    options.add_argument('--count', default='220')
    options.add_argument('--nvdisasm', default='nvdisasm')
    options.add_argument('--folder', default=str(HERE.parent / 'tests/data'))
    options = options.parse_args()
    folder = pathlib.Path(options.folder)
    version = re.search(r'V([\d.]+)', run('ptxas', '--version')).group(1)
    with tempfile.TemporaryDirectory() as work:
        random_kernels(options, folder, pathlib.Path(work), version)
        if (folder / 'merge_cases.txt').exists():
            cases(options, folder, pathlib.Path(work), version)


if __name__ == '__main__':
    main()
