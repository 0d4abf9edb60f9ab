// A kernel's source with what each line costs, and its code beside it.

const kernelId = mangled => "kernel-" + mangled.replace(/[^\w-]/g, "_");
const lineName = (mangled, file, line) => `${kernelId(mangled)}-${file.replace(/[^\w-]/g, "_")}-${line}`;

// What lines are coloured by; of the first, where the kernel's time goes by the estimate, each line says what for.
const heats = {
    "stalls, us": l => l.est_stall_us || 0, "sectors": l => l.gld_sectors + l.gst_sectors, "bank passes": l => l.smem_wavefronts, "instructions": l => l.inst,
    "lanes off": l => 32 * l.inst - l.thread_inst, "divergent branches": l => l.branches_divergent,
    "local memory": l => l.lld_sectors + l.lst_sectors
};
const heatRemarks = {"stalls, us": "est_stall_for"};

// The lines of a file that a kernel executed, with what lies between; gaps of more than a few lines are left out.
function shownLines(file, lines) {
    const around = 3, source = (data.sources || {})[file], shown = [];
    const known = new Map(lines.map(l => [l.line, l]));
    if (!source) return lines.map(l => ({line: l.line, text: l.text, counts: l}));
    const texts = source.split("\n");
    for (let n = 1; n <= texts.length; n++) {
        let isNear = false;
        for (let d = -around; d <= around && !isNear; d++) isNear = known.has(n + d);
        if (isNear) shown.push({line: n, text: texts[n - 1], counts: known.get(n)});
    }
    return shown;
}

function makeHeatSelect(k, lines) {
    const select = make("select", {"aria-label": "what the colours and the numbers beside the lines count"});
    for (const name of Object.keys(heats))
        if (lines.some(l => heats[name](l) > 0)) select.append(make("option", {}, name));
    return select;
}

// A line with code is a button, which marks its instructions.
function makeNumber(file, line, code, chosen) {
    if (!code || !code.lines.has(`${file}:${line}`)) return String(line);
    const button = make("button", {type: "button", "aria-label": `line ${line}, mark its code`}, String(line));
    button.addEventListener("click", () => chosen(file, line));
    return button;
}

function makeFile(k, file, lines, code, chosen) {
    const rows = shownLines(file, lines), body = make("tbody"), head = make("th", {scope: "col"});
    const select = makeHeatSelect(k, lines);
    const update = () => {
        const heat = heats[select.value] || (() => 0), most = d3.max(lines, heat) || 1;
        const remark = heatRemarks[select.value];
        head.textContent = select.value;
        body.replaceChildren(...rows.map(r => {
            const value = r.counts ? heat(r.counts) : 0, share = value / most;
            return make("tr", {id: lineName(k.mangled, file, r.line), "data-line": `${file}:${r.line}`,
                               style: `background: rgba(var(--heat), ${(share * .35).toFixed(3)})`},
                        make("td", {}, value ? number(value) + (remark && r.counts[remark] ? " " + r.counts[remark] : "") : ""),
                        make("td", {class: "number"}, makeNumber(file, r.line, code, chosen)),
                        make("td", {}, r.text));
        }));
    };
    select.addEventListener("change", update);
    update();
    const heads = [head, make("th", {scope: "col"}, "line"), make("th", {scope: "col", class: "text"}, "text")];
    return [make("h3", {}, fileName(file) + " ", select), makeWide(`${fileName(file)} of ${shortName(k.kernel)}`,
        make("table", {class: "source"}, make("thead", {}, make("tr", {}, ...heads)), body))];
}

function makeSource(k) {
    const listing = (data.profile.kernels || []).find(l => l.mangled === k.mangled);
    const files = new Map();     // by path; of D3, 5 has no group and 7 no nest
    for (const l of listing ? listing.lines.filter(l => l.line) : [])
        files.set(l.file, [...(files.get(l.file) || []), l]);
    const left = make("div", {});
    const chosen = (file, line) => {
        code.choose(file, line);
        for (const row of left.querySelectorAll("tr[data-line]"))
            row.classList.toggle("chosen", row.dataset.line === `${file}:${line}`);
    };
    const code = makeCode(k, chosen);
    left.append(...[...files].flatMap(([file, lines]) => makeFile(k, file, lines, code, chosen)));
    return [make("div", {class: code && files.size ? "beside" : ""}, left, ...(code ? [code.element] : []))];
}
