# profile --plot: the summary, height and width plots of a program with streams.
. "$(dirname "$0")/../check.bash"

expect 0 "$halfwarp" profile --summary --plot "$work/p.svg" examples/transpose.cu 64
python3 - "$work/p.svg" <<'PYTHON' || fail "picture"
import sys, xml.etree.ElementTree as tree
svg = "{http://www.w3.org/2000/svg}"
named = [g for g in tree.parse(sys.argv[1]).iter(svg + "g") if g.find(svg + "title") is not None]
groups = {g.find(svg + "title").text: g for g in named}
def titles(group):
    return [t.text for t in groups[group].iter(svg + "title")][1:]
shares = titles("summary")
assert len(shares) == 6 and sum("copy to device, pageable" in t for t in shares) == 1, shares
parts = [float(t.split(": ")[1].split("%")[0]) for t in shares]
assert abs(sum(parts) - 100) < 0.5 and parts == sorted(parts, reverse=True), parts
# Each piece of work once in both, in the order of begins.
assert titles("heights") == titles("widths") and len(titles("widths")) >= 7, titles("heights")
assert [int(t.split(":")[0]) for t in titles("widths")] == list(range(len(titles("widths"))))
PYTHON
expect 2 "$halfwarp" profile --time host --plot "$work/q.svg" examples/transpose.cu 64
says err "nothing to draw"
refuses_rows "$halfwarp" profile <<'ROWS'
--plot p.gif x.cu|.svg
--plot nowhere/p.svg x.cu|nowhere
ROWS
finish
