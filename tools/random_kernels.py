#!/usr/bin/env python3
"""Random small CUDA kernels that load and store neighbouring words of shared and global memory.

usage: random_kernels.py [--count N] [--first SEED] > kernels.cu

Kernel kSEED depends on its seed alone, so that a longer series begins with the shorter one. Each has a few arrays
(static, dynamic and padded shared ones, structures, pointers with and without a known alignment) and accesses them in
groups of neighbours, with and without gaps, in straight code, under conditions and in loops; between the accesses
stands what may or may not keep a compiler from joining them: barriers, fences, atomics, shuffles, volatile accesses,
asm statements, calls, stores to other arrays. tools/record_merging.py compiles the series.
"""
import argparse
import random

HEAD = '''// Made by tools/random_kernels.py.
struct Pair { float x, y; };
struct Triple { float x, y, z; };
struct __align__(16) Quad { float x, y, z, w; };
struct __align__(8) Mixed { int i; float f; };
extern __shared__ float dynamic_4[];
extern __shared__ __align__(16) float dynamic_16[];
__device__ float table[4096];
__device__ __align__(16) float table_16[4096];
__device__ __noinline__ float step(float x) { return x * x + 1.0f; }
'''

# Name, how a value of the type becomes a float, how a float becomes a value.
TYPES = {
    'float': ('{v}', '{x}'),
    'int': ('(float){v}', '(int){x}'),
    'unsigned': ('(float){v}', '(unsigned){x}'),
    'double': ('(float){v}', '(double){x}'),
    'long long': ('(float){v}', '(long long){x}'),
    'short': ('(float){v}', '(short){x}'),
    'unsigned short': ('(float){v}', '(unsigned short){x}'),
    'char': ('(float){v}', '(char){x}'),
    'unsigned char': ('(float){v}', '(unsigned char){x}'),
    'float2': ('({v}.x + {v}.y)', 'make_float2({x}, {x} + 1.0f)'),
    'float4': ('({v}.x + {v}.y * {v}.z - {v}.w)', 'make_float4({x}, 1.0f, {x} + 2.0f, 3.0f)'),
    'int2': ('(float)({v}.x - {v}.y)', 'make_int2((int){x}, 7)'),
    'Pair': ('({v}.x - {v}.y)', 'Pair{{{x}, {x} + 2.0f}}'),
    'Triple': ('({v}.x + {v}.y * {v}.z)', 'Triple{{{x}, 2.0f, {x} + 1.0f}}'),
    'Quad': ('({v}.x + {v}.y - {v}.z * {v}.w)', 'Quad{{{x}, 2.0f, {x} + 1.0f, {x}}}'),
    'Mixed': ('((float){v}.i + {v}.f)', 'Mixed{{3, {x}}}'),
}
SCALARS = ['float'] * 6 + ['int'] * 3 + ['unsigned', 'double', 'double', 'long long', 'short', 'unsigned short', 'char',
                                         'unsigned char']
VECTORS = ['float2', 'float4', 'int2', 'Pair', 'Triple', 'Quad', 'Mixed']


class Array:
    """An array in shared or global memory, and how an element of it is spelled."""
    def __init__(self, name, kind, pitch, is_shared, is_writable=True):
        self.name, self.type, self.pitch = name, kind, pitch
        self.is_shared, self.is_writable = is_shared, is_writable

    def at(self, index, offset):
        if self.pitch:
            row, column = index
            return f'{self.name}[{row}][{column} + {offset}]' if offset else f'{self.name}[{row}][{column}]'
        return f'{self.name}[{index} + {offset}]' if offset else f'{self.name}[{index}]'


class Kernel:
    def __init__(self, seed):
        self.random = random.Random(seed * 7919 + (29 if seed % 2 else 13))
        self.name = f'k{seed:03d}'
        self.head, self.lines, self.arrays, self.parameters = [], [], [], []
        self.depth, self.n_values, self.loops = 1, 0, []

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, items):
        return self.random.choice(items)

    def emit(self, line):
        self.lines.append('    ' * self.depth + line)

    # ---- arrays ----

    def add_shared(self, number):
        kind = self.pick(SCALARS if self.chance(0.75) else VECTORS)
        name = f's{number}'
        align = self.pick(['', '', '', '__align__(8) ', '__align__(16) '])
        shape = self.random.random()
        if shape < 0.12 and not any(a.name.startswith('dynamic') for a in self.arrays):
            self.arrays.append(Array(self.pick(['dynamic_4', 'dynamic_16', 'dynamic_16']), 'float', 0, True))
        elif shape < 0.45:
            columns = self.pick([8, 16, 16, 32]) + self.pick([0, 0, 1, 1, 2, 4])
            self.head.append(f'__shared__ {align}{kind} {name}[16][{columns}];')
            self.arrays.append(Array(name, kind, columns, True))
        else:
            self.head.append(f'__shared__ {align}{kind} {name}[{self.pick([256, 512, 1000])}];')
            self.arrays.append(Array(name, kind, 0, True))

    def add_global(self, number):
        shape = self.random.random()
        if shape < 0.15:
            self.arrays.append(Array(self.pick(['table', 'table_16']), 'float', 0, False))
            return
        kind = self.pick(SCALARS if self.chance(0.6) else VECTORS)
        name, is_writable = f'g{number}', self.chance(0.5)
        restrict = ' __restrict__' if self.chance(0.5) else ''
        if shape < 0.3:   # a pointer whose low bits are cleared
            self.parameters.append(f'{kind} *p{number}')
            self.head.append(f'{kind} *{name} = ({kind} *)((unsigned long long)p{number} & ~15ull);')
            is_writable = True
        else:
            self.parameters.append(f'{"" if is_writable else "const "}{kind} *{restrict} {name}')
        self.arrays.append(Array(name, kind, 0, False, is_writable))

    # ---- indices ----

    def scalar_index(self):
        forms = ['tid * {k}', 'tid * {k}', 'tid', '(tid & {m}) * {k}', '(tid / {d}) * {k}', '(tid % {d}) * {k}',
                 '(tid ^ 1) * {k}', '(i0 & ~3)', 'i0', '{c}', 'ty * {k}', '(tid * {k} + {c})', '(tid | 8) * {k}']
        if self.loops:
            forms += ['{l} * {k}', '{l} * {k} + tid * {k}', '{l}', 'tid * 32 + {l}'] * 2
        form = self.pick(forms)
        return form.format(k=self.pick([1, 2, 3, 4, 4, 4, 6, 8, 8, 16]), m=self.pick([3, 7, 15]),
                           d=self.pick([2, 4, 8, 12]), c=self.pick([0, 0, 1, 2, 4, 8]),
                           l=self.pick(self.loops or ['0']))

    def index(self, array):
        if not array.pitch:
            return self.scalar_index()
        row = self.pick(['ty', 'tid & 15', 'tid / 16 & 15', self.pick(self.loops or ['3']), '2'])
        column = self.pick(['0', '0', '(tid & 3) * 4', '(tid & 1) * 8', 'tid & 7', self.pick(self.loops or ['4'])])
        return row, column

    def offsets(self):
        """Neighbours: whole runs mostly, some with gaps, some in another order."""
        length = self.pick([1, 2, 2, 3, 4, 4, 4, 5, 6, 8])
        first = self.pick([0, 0, 0, 0, 1, 2, 4])
        run = list(range(first, first + length))
        if length > 2 and self.chance(0.3):
            run.remove(self.pick(run))
        if length > 3 and self.chance(0.15):
            run.remove(self.pick(run))
        if self.chance(0.1):
            run = [k * 2 for k in run]
        if self.chance(0.1):
            self.random.shuffle(run)
        return run

    # ---- statements ----

    def load_group(self):
        array = self.pick(self.arrays)
        index, values = self.index(array), []
        offsets = self.offsets()
        divider = self.divider if self.chance(0.25) else None
        for place, offset in enumerate(offsets):
            value = f'v{self.n_values}'
            self.n_values += 1
            values.append(value)
            self.emit(f'{array.type} {value} = {array.at(index, offset)};')
            if divider and place == len(offsets) // 2 - 1:
                divider()
        for value in values:
            self.emit(f'acc = acc * 1.25f + {TYPES[array.type][0].format(v=value)};')

    def store_group(self):
        choices = [a for a in self.arrays if a.is_writable]
        array = self.pick(choices)
        index, offsets = self.index(array), self.offsets()
        divider = self.divider if self.chance(0.25) else None
        other = self.pick(choices) if self.chance(0.1) else None
        for place, offset in enumerate(offsets):
            value = TYPES[array.type][1].format(x=f'(acc + {place}.0f)')
            self.emit(f'{array.at(index, offset)} = {value};')
            if other and other.type == array.type and other is not array and not other.pitch:
                self.emit(f'{other.at(self.scalar_index(), offset)} = {value};')
            if divider and place == len(offsets) // 2 - 1:
                divider()

    def copy_group(self):
        source = self.pick(self.arrays)
        targets = [a for a in self.arrays if a.is_writable and a.type == source.type]
        if not targets:
            return self.load_group()
        target = self.pick(targets)
        source_index, target_index = self.index(source), self.index(target)
        for offset in self.offsets():
            self.emit(f'{target.at(target_index, offset)} = {source.at(source_index, offset)};')

    def volatile_access(self):
        array = self.pick([a for a in self.arrays if a.type in ('float', 'int', 'unsigned')] or [None])
        if array and not array.pitch and array.is_writable:
            self.emit(f'acc += (float)*(volatile {array.type} *)&{array.at("tid", 0)};')

    def divider(self):
        what = self.pick(['barrier', 'barrier', 'warp', 'fence', 'atomic_shared', 'atomic_global', 'shuffle', 'out',
                          'in', 'volatile', 'call', 'asm', 'clock', 'vote', 'copy', 'guarded', 'store', 'fence_asm'])
        simple = {
            'barrier': '__syncthreads();', 'warp': '__syncwarp();', 'fence': '__threadfence_block();',
            'atomic_shared': 'atomicAdd(&counter, 1);', 'atomic_global': 'atomicAdd(out + 3, 1.0f);',
            'shuffle': 'acc += __shfl_xor_sync(~0u, acc, 1);',
            'out': 'out[n + tid] = acc;', 'in': 'acc += in[n + tid];',
            'call': 'acc = step(acc);', 'asm': 'asm volatile("// nothing");', 'clock': 'acc += (float)clock();',
            'vote': 'acc += __ballot_sync(~0u, acc > 1.0f) ? 1.0f : 2.0f;',
            'guarded': f'if (acc > {self.pick([1, 2, 3])}.0f) acc += in[tid];',
            'fence_asm': 'asm volatile("" ::: "memory");',
        }
        if what in simple:
            self.emit(simple[what])
        elif what == 'volatile':
            self.volatile_access()
        elif what == 'store':
            self.emit('spare[tid] = acc;')
        elif what == 'copy':
            self.emit('asm volatile("cp.async.ca.shared.global [%0], [%1], 16; cp.async.commit_group; '
                      'cp.async.wait_all;" :: "r"((unsigned)__cvta_generic_to_shared(staged) + tid * 16), '
                      '"l"(in + tid * 4) : "memory");')

    def guarded(self, room):
        condition = self.pick(['tid < n', 'tid & 1', 'acc > 4.0f', 'n > 3'])
        self.emit(f'if ({condition}) {{')
        self.depth += 1
        self.statements(min(room, 2), False)
        self.depth -= 1
        self.emit('}')

    def loop(self, room):
        variable = f'l{len(self.lines)}'
        unroll = self.pick(['#pragma unroll 1', '#pragma unroll 1', '#pragma unroll 2', '#pragma unroll 4',
                            '#pragma unroll'])
        bound = self.pick([4, 8]) if unroll == '#pragma unroll' else self.pick(['n', 'n', '16'])
        self.emit(unroll)
        self.emit(f'for (int {variable} = 0; {variable} < {bound}; {variable}++) {{')
        self.loops.append(variable)
        self.depth += 1
        self.statements(min(room, 2), False)
        if self.chance(0.4):
            self.emit('__syncthreads();')
        self.depth -= 1
        self.loops.pop()
        self.emit('}')

    def statements(self, count, may_nest=True):
        for _ in range(count):
            kind = self.random.random()
            if kind < 0.38:
                self.load_group()
            elif kind < 0.62:
                self.store_group()
            elif kind < 0.68:
                self.copy_group()
            elif kind < 0.80 or not may_nest:
                self.divider()
            elif kind < 0.92:
                self.loop(self.random.randint(1, 2))
            else:
                self.guarded(self.random.randint(1, 2))

    def text(self):
        for number in range(self.random.randint(1, 2)):
            self.add_shared(number)
        if self.chance(0.6):
            self.add_global(len(self.arrays))
        self.store_group()
        self.emit('__syncthreads();')
        self.statements(self.random.randint(2, 5))
        self.emit('out[tid] = acc;')
        body = '\n'.join(self.lines)
        for name, declaration in (('counter', '__shared__ int counter;'), ('spare', '__shared__ float spare[64];'),
                                  ('staged', '__shared__ __align__(16) char staged[1024];')):
            if name in body:
                self.head.append(declaration)
        parameters = ', '.join(['float *out', 'const float *in', 'int n'] + self.parameters)
        start = ['int tid = threadIdx.x, ty = threadIdx.y, i0 = blockIdx.x * 64 + tid;', 'float acc = in[tid];']
        lines = ['    ' + line for line in self.head + start]
        if 'ty' not in body:
            lines = [line.replace(', ty = threadIdx.y', '') for line in lines]
        if 'i0' not in body:
            lines = [line.replace(', i0 = blockIdx.x * 64 + tid', '') for line in lines]
        return f'extern "C" __global__ void {self.name}({parameters}) {{\n' + '\n'.join(lines) + f'\n{body}\n}}\n'


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--count', type=int, default=220)
    options.add_argument('--first', type=int, default=0)
    options = options.parse_args()
    print(HEAD)
    for seed in range(options.first, options.first + options.count):
        print(Kernel(seed).text())


if __name__ == '__main__':
    main()
