// The pages of occupancy, ladder, bandwidth, bench and diff.

const valueOf = key => row => row[key] === undefined ? null : row[key];
const column = (title, key, show, judged) => ({title, of: valueOf(key), show, judged});

// ---- occupancy ------------------------------------------------------------------------------------------------------

function makeOccupancyRow(o, curves) {
    const title = o.kernel ? shortName(o.kernel) : plural(o.block, "thread");
    const smem = o.smem === undefined ? o.smem_static + o.smem_dynamic : o.smem;
    return makeSection(kernelId(o.kernel || "launch"), title,
        make("p", {}, `Blocks of ${o.block} threads${o.regs ? ` with ${o.regs} registers each` : ""} and ${smem} ` +
             `bytes of shared memory: ${plural(o.blocks, "block")}, ${plural(o.warps, "warp")}, ` +
             `${percent(o.occupancy_pct)}, limited by ${o.limiter}.`),
        makeLimits(o), ...makeCurves(curves));
}

function makeOccupancies(occupancy) {
    const rows = occupancy.kernels || [occupancy];
    const columns = [{title: "kernel", of: o => shortName(o.kernel), link: o => "#" + kernelId(o.kernel)},
                     column("block", "block"), column("registers", "regs"), column("blocks", "blocks"),
                     column("warps", "warps"), column("occupancy", "occupancy_pct", percent),
                     column("limiter", "limiter")];
    const table = occupancy.kernels ? [makeSection("kernels", "Kernels", ...makeTable("kernels", columns, rows))] : [];
    return [make("p", {}, `On the GPU ${occupancy.gpu}.`), ...table,
            ...rows.map((o, i) => makeOccupancyRow(o, data.curves && data.curves[i]))];
}

// ---- ladder ---------------------------------------------------------------------------------------------------------

const rungTime = r => r.ns_median ? r.ns_median / 1e3 : r.est_us === undefined ? null : r.est_us;
const sectorsOf = r => r.counters ? r.counters.gld_sectors + r.counters.gst_sectors : null;
const idealOf = r => r.counters ? r.counters.gld_sectors_ideal + r.counters.gst_sectors_ideal : null;
const rungColumns = [
    {title: "version", of: r => r.rung}, {title: "idea", of: r => r.idea || "-"},
    {title: "block", of: r => r.block ? r.block.join(" x ") : "-"}, {title: "result", of: r => r.result},
    {title: "us", of: rungTime, show: number},
    {title: "step", of: r => r.step || r.est_step || null, show: v => v === null ? "-" : v.toFixed(2) + "x"},
    {title: "bound", of: r => r.bound || "-"},
    {title: "occupancy", of: r => r.occupancy_pct === undefined ? null : r.occupancy_pct,
     show: v => v === null ? "-" : percent(v)},
    {title: "sectors", of: r => ratio(sectorsOf(r), idealOf(r)), show: times, judged},
    {title: "bank passes", of: r => r.counters ? ratio(r.counters.smem_wavefronts, r.counters.smem_wavefronts_ideal)
                                               : null, show: times, judged}
];

const adviceColumns = [
    {title: "version", of: a => a.rung}, {title: "est. us", of: a => a.est_us_before, show: number},
    {title: "would be", of: a => a.est_us_after, show: number}, {title: "what is wrong", of: a => a.finding},
    {title: "what to do", of: a => a.remedy}
];

const makeLadderAdvice = advice => advice.length ? [makeSection("advice", "Advice, each by itself",
    ...makeTable("advice", adviceColumns, advice))] : [];

function makeLadder(ladder) {
    const timed = ladder.rungs.filter(r => rungTime(r) !== null), best = d3.min(timed, rungTime);
    const size = Object.entries(ladder.size).map(([name, value]) => `${value} ${name}`).join(", ");
    return [make("p", {}, `${ladder.device}: ${size}, ${ladder.dtype}.`),
        makeSection("versions", "Every version", ...makeTable("versions", rungColumns, ladder.rungs),
            make("h3", {}, timed.some(r => r.ns_median) ? "Time, us" : "Time by the estimate, us"),
            makeBars(timed.map(r => ({name: r.rung, value: rungTime(r), text: number(rungTime(r)),
                                      isMarked: rungTime(r) === best})), "Time of each version in us", 130)),
        ...makeLadderAdvice(ladder.advice || [])];
}

function makeSweep(sweep) {
    const byRung = d3.groups(sweep.curves, c => c.rung);
    return byRung.map(([rung, curves]) => makeSection("rung-" + rung, rung, makeLines(curves.map(c => ({name: c.gpu,
        points: c.points.map(p => [p.step, p.gbs])})), "step", "GB/s", false)));
}

// ---- bandwidth, bench -----------------------------------------------------------------------------------------------

function makeBandwidth(bandwidth) {
    const names = {to: "to the GPU", from: "from the GPU"};
    const lines = d3.groups(bandwidth.transfers, t => `${t.memory}, ${names[t.direction] || t.direction}`).map(
        ([name, rows]) => ({name, points: rows.map(t => [t.bytes, t.gbs])}));
    const columns = [{title: "memory", of: t => t.memory}, {title: "way", of: t => t.direction},
                     column("bytes", "bytes", number), column("us", "us", number), column("GB/s", "gbs", number)];
    const overlap = bandwidth.overlap.length ? [makeSection("overlap", "Copies beside kernels", ...makeTable("overlap",
        Object.keys(bandwidth.overlap[0]).map(key => column(key.replaceAll("_", " "), key,
            v => typeof v === "number" ? number(v) : String(v))), bandwidth.overlap))] : [];
    return [make("p", {}, `${bandwidth.device}${bandwidth.model ? ", by a model" : ""}.`),
        makeSection("transfers", "Transfers", makeLines(lines, "bytes", "GB/s"),
                    ...makeTable("transfers", columns, bandwidth.transfers)), ...overlap];
}

const casesOf = row => Object.entries(row).filter(([key, value]) => key !== "results" && key !== "bytes" &&
    key !== "flop" && typeof value !== "object").map(([, value]) => value).join(" ");

function makeBench(bench) {
    const who = [...new Set(bench.cases.flatMap(c => c.results.map(r => r.who)))];
    const of = (row, name) => row.results.find(r => r.who === name && r.ms);
    const columns = [{title: "case", of: casesOf}, ...who.flatMap(name => [
        {title: name + ", ms", of: r => of(r, name) ? of(r, name).ms.median : null, show: number}])];
    return [make("p", {}, `${bench.family} on ${bench.device.name}, ${bench.machine.cpu}; medians.`),
            makeSection("cases", "Cases", ...makeTable("cases", columns, bench.cases))];
}

// ---- diff -----------------------------------------------------------------------------------------------------------

const signed = value => value === null ? "-" : (value > 0 ? "+" : "") + number(value) + "%";
const changeColumns = [
    {title: "kernel", of: c => shortName(c.kernel)}, {title: "what", of: c => c.what},
    {title: "old", of: c => valueOf("old")(c), show: v => typeof v === "string" ? v : number(v)},
    {title: "new", of: c => valueOf("new")(c), show: v => typeof v === "string" ? v : number(v)},
    {title: "change", of: c => valueOf("change_pct")(c), show: signed},
    {title: "verdict", of: c => c.verdict || "-", judged: v => v === "worse" ? "bad" : v === "better" ? "good" : ""}
];
const lineColumn = {title: "line", of: c => `${fileName(c.file)}:${c.new_line || c.old_line}`};

function makeDiff(diff) {
    const kernels = diff.changes.filter(c => !c.file), lines = diff.changes.filter(c => c.file);
    const side = s => `${fileName(s.file)} (${s.gpu}): ${number(s.est_us)} us by the estimate`;
    return [make("p", {}, `Old: ${side(diff.old)}. New: ${side(diff.new)}. ${number(diff.worse)} values are worse, ` +
                 `${number(diff.better)} better.`),
        makeSection("by-kernel", "By kernel", ...makeTable("changes by kernel", changeColumns, kernels)),
        ...(lines.length ? [makeSection("by-line", "By line", ...makeTable("changes by line",
            [lineColumn, ...changeColumns], lines))] : [])];
}
