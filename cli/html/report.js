// Draws a profile from the data in the page: kernels by cost, then each of them; plots by D3.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const kernels = data.profile ? data.profile.summary : [];
const heaviest = new Map((data.heaviest ? data.heaviest.launches : []).map(l => [l.mangled, l]));
const page = document.querySelector("main");

// ---- Elements and numbers -------------------------------------------------------------------------------------------

// make("td", {class: "bad"}, "text", element, ...)
function make(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    element.append(...children);
    return element;
}

// As the tables on a terminal shorten them.
function number(value) {
    if (value === null || value === undefined || !isFinite(value)) return "-";
    if (value >= 1e6) return (value / 1e6).toPrecision(3) + " M";
    if (Number.isInteger(value)) return String(value);
    return value < 100 ? String(+value.toPrecision(3)) : value.toFixed(0);
}
const percent = value => (value < 9.95 && value > 0 ? value.toFixed(1) : value.toFixed(0)) + "%";
const shortName = kernel => {
    let depth = 0, end = kernel.length;
    for (let i = kernel.length - 1; i > 0; i--) {
        depth += (kernel[i] === ")") - (kernel[i] === "(");
        if (kernel[i] === "(" && depth === 0) { end = i; break; }
    }
    return kernel.slice(0, end).replace(/^[\w:]+ (?=\S)/, "");
};
const ratio = (actual, ideal) => ideal > 0 ? actual / ideal : null;
const judged = value => value === null ? "" : value <= 1.05 ? "good" : value >= 2 ? "bad" : "";
const kernelId = mangled => "kernel-" + mangled.replace(/[^\w-]/g, "_");

const ratios = {
    "loads, sectors": k => ratio(k.gld_sectors, k.gld_sectors_ideal),
    "stores, sectors": k => ratio(k.gst_sectors, k.gst_sectors_ideal),
    "bank passes": k => ratio(k.smem_wavefronts, k.smem_wavefronts_ideal)
};

// ---- The table of kernels: sorted by its headings, searched by names ------------------------------------------------

const columns = [
    {title: "kernel", of: k => shortName(k.kernel), text: true},
    {title: "launches", of: k => k.launches, show: number},
    {title: "share of time", of: k => k.share_pct, show: percent},
    {title: "est. us", of: k => k.est_us, show: number},
    {title: "bound", of: k => k.est_bound},
    ...Object.entries(ratios).map(([title, of]) => ({title, of, show: v => v === null ? "-" : v.toFixed(1) + "x",
        judged})),
    {title: "occupancy", of: k => k.occupancy_pct, show: percent},
    {title: "divergent", of: k => k.branches ? 100 * k.branches_divergent / k.branches : null,
     show: v => v === null ? "-" : percent(v)}
];

function fillRows(body, rows) {
    body.replaceChildren(...rows.map(k => make("tr", {}, ...columns.map(c => {
        const value = c.of(k);
        if (c.text) return make("td", {class: "name"}, make("a", {href: "#" + kernelId(k.mangled)}, value));
        return make("td", {class: c.judged ? c.judged(value) : ""}, c.show ? c.show(value) : value || "-");
    }))));
}

function makeKernelTable() {
    const body = make("tbody"), head = make("tr"), search = make("input", {type: "search", id: "search"});
    let by = columns[3], isDescending = true;
    const update = () => {
        const wanted = search.value.toLowerCase(), order = isDescending ? -1 : 1;
        const rows = kernels.filter(k => k.kernel.toLowerCase().includes(wanted));
        rows.sort((a, b) => order * d3.ascending(by.of(a), by.of(b)));
        fillRows(body, rows);
        for (const [i, c] of columns.entries())
            head.children[i].setAttribute("aria-sort", c !== by ? "none" : isDescending ? "descending" : "ascending");
    };
    for (const c of columns) {
        const button = make("button", {type: "button"}, c.title);
        button.addEventListener("click", () => {
            isDescending = by === c ? !isDescending : !c.text;
            by = c;
            update();
        });
        head.append(make("th", {scope: "col"}, button));
    }
    search.addEventListener("input", update);
    update();
    return make("section", {"aria-labelledby": "kernels"}, make("h2", {id: "kernels"}, "Kernels, by what they cost"),
                make("p", {}, make("label", {for: "search"}, "Search "), search),
                make("div", {class: "wide", tabindex: "0", role: "region", "aria-labelledby": "kernels"},
                     make("table", {}, make("thead", {}, head), body)));
}

// ---- Plots ----------------------------------------------------------------------------------------------------------

// Horizontal bars: [{name, value, text, isMarked}]; label says the same in words.
function makeBars(rows, label) {
    const width = 400, height = 22 * rows.length + 4, left = 105, right = 90;
    const svg = d3.create("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img").attr("aria-label",
        label);
    const x = d3.scaleLinear([0, d3.max(rows, r => r.value) || 1], [left, width - right]);
    const row = svg.selectAll("g").data(rows).enter().append("g").attr("transform", (r, i) => `translate(0,${22 * i})`);
    row.append("text").attr("x", left - 6).attr("y", 15).attr("text-anchor", "end").text(r => r.name);
    row.append("rect").attr("x", left).attr("y", 3).attr("height", 16).attr("width", r => x(r.value) - left)
        .attr("style", r => `fill: var(${r.isMarked ? "--bar" : "--rest"})`);
    row.append("text").attr("x", r => x(r.value) + 5).attr("y", 15).text(r => r.text);
    return svg.node();
}

function makeBounds(k) {
    const parts = ["memory", "shared", "issue", "latency", "launch"];
    const rows = parts.map(p => ({name: p, value: k["est_us_" + p] / k.launches, isMarked: p === k.est_bound,
                                  text: number(k["est_us_" + p] / k.launches) + " us"}));
    const label = "Time that each resource alone would take: " + rows.map(r => `${r.name} ${r.text}`).join(", ");
    return [make("h3", {}, "What bounds it, us per launch, each alone"), makeBars(rows, label)];
}

function makeOccupancy(k) {
    const l = heaviest.get(k.mangled), found = [make("h3", {}, "Occupancy " + percent(k.occupancy_pct))];
    if (!l) return found;
    const limits = {warps: l.limit_warps, blocks: l.limit_blocks, registers: l.limit_regs,
        "shared memory": l.limit_smem};
    const held = Math.min(...Object.values(limits));
    const rows = Object.entries(limits).filter(e => e[1] < 0xffffffff)
        .map(([name, value]) => ({name, value, text: value + " blocks", isMarked: value === held}));
    const shape = s => s.filter((n, i) => i === 0 || n > 1 || s[2] > 1).join(" x ");
    found.push(make("p", {}, `Blocks of ${shape(l.block)} threads with ${l.regs_estimated ? "about " : ""}${l.regs} ` +
                    `registers each and ${l.smem_static + l.smem_dynamic} bytes of shared memory; grid ` +
                    `${shape(l.grid)}.`));
    found.push(makeBars(rows, "Blocks that a multiprocessor would hold by each limit alone: " +
                        rows.map(r => `${r.name} ${r.value}`).join(", ")));
    return found;
}

// Warp instructions over the sectors that they move: under which roof a kernel stands (the instruction roofline).
function makeRoofline() {
    const g = data.gpu, points = kernels.filter(k => k.est_us > 0 && k.l2_sectors > 0 && k.inst > 0).map(k => ({
        name: shortName(k.kernel), x: k.inst / k.l2_sectors, y: k.inst / k.est_us / 1e3, share: k.share_pct}));
    if (!points.length || !(g.sectors_per_ns > 0) || !(g.inst_per_ns > 0)) return [];
    const width = 640, height = 360, at = {left: 60, right: 20, top: 12, bottom: 44};
    const ridge = g.inst_per_ns / g.sectors_per_ns;
    const [low, high] = d3.extent(points.map(p => p.x).concat([ridge]));
    const x = d3.scaleLog([low / 4, high * 4], [at.left, width - at.right]);
    const bottom = Math.min(d3.min(points, p => p.y), g.inst_per_ns / 1000) / 2;
    const y = d3.scaleLog([bottom, g.inst_per_ns * 2], [height - at.bottom, at.top]);
    const svg = d3.create("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img").attr("aria-label",
        "Roofline: " + points.map(p =>
            `${p.name} ${number(p.y)} instructions per ns at ${number(p.x)} per sector`).join("; "));
    svg.append("g").attr("transform", `translate(0,${height - at.bottom})`).call(d3.axisBottom(x).ticks(6, "~g"));
    svg.append("g").attr("transform", `translate(${at.left},0)`).call(d3.axisLeft(y).ticks(5, "~g"));
    svg.append("text").attr("x", width / 2).attr("y", height - 6).attr("text-anchor", "middle")
        .text("warp instructions per 32-byte sector");
    svg.append("text").attr("transform", `translate(14,${height / 2}) rotate(-90)`).attr("text-anchor", "middle")
        .text("warp instructions per ns");
    const clip = v => Math.max(v, bottom);
    const left = Math.max(x.domain()[0], bottom / g.sectors_per_ns);
    svg.append("path").attr("style", "fill: none; stroke: var(--bar); stroke-width: 2").attr("d", d3.line()([
        [x(left), y(clip(left * g.sectors_per_ns))], [x(ridge), y(g.inst_per_ns)], [x.range()[1], y(g.inst_per_ns)]]));
    svg.append("text").attr("x", width - at.right).attr("y", y(g.inst_per_ns) - 5).attr("text-anchor", "end")
        .attr("class", "faint").text("all schedulers issue");
    const dot = svg.selectAll("g.dot").data(points).enter().append("g");
    dot.append("circle").attr("cx", p => x(p.x)).attr("cy", p => y(clip(p.y))).attr("r", p => 4 + p.share / 12)
        .attr("style", "fill: var(--bad); fill-opacity: .6").append("title").text(p =>
            `${p.name}: ${percent(p.share)} of the time`);
    dot.append("text").attr("y", p => y(clip(p.y)) + 4).text(p => p.name)
        .attr("text-anchor", p => x(p.x) > width * .7 ? "end" : "start")
        .attr("x", p => x(p.x) + (x(p.x) > width * .7 ? -1 : 1) * (8 + p.share / 12));
    return [make("section", {"aria-labelledby": "roofline"}, make("h2", {id: "roofline"}, "Roofline"),
                 make("p", {class: "faint"},
                     "Warp instructions by the 32-byte sectors that they move, against what the " +
                      "schedulers issue and the memory brings; a dot grows with the kernel's share of the time."),
                 svg.node())];
}

// ---- A kernel -------------------------------------------------------------------------------------------------------

function makeCounters(k) {
    const rows = [["sectors of global loads", k.gld_sectors, k.gld_sectors_ideal],
                  ["sectors of global stores", k.gst_sectors, k.gst_sectors_ideal],
                  ["sectors, with atomics", k.l2_sectors, k.l2_sectors_ideal],
                  ["shared-memory passes", k.smem_wavefronts, k.smem_wavefronts_ideal],
                  ["warp instructions", k.inst, k.thread_inst / 32]].filter(r => r[1] > 0);
    const body = rows.map(([name, actual, ideal]) => make("tr", {}, make("th", {scope: "row"}, name),
        make("td", {}, number(actual)), make("td", {}, number(Math.round(ideal))),
        make("td", {class: judged(ratio(actual, ideal))}, ideal > 0 ? (actual / ideal).toFixed(2) + "x" : "-")));
    const plain = [["local memory", 32 * (k.lld_sectors + k.lst_sectors), " B"], ["spills per thread", k.spill_bytes,
        " B"],
                   ["barriers", k.barriers, ""], ["atomics", k.atomics, ""]].filter(r => r[1] > 0);
    for (const [name, value, unit] of plain)
        body.push(make("tr", {}, make("th", {scope: "row"}, name), make("td", {}, number(value) + unit), make("td",
            {}), make("td", {})));
    const head = ["", "counted", "ideal", "ratio"].map(t => t ? make("th", {scope: "col"}, t) : make("td", {}));
    return [make("h3", {}, "Counters beside the ideal"), make("div", {class: "wide"},
            make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body)))];
}

const lineName = (mangled, file, line) => `${kernelId(mangled)}-${file.replace(/[^\w-]/g, "_")}-${line}`;

function makeAdvice(k) {
    const advice = (data.profile.advice || []).filter(a => a.kernel === k.kernel);
    return advice.map(a => make("div", {class: "advice"},
        make("p", {}, make("strong", {}, a.finding),
            ` \u2014 ${number(a.est_us_before)} us would be ${number(a.est_us_after)} us. `,
             a.line ? make("a", {href: "#" + lineName(k.mangled, a.file, a.line)},
                 `${a.file.split("/").pop()}:${a.line}`) : ""),
        make("p", {}, a.remedy[0].toUpperCase() + a.remedy.slice(1) + ".")));
}

const heats = {
    "sectors": l => l.gld_sectors + l.gst_sectors, "bank passes": l => l.smem_wavefronts, "instructions": l => l.inst,
    "lanes off": l => 32 * l.inst - l.thread_inst, "divergent branches": l => l.branches_divergent,
    "local memory": l => l.lld_sectors + l.lst_sectors
};

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

function makeFile(k, file, lines) {
    const rows = shownLines(file, lines), body = make("tbody"), head = make("th", {scope: "col"});
    const select = make("select", {"aria-label": "what the colours and the numbers beside the lines count"});
    for (const name of Object.keys(heats))
        if (lines.some(l => heats[name](l) > 0)) select.append(make("option", {}, name));
    const wanted = {shared: "bank passes", issue: "instructions"}[k.est_bound];
    if ([...select.options].some(o => o.value === wanted)) select.value = wanted;
    const update = () => {
        const heat = heats[select.value], most = d3.max(lines, heat) || 1;
        head.textContent = select.value;
        body.replaceChildren(...rows.map(r => {
            const value = r.counts ? heat(r.counts) : 0, share = value / most;
            return make("tr", {id: lineName(k.mangled, file, r.line),
                style: `background: rgba(var(--heat), ${(share * .35).toFixed(3)})`},
                        make("td", {}, value ? number(value) : ""), make("td", {class: "number"}, String(r.line)),
                            make("td", {}, r.text));
        }));
    };
    select.addEventListener("change", update);
    update();
    return [make("h3", {}, file.split("/").pop() + " ", select), make("div", {class: "wide", tabindex: "0",
        role: "region",
            "aria-label": "source of " + file.split("/").pop()}, make("table", {class: "source"},
            make("thead", {}, make("tr", {}, head, make("th", {scope: "col"}, "line"),
                                                                make("th", {scope: "col", class: "text"}, "text"))),
                                                                    body))];
}

function makeSource(k) {
    const listing = (data.profile.kernels || []).find(l => l.mangled === k.mangled);
    const files = new Map();     // by path; of D3, 5 has no group and 7 no nest
    for (const l of listing ? listing.lines.filter(l => l.line) : [])
        files.set(l.file, [...(files.get(l.file) || []), l]);
    return [...files].flatMap(([file, lines]) => makeFile(k, file, lines));
}

function makeKernel(k) {
    const id = kernelId(k.mangled);
    return make("section", {"aria-labelledby": id}, make("h2", {id}, shortName(k.kernel)),
        make("p", {class: "faint"},
            `${k.kernel} \u2014 ${k.launches} launch${k.launches === 1 ? "" : "es"}, ${number(k.est_us)} us ` +
            `by the estimate (${percent(k.share_pct)} of the program's), held up by ${k.est_bound || "a fault"}; ` +
            `PTX by ${k.ptx_by || "an unknown compiler"}`),
        ...makeAdvice(k),
        make("div", {class: "columns"}, make("div", {}, ...makeBounds(k)), make("div", {}, ...makeOccupancy(k)),
             make("div", {}, ...makeCounters(k))),
        ...makeSource(k));
}

// ---- The page -------------------------------------------------------------------------------------------------------

function makeHazards() {
    if (!data.findings) return [];
    const list = data.findings.findings;
    const items = list.map(f => make("div", {class: "hazard"},
        make("p", {}, make("strong", {}, f.kind),
            ` \u2014 ${f.sentence}${f.memory ? ": " + f.memory : ""}. ${f.count > 1 ? f.count + " times." : ""}`),
        make("ul", {}, ...f.sides.map(s => make("li", {}, s.file ? make("code", {}, `${s.file}:${s.line} `) : s.site
            ? s.site + " " : "", s.text))),
        make("p", {}, f.remedy[0].toUpperCase() + f.remedy.slice(1) + ".")));
    return [make("section", {"aria-labelledby": "hazards"}, make("h2", {id: "hazards"}, "Hazards"),
                 ...(items.length ? items : [make("p", {class: "good"}, "None were found.")]))];
}

function makeSummary() {
    const p = data.profile;
    if (!p) return [];
    const us = d3.sum(kernels, k => k.est_us), launches = d3.sum(kernels, k => k.launches);
    return [make("p", {}, `${p.gpu.name} (${p.gpu.id}), compute capability ${p.gpu.compute_capability}, simulated: ` +
                 `${launches} launches of ${kernels.length} kernels, ${number(us)} us by the estimate.`)];
}

document.getElementById("heading").after(...makeSummary());
page.append(...makeHazards());
if (kernels.length) page.append(makeKernelTable(), ...makeRoofline(), ...kernels.map(makeKernel));
else if (data.profile) page.append(make("p", {}, "No kernel was launched."));
