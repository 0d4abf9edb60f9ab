#!/usr/bin/env python3
"""Builds and runs every program of NVIDIA's cuda-samples that needs no window and no closed library, and keeps what came
of each: tools/samples.py CUDA_SAMPLES --data results.json; tools/samples.py --data results.json --table writes the rows
of docs/compatibility.md. A program that is in the file already is not run again, unless it is named.

nvcc: as nvcc links by default, with the static runtime, and PTX beside nothing else (compute_90). clang: `halfwarp nvcc
--halfwarp-compiler clang`, with the headers of include/cuda. A program passes when its exit status is what a GPU gives
and no check of its own says otherwise; one that waives itself on one GPU is run again on two. --check: by nvcc with lines, under `halfwarp check --leaks`; what that finds is
kept."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from limited import run

# Why a folder is left out, by what its build file or its sources ask for.
LEFT_OUT = [
    (r"OpenGL|GLUT|Vulkan|EGL|GLFW|D3D11|D3D12", "opens a window"),
    (r"NvSci|NVSCI|cudla|Tegra", "another system"),
    (r"NVVM|nvvm", "libNVVM"),
]
# Some build files name libraries that the sources do not call; of cuRAND the device functions are a header.
CLOSED = re.compile(r"\b(?:cublas|cusparse|cusolver|cufft|npp|nvjpeg|curand|nvJitLink)[A-Z]\w*\s*\(|nvJitLink|jitLto")
USES_MPI = re.compile(r"find_package\(MPI\b")
# Exit statuses that a GPU's program does not have: a failed assert is a fault of the kernel.
EXPECTED = {"simpleAssert": 5, "simpleAssert_nvrtc": 5}
FAILED = re.compile(r"\bFAILED\b|Test failed|Result = FAIL|TEST FAILED|Test Failed")
WAIVED = 2
ENDED = 124    # by --timeout


def left_out(folder):
    text = (folder / "CMakeLists.txt").read_text(errors="replace")
    text = re.sub(r"#.*", "", text)
    for pattern, why in LEFT_OUT:
        if re.search(pattern, text):
            return why
    names_one = re.search(r"CUDA::(?:cublas|cusparse|cusolver|cufft|npp|nvjpeg|curand)|nvJitLink", text)
    if names_one and any(CLOSED.search(f.read_text(errors="replace")) for f in all_sources(folder)):
        return "a closed library"
    if USES_MPI.search(text) and not shutil.which("mpicxx"):
        return "MPI"
    return None


def all_sources(folder):
    return [f for f in sorted(folder.glob("*.*")) + sorted(folder.glob("src/*")) + sorted(folder.glob("inc/*"))
            if f.suffix in (".cu", ".cpp", ".c", ".h", ".cuh", ".hpp")]


def folders(samples):
    """Without libNVVM's, which are made by another build, and those of other systems."""
    for build_file in sorted((samples / "Samples").glob("[0-6]*/*/CMakeLists.txt")):
        if all_sources(build_file.parent):
            yield build_file.parent


def device_code(folder, work, compiler, include):
    """Fat binaries and PTX that the build file makes for the driver, beside the program."""
    text = (folder / "CMakeLists.txt").read_text(errors="replace")
    made = re.findall(r'set\((\w+) "\$\{CMAKE_CURRENT_BINARY_DIR\}/([^"]+)"\)', text)
    source = re.search(r'set\(CUDA_KERNEL_SOURCE "\$\{CMAKE_CURRENT_SOURCE_DIR\}/([^"]+)"\)', text)
    kernels = set()
    for _, name in made:
        if not source or not name.endswith((".fatbin", ".ptx")):
            continue
        kernels.add(source.group(1))
        kind = ["-ptx", "-arch=compute_75"] if name.endswith(".ptx") else \
            ["-fatbin", "-gencode", "arch=compute_75,code=compute_75"]
        subprocess.run(compiler + kind + include + ["-o", work / name, folder / source.group(1)],
                       capture_output=True)
    return kernels


def build(folder, samples, work, route, halfwarp):
    """(path, "") or (None, why not)"""
    text = (folder / "CMakeLists.txt").read_text(errors="replace")
    include = ["-I" + str(samples / "Common"), "-I" + str(folder), "-I" + str(folder / "inc")]
    compiler = ["nvcc"] if route != "clang" else [halfwarp, "nvcc", "--halfwarp-compiler", "clang"]
    kernels = device_code(folder, work, compiler, include)
    sources = [f for f in all_sources(folder) if f.suffix in (".cu", ".cpp", ".c") and f.name not in kernels]
    if "nvrtc" in text:
        sources = [f for f in sources if f.suffix != ".cu"]
    named = re.search(r"add_executable\(\w+\s+([^)]*)\)", text)
    if named:
        wanted = [folder / n for n in named.group(1).split() if n.endswith((".cu", ".cpp", ".c"))]
        sources = [f for f in wanted if f.exists()] or sources
    options = ["-O2", "-std=c++17", "--extended-lambda"]
    options += ["-Xcompiler", "-fopenmp"] if "OpenMP" in text else []
    options += ["-rdc=true", "-lcudadevrt"] if "cdp" in folder.name else []
    options += ["-gencode", "arch=compute_90,code=compute_90"] if route != "clang" else []
    options += ["-lineinfo"] if route == "check" else []
    libraries = ["-lcuda"] if "cuda_driver" in text or "cuda.h" in "".join(f.read_text(errors="replace")
                                                                         for f in sources) else []
    libraries += ["-lnvrtc"] if "nvrtc" in text else []
    options += mpi_options() if USES_MPI.search(text) else []
    out = work / folder.name
    command = compiler + options + include + ["-o", str(out)] + [str(f) for f in sources] + libraries
    status, said, _ = run([str(c) for c in command], work, 300)
    if status == 0:
        return out, ""
    lines = [l for l in said.splitlines() if "error" in l or "undefined" in l or "halfwarp" in l]
    return None, (lines or said.splitlines() or ["?"])[0].strip()


def mpi_options():
    """What mpicxx would tell the compiler, in nvcc's words."""
    said = subprocess.run(["mpicxx", "-show"], capture_output=True, text=True).stdout.split()[1:]
    return [word for word in said if word.startswith(("-I", "-L", "-l"))]


def place_data(folder, work, samples):
    if (folder / "data").is_dir() and not (work / "data").exists():
        shutil.copytree(folder / "data", work / "data")
    if "nvrtc" in folder.name:   # headers that the build file puts beside the program
        toolkit = pathlib.Path(shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc").resolve().parent.parent / "include"
        for header in ("cooperative_groups.h", "cooperative_groups", "cuda_fp16.h", "cuda_fp16.hpp", "cccl/cuda",
                       "cccl/nv"):
            found = toolkit / header
            if found.is_dir():
                shutil.copytree(found, work / found.name)
            elif found.exists():
                shutil.copy(found, work / header)
    for f in folder.iterdir():
        if f.suffix in (".cu", ".cuh", ".h", ".ptx", ".ppm", ".pgm", ".bmp", ".bin", ".raw", ".dat", ".txt"):
            if f.name != "CMakeLists.txt" and not (work / f.name).exists():
                shutil.copy(f, work / f.name)


def reason(status, said):
    """The sentence that says most of why a program did not pass."""
    lines = [l.strip() for l in said.splitlines() if l.strip()]
    for pattern in (r"halfwarp: .*is not supported", r"halfwarp: .*", FAILED.pattern, r"rror"):
        for line in lines:
            if re.search(pattern, line):
                return line
    return lines[-1] if lines else f"exit status {status}"


def place_of(side):
    """Of a kernel's access: its line of the source, or of the PTX where that has none."""
    return f"{side['file']}:{side['line']}" if "file" in side else f"PTX:{side.get('ptx_line', '?')}"


def found_in(report):
    """(kind and places, count) of each finding; None where the program was ended before they were written."""
    if not report.exists():
        return None
    rows = []
    for finding in json.loads(report.read_text())["findings"]:
        places = [pathlib.Path(side.get("site") or place_of(side)).name for side in finding["sides"]]
        rows.append([" ".join([finding["kind"]] + places), finding["count"]])
    return sorted(rows)


def attempt(folder, samples, route, halfwarp, limit):
    result = attempt_on(1, folder, samples, route, halfwarp, limit)
    return attempt_on(2, folder, samples, route, halfwarp, limit) if result["status"] == "waives itself" else result


def attempt_on(gpus, folder, samples, route, halfwarp, limit):
    with tempfile.TemporaryDirectory() as place:
        work = pathlib.Path(place)
        place_data(folder, work, samples)
        program, why = build(folder, samples, work, route, halfwarp)
        if not program:
            return {"status": "does not build", "why": why}
        begin = time.time()
        report = work / "found.json"
        command = ["run"] if route != "check" else \
            ["check", "--leaks", "--timeout", str(limit), "--format", "json", "-o", str(report)]
        if gpus > 1:
            command += ["--gpus", str(gpus)]
        status, said, seconds = run([halfwarp] + command + ["--", str(program)], work,
                                    limit if route != "check" else limit + 30)
        said = said.replace(place + "/", "").replace(str(samples) + "/", "")
        result = {"exit": status, "processor_s": round(seconds, 2), "clock_s": round(time.time() - begin, 2)}
        if gpus > 1:
            result["gpus"] = gpus
        if route == "check":
            result["found"] = found_in(report)
            status = 0 if status == 1 and result["found"] and not FAILED.search(said) else status
            status = None if status == ENDED else status
        passes = status == EXPECTED.get(folder.name, 0) and not FAILED.search(said)
        if status is None:
            result.update(status="does not finish", why=f"in {limit} s")
        elif passes:
            result.update(status="passes", why="")
        elif status == WAIVED and re.search(r"[Ww]aiv|WAIV", said):
            result.update(status="waives itself", why=reason(status, said))
        else:
            result.update(status="fails", why=reason(status, said))
        return result


def table(data):
    rows = ["| program | nvcc, static runtime | processor s | clang | processor s |", "|---|---|---|---|---|"]
    def cell(result):
        if not result:
            return "not tried", ""
        why = result.get("why", "").replace("|", "\\|")
        where = f" on {result['gpus']} GPUs" if "gpus" in result else ""
        return result["status"] + where + (f": {why[:150]}" if why else ""), result.get("processor_s", "")
    for name in sorted(data, key=str.lower):
        if "left out" in data[name]:
            continue
        by_nvcc, seconds = cell(data[name].get("nvcc"))
        by_clang, other_seconds = cell(data[name].get("clang"))
        rows.append(f"| {name} | {by_nvcc} | {seconds} | {by_clang} | {other_seconds} |")
    out = {}
    for name in sorted(data, key=str.lower):
        if "left out" in data[name]:
            out.setdefault(data[name]["left out"], []).append(name)
    rows += [""] + [f"Left out, {why}: {', '.join(names)}." for why, names in sorted(out.items())]
    return "\n".join(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("samples", nargs="?", type=pathlib.Path)
    parser.add_argument("only", nargs="*")
    parser.add_argument("--halfwarp", default="build/halfwarp")
    parser.add_argument("--route", choices=["nvcc", "clang"], default="nvcc")
    parser.add_argument("--check", dest="route", action="store_const", const="check")
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--at-once", type=int, default=1, help="programs at a time")
    parser.add_argument("--limit", type=int, default=120, help="seconds by the clock for one program")
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    data = json.loads(given.data.read_text()) if given.data.exists() else {}
    if given.table:
        print(table(data))
        return 0
    if not given.samples:
        parser.error("where are cuda-samples?")
    halfwarp = str(pathlib.Path(given.halfwarp).resolve())
    samples = given.samples.resolve()
    lock = threading.Lock()

    def try_one(folder):
        why = left_out(folder)
        known = data.setdefault(folder.name, {})
        result = None if why else attempt(folder, samples, given.route, halfwarp, given.limit)
        with lock:
            if why:
                known["left out"] = why
            else:
                known.pop("left out", None)
                known[given.route] = result
                print(folder.name, result["status"], result.get("why", ""), flush=True)
            given.data.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n")

    wanted = [f for f in folders(samples) if (f.name in given.only if given.only
                                              else given.route not in data.get(f.name, {}))]
    with concurrent.futures.ThreadPoolExecutor(given.at_once) as threads:
        list(threads.map(try_one, wanted))
    return 0


if __name__ == "__main__":
    sys.exit(main())
