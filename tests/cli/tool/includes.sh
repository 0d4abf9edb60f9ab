# What tools/check_includes.py finds, on a small tree: a module that a row does not name, at any distance; of a module
# that a row names by a single file, the others; headers in brackets and by macros; files of modules without a row;
# folders that are not drawn.
. "$(dirname "$0")/../check.bash"

command -v python3 > "$work/where" || { echo "no python3 to run the check with"; exit 77; }
tree=$work/tree
mkdir -p "$tree/docs" "$tree/src/low/inner" "$tree/src/middle" "$tree/src/high" "$tree/kernels/sum" "$tree/shim" \
    "$tree/cli" "$tree/bench"

# A line for each module of src, shim, cli and bench; $1: what high may see.
rows() {
    printf '%s\n' 'low -> ' 'middle -> low' "high -> $1" 'shim -> ' 'cli -> ' 'bench -> ' '' > "$tree/docs/design.md"
    printf '%s/ drawn\n' src/low src/middle src/high shim cli bench >> "$tree/docs/design.md"
}
check() { expect "$1" python3 tools/check_includes.py "$tree"; silent out; }

echo '#include "low/inner/deep.h"' > "$tree/src/low/fault.h"
: > "$tree/src/low/inner/deep.h"
: > "$tree/src/low/other.h"
: > "$tree/kernels/sum/ladder.def"
: > "$tree/kernels/sum/10_naive.cu"
printf '#include "%s"\n' low/fault.h > "$tree/src/middle/middle.h"
printf '#include "%s"\n' middle/middle.h > "$tree/src/high/high.c"

rows 'middle low'
check 0
silent err

# What is seen through another header counts.
rows 'middle'
check 1
says err "high must not see this of low: src/high/high.c -> src/middle/middle.h -> src/low/fault.h"

# A single file, and what it includes in turn.
rows 'middle low/fault.h'
check 1
says err "src/middle/middle.h -> src/low/fault.h -> src/low/inner/deep.h"
rows 'middle low/fault.h low/inner/*.h'
check 0
silent err
echo '#include "low/other.h"' >> "$tree/src/high/high.c"
check 1
says err "high must not see this of low: src/high/high.c -> src/low/other.h"
echo '#include "high/high.h"' >> "$tree/src/low/other.h"   # upwards
: > "$tree/src/high/high.h"
rows 'middle low'
check 1
says err "low must not see this of high: src/low/other.h -> src/high/high.h"
: > "$tree/src/low/other.h"

# Files of a folder outside src.
echo '#include "kernels/sum/ladder.def"' >> "$tree/src/high/high.c"
check 1
says err "high must not see this of kernels: src/high/high.c -> kernels/sum/ladder.def"
rows 'middle low kernels/*/ladder.def'
check 0
silent err
echo '#include "kernels/sum/10_naive.cu"' >> "$tree/src/high/high.c"
check 1
says err "src/high/high.c -> kernels/sum/10_naive.cu"
sed -i '$d' "$tree/src/high/high.c"

# In brackets as in quotes; a header that a macro names.
echo '#include <high/high.h>' > "$tree/src/low/other.h"
check 1
says err "low must not see this of high: src/low/other.h -> src/high/high.h"
printf '#include <stdio.h>\n#include HEADER\n' > "$tree/src/low/other.h"
check 1
says err "src/low/other.h: HEADER is no header's name; write it in quotes"
: > "$tree/src/low/other.h"

# A module that the page does not know.
mkdir "$tree/src/new"
: > "$tree/src/new/new.c"
check 1
says err "src/new/new.c: docs/design.md does not say what module new may see"
says err "src/new/: docs/design.md does not draw it"

finish
