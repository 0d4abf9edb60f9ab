// Where labels stand, from the top down, so that none lies on another: Map from point to height.
function spreadLabels(points, heightOf) {
    const least = 13, places = new Map();
    let last = -Infinity;
    for (const p of [...points].sort((a, b) => heightOf(a) - heightOf(b))) {
        last = Math.max(heightOf(p), last + least);
        places.set(p, last);
    }
    return places;
}

// Warp instructions over the sectors that they move: under which roof a kernel stands (the instruction roofline).
function makeRoofline(kernels) {
    const g = data.gpu, points = kernels.filter(k => k.est_us > 0 && k.l2_sectors > 0 && k.inst > 0).map(k => ({
        name: shortName(k.kernel), x: k.inst / k.l2_sectors, y: k.inst / k.est_us / 1e3, share: k.share_pct}));
    if (!points.length || !(g.sectors_per_ns > 0) || !(g.inst_per_ns > 0)) return [];
    const width = 640, height = 360, at = {left: 60, right: 20, top: 12, bottom: 44};
    const ridge = g.inst_per_ns / g.sectors_per_ns;
    const [low, high] = d3.extent(points.map(p => p.x).concat([ridge]));
    const x = d3.scaleLog([low / 4, high * 4], [at.left, width - at.right]);
    const bottom = Math.min(d3.min(points, p => p.y), g.inst_per_ns / 1000) / 2;
    const y = d3.scaleLog([bottom, g.inst_per_ns * 2], [height - at.bottom, at.top]);
    const svg = makeSvg(width, height, "Roofline: " + points.map(p =>
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
    const labelAt = spreadLabels(points, p => y(clip(p.y)));
    const dot = svg.selectAll("g.dot").data(points).enter().append("g");
    dot.append("circle").attr("cx", p => x(p.x)).attr("cy", p => y(clip(p.y))).attr("r", p => 4 + p.share / 12)
        .attr("style", "fill: var(--bad); fill-opacity: .6").append("title").text(p =>
            `${p.name}: ${percent(p.share)} of the time`);
    dot.append("text").attr("y", p => labelAt.get(p) + 4).text(p => p.name)
        .attr("text-anchor", p => x(p.x) > width * .7 ? "end" : "start")
        .attr("x", p => x(p.x) + (x(p.x) > width * .7 ? -1 : 1) * (8 + p.share / 12));
    return [makeSection("roofline", "Roofline", make("p", {class: "faint"},
        "Warp instructions by the 32-byte sectors that they move, against what the schedulers issue and the memory " +
        "brings; a dot grows with the kernel's share of the time."),
        make("div", {class: "plot"}, makeWide("roofline plot", svg.node())))];
}
