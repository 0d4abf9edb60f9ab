# --report: one page without a network, which a browser draws without an error; where there is no browser, its parts.
. "$(dirname "$0")/check.bash"

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
assert data("check").keys() == {"findings"} and data("check")["findings"]["findings"]
both = data("both")
assert both["findings"]["findings"] and "</script>" in list(both["sources"].values())[0]
PYTHON
expect 2 "$halfwarp" profile --report "$work" examples/transpose.cu
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$browser" ] || { echo "no browser: the pages were not drawn"; finish; }
# draw NAME: the page as the browser makes it, in $work/NAME.dom.
draw() {
    HOME=$work "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --enable-logging=stderr \
        --dump-dom "file://$work/$1.html" > "$work/$1.dom" 2> "$work/log"
    ! grep -E 'CONSOLE|Uncaught' "$work/log" || fail "$1.html: the browser complains"
}
# has NAME TEXT...: the drawn page has each of them.
has() {
    local name=$1
    shift
    for text; do grep -qF -- "$text" "$work/$name.dom" || fail "$name.html is drawn without '$text'"; done
}
draw profile
has profile 'Kernels, by what they cost' 'Roofline' '<h2 id="kernel-_Z15transpose_naivePfPKfii">' \
    'aria-sort="descending"' 'What bounds it' 'Occupancy ' 'Counters beside the ideal' '<option>bank passes</option>' \
    'class="advice"' 'role="img"'
draw both
has both 'Hazards' 'class="hazard"' 'race.cu:1'
finish
