// Pictures of one access of a warp: its lanes, and the banks of shared memory, or the segments and sectors of global
// memory, that they touch.

const LANES = 32, LANE_WIDTH = 20, LANE_MIDDLE = lane => lane * LANE_WIDTH + LANE_WIDTH / 2;
const accessWords = {load: "load", store: "store", atomic: "change"};     // of several lanes

// Numbered boxes in a row, those full that are on.
function drawBoxes(svg, title, on) {
    const box = svg.selectAll("g.box").data(on).enter().append("g");
    box.append("rect").attr("x", (is, i) => i * LANE_WIDTH + 1).attr("y", 16).attr("width", LANE_WIDTH - 2)
        .attr("height", 18).attr("style", is => `fill: var(${is ? "--bar" : "--panel"})`);
    box.append("text").attr("class", is => is ? "on" : "").attr("x", (is, i) => LANE_MIDDLE(i)).attr("y", 29)
        .attr("text-anchor", "middle").text((is, i) => i);
    svg.append("text").attr("x", 0).attr("y", 11).attr("class", "faint").text(title);
}

const drawLine = (svg, lane, x, isWorst) => svg.append("line").attr("x1", LANE_MIDDLE(lane)).attr("y1", 34)
    .attr("x2", x).attr("y2", 84).attr("style", `stroke: var(${isWorst ? "--bad" : "--rest"})`);

// The words of each bank: Map from bank to the set of words that lanes want of it.
function wordsOfBanks(access) {
    const banks = new Map();
    for (const address of access.addresses.filter(a => a !== null))
        for (let byte = address; byte < address + access.width; byte += data.gpu.bank_bytes) {
            const word = Math.floor(byte / data.gpu.bank_bytes), bank = word % data.gpu.banks;
            if (!banks.has(bank)) banks.set(bank, new Set());
            banks.get(bank).add(word);
        }
    return banks;
}

function drawBanks(svg, access) {
    const words = wordsOfBanks(access), count = data.gpu.banks, width = LANES * LANE_WIDTH / count;
    const most = d3.max([...words.values()], w => w.size), bankOf = a => Math.floor(a / data.gpu.bank_bytes) % count;
    access.addresses.forEach((a, lane) => {
        if (a !== null) drawLine(svg, lane, (bankOf(a) + .5) * width, most > 1 && words.get(bankOf(a)).size === most);
    });
    for (let bank = 0; bank < count; bank++) {
        const size = words.has(bank) ? words.get(bank).size : 0;
        svg.append("rect").attr("x", bank * width + 1).attr("y", 84).attr("width", width - 2).attr("height", 18)
            .attr("style", `fill: var(${!size ? "--panel" : size > 1 ? "--bad" : "--bar"})`);
        if (size) svg.append("text").attr("class", "on").attr("x", (bank + .5) * width).attr("y", 97)
            .attr("text-anchor", "middle").text(size);
    }
    svg.append("text").attr("x", 0).attr("y", 116).attr("class", "faint")
        .text(`the ${count} banks, with how many words are wanted of each`);
    return `${words.size} of ${count} banks have what it wants, one of them ${plural(most, "word")}`;
}

function drawSectors(svg, access) {
    const sectors = [...new Set(access.addresses.filter(a => a !== null).flatMap(a =>
        d3.range(Math.floor(a / 32), Math.floor((a + access.width - 1) / 32) + 1)))].sort(d3.ascending);
    const segments = [...new Set(sectors.map(s => Math.floor(s / 4)))];
    const width = Math.min(160, LANES * LANE_WIDTH / segments.length), first = d3.min(access.addresses.filter(
        a => a !== null));
    const xOf = sector => segments.indexOf(Math.floor(sector / 4)) * width + (sector % 4 + .5) * (width - 2) / 4;
    access.addresses.forEach((a, lane) => {
        if (a !== null) drawLine(svg, lane, xOf(Math.floor(a / 32)), access.cost > access.ideal);
    });
    for (const [i, segment] of segments.entries()) {
        for (let s = 0; s < 4; s++)
            svg.append("rect").attr("x", i * width + s * (width - 2) / 4).attr("y", 84).attr("width", (width - 2) / 4 -
                (width > 30 ? 1 : 0)).attr("height", 18).attr("style",
                `fill: var(${sectors.includes(segment * 4 + s) ? "--bar" : "--panel"}); stroke: var(--rest)`);
        const hasRoom = i * width + 60 <= LANES * LANE_WIDTH || width > 60;
        if (hasRoom && (width > 60 || i % Math.ceil(60 / width) === 0)) svg.append("text").attr("class", "faint").attr("y", 116)
            .attr("x", i * width).text(`+${segment * 128 - Math.floor(first / 128) * 128}`);
    }
    svg.append("text").attr("x", 0).attr("y", 131).attr("class", "faint")
        .text("segments of 128 bytes with their four sectors, from the first one on");
    return `${plural(sectors.length, "sector")} of 32 bytes in ${plural(segments.length, "segment")} of 128 bytes`;
}

// How far neighbouring lanes are apart, where all are as far.
function strideOf(access) {
    const on = access.addresses.map((a, lane) => [a, lane]).filter(p => p[0] !== null);
    const steps = new Set(on.slice(1).map(([a, lane], i) => (a - on[i][0]) / (lane - on[i][1])));
    return steps.size === 1 ? [...steps][0] : null;
}

function makeAccess(access, name) {
    const isShared = access.space === "shared", svg = makeSvg(LANES * LANE_WIDTH, isShared ? 122 : 136, "");
    const on = access.addresses.filter(a => a !== null).length, stride = strideOf(access);
    const touched = isShared ? drawBanks(svg, access) : drawSectors(svg, access);
    drawBoxes(svg, "lanes", access.addresses.map(a => a !== null));
    const unit = plural(access.cost, isShared ? "pass" : "sector");
    const judgement = access.cost > access.ideal ? `, where ${access.ideal} would do` : ", as few as can be";
    const words = `${plural(on, "lane")} of a warp ${accessWords[access.kind]} ${access.width} bytes each` +
        (stride === null ? "" : stride ? `, ${number(Math.abs(stride))} bytes apart` : ", all the same") +
        `: ${unit}${judgement}; ${touched}.`;
    svg.attr("aria-label", words);
    const label = `${access.kind} of ${access.space} memory, ${fileName(access.file)}:${access.line}, ${shortName(name)}`;
    return make("figure", {}, make("figcaption", {}, words), makeWide(label, svg.node()));
}

// Of a kernel's lines those whose accesses cost most beyond the least.
function makeAccesses(k) {
    const most = 4, all = (data.accesses || []).filter(a => a.mangled === k.mangled && a.line);
    all.sort((a, b) => (b.cost - b.ideal) - (a.cost - a.ideal) || b.cost - a.cost);
    if (!all.length) return [];
    return [make("h3", {}, "One access of a warp"), ...all.slice(0, most).map((a, i) => {
        const details = make("details", i ? {} : {open: ""},
            make("summary", {}, `${fileName(a.file)}:${a.line} ${accessWords[a.kind]}s ${a.space} memory: ` +
                `${plural(a.cost, a.space === "shared" ? "pass" : "sector")}, ${a.ideal} at best`));
        details.append(makeAccess(a, k.kernel));
        return details;
    })];
}
