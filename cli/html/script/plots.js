// Plots that several parts of the page have.

const makeSvg = (width, height, label) => d3.create("svg").attr("viewBox", `0 0 ${width} ${height}`)
    .attr("role", "img").attr("aria-label", label);

// Horizontal bars: [{name, value, text, isMarked}]; label says the same in words.
function makeBars(rows, label, left = 105) {
    const width = left + 295, height = 22 * rows.length + 4, right = 90;
    const svg = makeSvg(width, height, `${label}: ${rows.map(r => `${r.name} ${r.text}`).join(", ")}`);
    const x = d3.scaleLinear([0, d3.max(rows, r => r.value) || 1], [left, width - right]);
    const row = svg.selectAll("g").data(rows).enter().append("g").attr("transform", (r, i) => `translate(0,${22 * i})`);
    row.append("text").attr("x", left - 6).attr("y", 15).attr("text-anchor", "end").text(r => r.name);
    row.append("rect").attr("x", left).attr("y", 3).attr("height", 16).attr("width", r => x(r.value || 0) - left)
        .attr("style", r => `fill: var(${r.isMarked ? "--bar" : "--rest"})`);
    row.append("text").attr("x", r => x(r.value || 0) + 5).attr("y", 15).text(r => r.text);
    return svg.node();
}

// Warps held against one thing that a launch asks for, with where the launch lies: see occupancy_curves.h.
function makeStair(curve) {
    const width = 300, height = 150, at = {left: 34, right: 12, top: 10, bottom: 36};
    const x = d3.scaleLinear([0, curve.last], [at.left, width - at.right]);
    const y = d3.scaleLinear([0, curve.most_warps], [height - at.bottom, at.top]);
    const held = curve.steps.filter(s => s[0] < Math.max(curve.here, 1e-9)).pop() || curve.steps[0];
    const better = curve.steps.filter(s => s[1] > held[1]).map(s => s[0]);
    const svg = makeSvg(width, height, `Warps of a multiprocessor against ${curve.axis}: ${held[1]} of ` +
        `${curve.most_warps} at ${number(curve.here)}` + (better.length ? "" : ", which nothing betters"));
    const stair = curve.steps.flatMap(([from, warps], i) => [[from, warps], [(curve.steps[i + 1] || [curve.last])[0],
                                                                            warps]]);
    svg.append("path").attr("style", "fill: var(--bar); fill-opacity: .2; stroke: var(--bar)")
        .attr("d", d3.area().x(p => x(p[0])).y0(y(0)).y1(p => y(p[1]))(stair));
    svg.append("g").attr("transform", `translate(0,${height - at.bottom})`).call(d3.axisBottom(x).ticks(5));
    svg.append("g").attr("transform", `translate(${at.left},0)`).call(d3.axisLeft(y).ticks(4));
    svg.append("text").attr("x", (at.left + width) / 2).attr("y", height - 4).attr("text-anchor", "middle")
        .text(curve.axis);
    if (curve.here > curve.last) return svg.node();
    svg.append("line").attr("x1", x(curve.here)).attr("x2", x(curve.here)).attr("y1", y(0)).attr("y2", at.top)
        .attr("style", "stroke: var(--bad); stroke-dasharray: 2 3");
    svg.append("circle").attr("cx", x(curve.here)).attr("cy", y(held[1])).attr("r", 4).attr("style",
        "fill: var(--bad)");
    return svg.node();
}

// Lines over a logarithmic axis: [{name, points: [[x, y], ...]}].
function makeLines(lines, xTitle, yTitle, isLog = true) {
    const width = 640, height = 300, at = {left: 56, right: 190, top: 12, bottom: 44};
    const all = lines.flatMap(l => l.points), colours = d3.schemeTableau10;
    const x = (isLog ? d3.scaleLog : d3.scaleLinear)(d3.extent(all, p => p[0]), [at.left, width - at.right]);
    const y = d3.scaleLinear([0, d3.max(all, p => p[1]) || 1], [height - at.bottom, at.top]);
    const svg = makeSvg(width, height, `${yTitle} against ${xTitle}: ` + lines.map(l =>
        `${l.name} up to ${number(d3.max(l.points, p => p[1]))}`).join(", "));
    svg.append("g").attr("transform", `translate(0,${height - at.bottom})`).call(d3.axisBottom(x).ticks(6, "~s"));
    svg.append("g").attr("transform", `translate(${at.left},0)`).call(d3.axisLeft(y).ticks(5));
    svg.append("text").attr("x", (at.left + width - at.right) / 2).attr("y", height - 6).attr("text-anchor", "middle")
        .text(xTitle);
    svg.append("text").attr("transform", `translate(12,${height / 2}) rotate(-90)`).attr("text-anchor", "middle")
        .text(yTitle);
    lines.forEach((l, i) => {
        svg.append("path").attr("style", `fill: none; stroke-width: 2; stroke: ${colours[i % 10]}`)
            .attr("d", d3.line()(l.points.map(p => [x(p[0]), y(p[1])])));
        svg.append("rect").attr("x", width - at.right + 10).attr("y", at.top + 16 * i).attr("width", 10)
            .attr("height", 10).attr("style", `fill: ${colours[i % 10]}`);
        svg.append("text").attr("x", width - at.right + 24).attr("y", at.top + 9 + 16 * i).text(l.name);
    });
    return svg.node();
}
