// What the host called and what each stream and copy engine did, by the GPU's own clock: the rows of --trace.

const trackKey = event => `${event.pid} ${event.tid}`;
const kindColours = {kernel: "--bar", copy: "--good", set: "--rest", call: "--rest", range: "--accent"};

const spanName = event => event.cat === "kernel" ? shortName(event.name) : event.name;

function readTracks(events) {
    const named = name => new Map(events.filter(e => e.ph === "M" && e.name === name).map(e =>
        [name === "process_name" ? e.pid : trackKey(e), e.args.name]));
    const processes = named("process_name"), threads = named("thread_name");
    const tracks = d3.groups(events.filter(e => e.ph === "X" && e.dur > 0), trackKey).map(([key, spans]) => ({
        name: `${threads.size > 1 && processes.size > 2 ? processes.get(spans[0].pid) + ", " : ""}${threads.get(key)}`,
        pid: spans[0].pid, tid: spans[0].tid, spans}));
    return tracks.sort((a, b) => a.pid - b.pid || a.tid - b.tid);
}

function drawTracks(svg, tracks, x, left) {
    tracks.forEach((t, i) => {
        const y = 4 + 24 * i;
        svg.append("text").attr("x", left - 6).attr("y", y + 14).attr("text-anchor", "end").text(t.name);
        const span = svg.append("g").selectAll("g").data(t.spans).enter().append("g");
        span.append("rect").attr("x", e => x(e.ts)).attr("y", y).attr("height", 18)
            .attr("width", e => Math.max(.5, x(e.ts + e.dur) - x(e.ts)))
            .attr("style", e => `fill: var(${kindColours[e.cat] || "--rest"})`)
            .append("title").text(e => `${e.name}: ${number(e.dur)} us from ${number(e.ts)} us on`);
        span.filter(e => x(e.ts + e.dur) - x(e.ts) > 8 * Math.min(12, spanName(e).length)).append("text")
            .attr("class", "on").attr("x", e => x(e.ts) + 4).attr("y", y + 13)
            .text(e => spanName(e).slice(0, Math.floor((x(e.ts + e.dur) - x(e.ts)) / 7)));
    });
}

function makeTimeline() {
    if (!data.trace) return [];
    const tracks = readTracks(data.trace.traceEvents), spans = tracks.flatMap(t => t.spans);
    if (!spans.length) return [];
    const width = 1000, left = 120, height = 24 * tracks.length + 40, end = d3.max(spans, e => e.ts + e.dur);
    const x = d3.scaleLinear([d3.min(spans, e => e.ts), end], [left, width - 16]);
    const svg = makeSvg(width, height, "Timeline: " + tracks.map(t =>
        `${t.name} ${plural(t.spans.length, "span")}, ${number(d3.sum(t.spans, e => e.dur))} us`).join("; "));
    svg.append("g").attr("transform", `translate(0,${height - 34})`).call(d3.axisBottom(x).ticks(8));
    svg.append("text").attr("x", (left + width) / 2).attr("y", height - 2).attr("text-anchor", "middle")
        .text("us of the GPU's clock");
    drawTracks(svg, tracks, x, left);
    return [makeSection("timeline", "Timeline", make("p", {class: "faint"},
        "Copies and sets beside kernels and the host's calls; what the program computes between two calls takes no " +
        "time. A long program's first part is shown; --trace FILE has all of it, for Perfetto."),
        makeWide("tracks over time", svg.node()))];
}
