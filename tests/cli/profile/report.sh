# --report: one page without a network, which a browser draws without an error, and of which axe says nothing serious;
# where there is no browser, its parts.
. "$(dirname "$0")/../check.bash"

if ! "$halfwarp" profile --report "$work/x.html" 2>&1 | grep -q 'which program'; then
    echo "skipped: built without D3"
    exit 77
fi
expect 0 "$halfwarp" profile --report "$work/profile.html" examples/transpose.cu 64
grep -q transpose.cu "$work/out" && fail "lines that nobody asked for"
[ "$(stat -c %s "$work/profile.html")" -lt 1000000 ] || fail "$(stat -c %s "$work/profile.html") bytes"
! grep -oE '(src|href)="[a-z]+:' "$work/profile.html" | grep . || fail "something from elsewhere"
cat > "$work/race.cu" <<'CUDA'
__global__ void sum(int *total) { *total += threadIdx.x; }   // </script>
int main() {
    int *total;
    cudaMalloc(&total, 4);
    sum<<<1, 64>>>(total);
    return cudaDeviceSynchronize();
}
CUDA
# Code that is loaded at run time, on a GPU whose partitions are counted.
cat > "$work/loaded.cu" <<'CUDA'
#include <cuda.h>
static const char text[] =
    ".version 1.4\n.target sm_13\n.address_size 64\n.entry twice(.param .u64 p) {\n"
    ".reg .u64 %rd<4>;\n.reg .u32 %r<3>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
    "add.u64 %rd3, %rd1, %rd2;\nld.global.u32 %r2, [%rd3];\nadd.u32 %r2, %r2, %r2;\n"
    "st.global.u32 [%rd3], %r2;\nret;\n}\n";
int main() {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction twice;
    CUdeviceptr p;
    void *arguments[] = {&p};
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
        cuCtxSetCurrent(context) || cuModuleLoadData(&module, text) || cuModuleGetFunction(&twice, module, "twice") ||
        cuMemAlloc(&p, 256) || cuLaunchKernel(twice, 1, 1, 1, 64, 1, 1, 0, 0, arguments, 0))
        return 1;
    return cuCtxSynchronize();
}
CUDA
# What is linked is a stub of the driver's library, as toolkits have one: a name with functions that do nothing.
for name in cuInit cuDeviceGet cuDevicePrimaryCtxRetain cuCtxSetCurrent cuModuleLoadData cuModuleGetFunction \
        cuMemAlloc_v2 cuLaunchKernel cuCtxSynchronize; do
    echo "void $name(void) {}"
done > "$work/stub.c"
cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$work/libcuda.so" "$work/stub.c" || fail "no stub of libcuda"
expect 0 "$halfwarp" profile --gpu gtx280 --report "$work/loaded.html" "-L$work" -lcuda "$work/loaded.cu"
expect 1 "$halfwarp" check --report "$work/check.html" "$work/race.cu"
expect 1 "$halfwarp" profile --check --report "$work/both.html" "$work/race.cu"
python3 - "$work" <<'PYTHON' || fail "data of the pages"
import json, re, sys
def data(name):
    page = open(f"{sys.argv[1]}/{name}.html").read()
    assert page.count("</script>") == 4, page.count("</script>")     # data, licence, D3, ours
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S).group(1))
profile = data("profile")
assert len(profile["profile"]["summary"]) == 3 and len(profile["heaviest"]["launches"]) == 3
assert profile["gpu"]["inst_per_ns"] > 900 and "findings" not in profile and profile["profile"]["advice"]
assert any("transpose_by_tile" in text for text in profile["sources"].values())
naive = "_Z15transpose_naivePfPKfii"
store = [a for a in profile["accesses"] if a["mangled"] == naive and a["kind"] == "store"][0]
assert store["cost"] == 32 and store["ideal"] == 4 and store["width"] == 4, store
assert store["addresses"][31] - store["addresses"][0] == 31 * 64 * 4, store
tiled = [a for a in profile["accesses"] if "tiled" in a["mangled"] and a["space"] == "shared"]
assert max(a["cost"] for a in tiled) == 32, tiled
registers = profile["curves"][naive][1]
assert registers["axis"] == "registers per thread" and registers["steps"][0] == [0, 64], registers
assert "st.global" in profile["code"][naive]["ptx"]
for kernel in profile["profile"]["kernels"]:     # what lines hold up is the time of the launch, but for its start
    launch = [l for l in profile["heaviest"]["launches"] if l["mangled"] == kernel["mangled"]][0]
    held = sum(l["est_stall_us"] for l in kernel["lines"])
    assert abs(held - (launch["est_us"] - launch["est_us_launch"])) < 0.02, (held, launch)
assert max(kernel["lines"], key=lambda l: l["est_stall_us"])["est_stall_for"] == "memory", kernel["lines"]
assert not profile["blocks"]
loaded = data("loaded")
assert "st.global" in loaded["code"]["twice"]["ptx"]
assert sum(loaded["blocks"]["twice"]["stores"]["bytes"]) == 256, loaded["blocks"]
assert loaded["blocks"]["twice"]["loads"]["touched"] == [1], loaded["blocks"]
assert any(e.get("cat") == "kernel" for e in profile["trace"]["traceEvents"])
assert data("check").keys() == {"findings"} and data("check")["findings"]["findings"]
both = data("both")
assert both["findings"]["findings"] and "</script>" in list(both["sources"].values())[0]
PYTHON
mkdir "$work/folder.html"
expect 2 "$halfwarp" profile --report "$work/folder.html" examples/transpose.cu
expect 0 "$halfwarp" occupancy --report "$work/occupancy.html" --block 256 --regs 40
expect 0 "$halfwarp" ladder transpose --size 64x64 --rung pad --report "$work/ladder.html"
expect 0 "$halfwarp" bandwidth --device sim:h200 --max 64KiB --report "$work/bandwidth.html"
expect 0 "$halfwarp" profile --lines --format json -o "$work/old.json" examples/transpose.cu 64
sed '26s/PAD/1/' examples/transpose.cu > "$work/transpose.cu"
expect 0 "$halfwarp" diff --report "$work/diff.html" "$work/old.json" "$work/transpose.cu" -- 64
says out 'bank_passes'
says err '64 x 64 transposed three ways'
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$browser" ] || { echo "no browser: the pages were not drawn"; finish; }
# Where a Python package or a Debian package brings axe-core.
axe=$(python3 -c 'import axe_core_python as a; print(a.__path__[0])' 2> "$work/none")/axe.min.js
[ -f "$axe" ] || axe=/usr/share/nodejs/axe-core/axe.min.js
[ -f "$axe" ] || { axe=; echo "no axe-core: nobody asked how accessible the pages are"; }
[ -n "$axe" ] && cp "$axe" "$work/axe.js"
pages="profile both loaded occupancy ladder bandwidth diff"
# One browser for all pages, as it takes a second to start: each in a frame, with what axe finds at its end.
cat > "$work/all.html" <<'HTML'
<!DOCTYPE html><html lang="en"><body><script>
// What a table says of itself when a heading is pressed twice, and a word of its last row is searched for.
function use(inside) {
    const search = inside.querySelector("input[type=search]");
    if (!search) return "";
    const table = search.closest("section").querySelector("table"), head = table.querySelectorAll("th")[1];
    const cells = at => [...table.querySelectorAll(`tbody td:nth-child(${at})`)].map(cell => cell.textContent);
    const sorted = [0, 1].map(() => {
        head.querySelector("button").click();
        return `${head.getAttribute("aria-sort")} ${cells(2).join("|")}`;
    });
    const word = cells(1).at(-1), all = cells(1), wanted = all.filter(text => text.includes(word)).length;
    search.value = word;
    search.dispatchEvent(new Event("input"));
    return `sorted ${sorted.join("\nsorted ")}\nsearched ${all.length} ${wanted} ${cells(1).length}\n`;
}
async function draw(name, asks_axe) {
    const frame = document.createElement("iframe"), text = document.createElement("pre");
    frame.style = "width: 1200px; height: 900px";
    frame.src = name + ".html";
    const loaded = new Promise(done => frame.onload = done);
    document.body.append(frame);
    await loaded;
    const inside = frame.contentDocument, script = inside.createElement("script");
    let found = [];
    if (asks_axe) {
        const ready = new Promise(done => script.onload = done);
        script.src = "axe.js";
        inside.body.append(script);
        await ready;
        found = (await frame.contentWindow.axe.run()).violations;
    }
    text.textContent = `page ${name}\n${inside.documentElement.outerHTML}\n` + use(inside) +
        found.map(v => `axe: ${v.impact} ${v.id}: ${v.nodes.map(n => n.html).join(" ")}\n`).join("");
    frame.replaceWith(text);
}
HTML
echo "(async () => { for (const name of '$pages'.split(' ')) await draw(name, '$axe' !== ''); })();</script>" \
    >> "$work/all.html"
HOME=$work "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --enable-logging=stderr \
    --allow-file-access-from-files --virtual-time-budget=60000 --dump-dom "file://$work/all.html" > "$work/all.dom" \
    2> "$work/log"
! grep -E 'CONSOLE|Uncaught' "$work/log" || fail "the browser complains"
python3 - "$work" <<'PYTHON' || fail "not all pages were drawn"
import html, re, sys
for name, text in re.findall(r"<pre>page (\w+)\n(.*?)</pre>", open(sys.argv[1] + "/all.dom").read(), re.S):
    open(f"{sys.argv[1]}/{name}.dom", "w").write(html.unescape(text))
PYTHON
! grep -E '^axe: (serious|critical)' "$work"/*.dom || fail "some pages are hard to use for some"
python3 - "$work/bandwidth.dom" <<'PYTHON' || fail "a table that cannot be sorted or searched"
import re, sys
said = open(sys.argv[1]).read()
(down, first), (up, second) = re.findall(r"^sorted (\w+) (.*)$", said, re.M)
number = lambda text: float(text.split()[0].replace(",", "")) if text[0].isdigit() else text
cells = [[text for text in row.split("|")] for row in (first, second)]
assert {down, up} == {"ascending", "descending"} and cells[0] == cells[1][::-1] != cells[1], (down, cells)
all_rows, wanted, left = map(int, re.search(r"^searched (\d+) (\d+) (\d+)$", said, re.M).groups())
assert all_rows > wanted == left > 0, (all_rows, wanted, left)
PYTHON
# has NAME TEXT...: the drawn page has each of them.
has() {
    local name=$1
    shift
    for text; do grep -qF -- "$text" "$work/$name.dom" || fail "$name.html is drawn without '$text'"; done
}
# The curve's mark, where ptxas says how many registers there are.
! command -v ptxas > "$work/where" || has profile 'registers per thread: 64 of 64 at 18'
has profile 'Kernels, by what they cost' 'Roofline' '<h2 id="kernel-_Z15transpose_naivePfPKfii">' \
    'aria-sort="descending"' 'What bounds it' 'Occupancy ' 'Counters beside the ideal' '<option>bank passes</option>' \
    '<option>stalls, us</option>' \
    'class="advice"' 'role="img"' 'registers per thread: 64 of 64 at ' 'aria-label="line 21, mark its code"' \
    '32 lanes of a warp store 4 bytes each, 256 bytes apart: 32 sectors, where 4 would do' 'copy engine 1' \
    'st.global.f32'
has both 'Hazards' 'class="hazard"' 'race.cu:1</a>'
has loaded 'The stores of the blocks that run at a time, 1, go to 1 of 8 partitions; the busiest has 100%' \
    'ld.global.u32'
has occupancy 'shared memory per block, KiB: 48 of 64' 'registers 6 blocks'
has ladder 'Every version' 'padding for the banks'
has bandwidth 'pinned, to the GPU'
has diff 'By line' 'transpose.cu:37' '-93.9%'
finish
