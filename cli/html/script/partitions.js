// Blocks to partitions, of GPUs whose addresses decide which partition of the memory serves them (1.x).

// A partition that has half as much again as the others' mean holds them up.
function drawPartitions(svg, way, share) {
    const count = way.bytes.length, width = LANES * LANE_WIDTH / count, isBusy = i => share[i] > 1.5 / count;
    way.touched.forEach((mask, block) => d3.range(count).filter(i => mask >>> i & 1).forEach(
        i => drawLine(svg, block, (i + .5) * width, isBusy(i))));
    share.forEach((part, i) => {
        svg.append("rect").attr("x", i * width + 1).attr("y", 84).attr("width", width - 2).attr("height", 18)
            .attr("style", `fill: var(${!part ? "--panel" : isBusy(i) ? "--bad" : "--bar"})`);
        svg.append("text").attr("class", part ? "on" : "").attr("x", (i + .5) * width).attr("y", 97)
            .attr("text-anchor", "middle").text(percent(100 * part));
    });
    svg.append("text").attr("x", 0).attr("y", 116).attr("class", "faint")
        .text(`the ${count} partitions of the memory, with their share of the bytes`);
}

function makePartitionPicture(blocks, name, kernel) {
    const way = blocks[name], all = d3.sum(way.bytes), share = way.bytes.map(b => b / all);
    const used = way.bytes.filter(b => b > 0).length, most = d3.max(share);
    const svg = makeSvg(LANES * LANE_WIDTH, 122, "");
    drawPartitions(svg, way, share);
    drawBoxes(svg, "blocks" + (blocks.at_once > way.touched.length ? ", the first of them" : ""), way.touched.map(Boolean));
    const words = `The ${name} of the blocks that run at a time, ${number(blocks.at_once)}, go to ` +
        `${used} of ${way.bytes.length} partitions; the busiest has ${percent(100 * most)} of the bytes, where ` +
        `${percent(100 / way.bytes.length)} would do.`;
    svg.attr("aria-label", words);
    return make("figure", {}, make("figcaption", {}, words),
                makeWide(`partitions of the ${name} of ${shortName(kernel)}`, svg.node()));
}

function makePartitions(k) {
    const blocks = (data.blocks || {})[k.mangled];
    const ways = blocks ? ["loads", "stores"].filter(name => d3.sum(blocks[name].bytes) > 0) : [];
    return ways.length ? [make("h3", {}, "Blocks to partitions"),
                          ...ways.map(name => makePartitionPicture(blocks, name, k.kernel))] : [];
}
