// All that is said of one kernel.

const heaviest = new Map((data.heaviest ? data.heaviest.launches : []).map(l => [l.mangled, l]));

function makeBounds(k) {
    const parts = ["memory", "shared", "issue", "latency", "launch"];
    const rows = parts.map(p => ({name: p, value: k["est_us_" + p] / k.launches, isMarked: p === k.est_bound,
                                  text: number(k["est_us_" + p] / k.launches) + " us"}));
    return [make("h3", {}, "What bounds it, us per launch, each alone"),
            makeBars(rows, "Time that each resource alone would take")];
}

// Blocks that a multiprocessor would hold by each limit alone; o has the limits' columns.
function makeLimits(o) {
    const limits = {warps: o.limit_warps, blocks: o.limit_blocks, registers: o.limit_regs,
                    "shared memory": o.limit_smem};
    const held = Math.min(...Object.values(limits).filter(v => v !== null));
    const rows = Object.entries(limits).filter(e => e[1] !== null && e[1] < 0xffffffff)
        .map(([name, value]) => ({name, value, text: plural(value, "block"), isMarked: value === held}));
    return makeBars(rows, "Blocks that a multiprocessor would hold by each limit alone");
}

function makeOccupancy(k) {
    const l = heaviest.get(k.mangled), found = [make("h3", {}, "Occupancy " + percent(k.occupancy_pct))];
    if (!l) return found;
    return [...found, make("p", {}, `Blocks of ${shape(l.block)} threads with ${l.regs_estimated ? "about " : ""}` +
                `${l.regs} registers each and ${l.smem_static + l.smem_dynamic} bytes of shared memory; grid ` +
                `${shape(l.grid)}.`), makeLimits(l)];
}

function makeCurves(curves) {
    if (!curves) return [];
    return [make("h3", {}, "Warps of a multiprocessor, if the launch asked for more or less"),
            make("div", {class: "columns three"}, ...curves.map(makeStair))];
}

function makeCounters(k) {
    const rows = [["sectors of global loads", k.gld_sectors, k.gld_sectors_ideal],
                  ["sectors of global stores", k.gst_sectors, k.gst_sectors_ideal],
                  ["sectors, with atomics", k.l2_sectors, k.l2_sectors_ideal],
                  ["shared-memory passes", k.smem_wavefronts, k.smem_wavefronts_ideal],
                  ["warp instructions", k.inst, k.thread_inst / 32]].filter(r => r[1] > 0);
    const body = rows.map(([name, actual, ideal]) => make("tr", {}, make("th", {scope: "row"}, name),
        make("td", {}, number(actual)), make("td", {}, number(Math.round(ideal))),
        make("td", {class: judged(ratio(actual, ideal))}, ideal > 0 ? (actual / ideal).toFixed(2) + "x" : "-")));
    const plain = [["local memory", 32 * (k.lld_sectors + k.lst_sectors), " B"],
                   ["spills per thread", k.spill_bytes, " B"], ["barriers", k.barriers, ""],
                   ["atomics", k.atomics, ""]].filter(r => r[1] > 0);
    for (const [name, value, unit] of plain)
        body.push(make("tr", {}, make("th", {scope: "row"}, name), make("td", {}, number(value) + unit),
                       make("td", {}), make("td", {})));
    const head = ["", "counted", "ideal", "ratio"].map(t => t ? make("th", {scope: "col"}, t) : make("td", {}));
    return [make("h3", {}, "Counters beside the ideal"), makeWide("counters of " + shortName(k.kernel),
        make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body)))];
}

function makeAdvice(k) {
    const advice = (data.profile.advice || []).filter(a => a.kernel === k.kernel);
    return advice.map(a => make("div", {class: "advice"},
        make("p", {}, make("strong", {}, a.finding),
             ` \u2014 ${number(a.est_us_before)} us would be ${number(a.est_us_after)} us. `,
             a.line ? make("a", {href: "#" + lineName(k.mangled, a.file, a.line)}, `${fileName(a.file)}:${a.line}`)
                    : ""),
        make("p", {}, sentence(a.remedy))));
}

function makeKernel(k) {
    return makeSection(kernelId(k.mangled), shortName(k.kernel),
        make("p", {class: "faint"},
            `${k.kernel} \u2014 ${plural(k.launches, "launch")}, ${number(k.est_us)} us ` +
            `by the estimate (${percent(k.share_pct)} of the program's), held up by ${k.est_bound || "a fault"}; ` +
            `PTX by ${k.ptx_by || "an unknown compiler"}`),
        ...makeAdvice(k),
        make("div", {class: "columns"}, make("div", {}, ...makeBounds(k)), make("div", {}, ...makeOccupancy(k)),
             make("div", {}, ...makeCounters(k))),
        ...makeCurves((data.curves || {})[k.mangled]), ...makeSource(k), ...makeAccesses(k), ...makePartitions(k));
}
