// A profile: its kernels by what they cost, the roofline, the clock, then each kernel.

const kernelColumns = [
    {title: "kernel", of: k => shortName(k.kernel), link: k => "#" + kernelId(k.mangled)},
    {title: "launches", of: k => k.launches, show: number},
    {title: "share of time", of: k => k.share_pct, show: percent},
    {title: "est. us", of: k => k.est_us, show: number},
    {title: "bound", of: k => k.est_bound || "-"},
    {title: "loads, sectors", of: k => ratio(k.gld_sectors, k.gld_sectors_ideal), show: times, judged},
    {title: "stores, sectors", of: k => ratio(k.gst_sectors, k.gst_sectors_ideal), show: times, judged},
    {title: "bank passes", of: k => ratio(k.smem_wavefronts, k.smem_wavefronts_ideal), show: times, judged},
    {title: "occupancy", of: k => k.occupancy_pct, show: percent},
    {title: "divergent", of: k => k.branches ? 100 * k.branches_divergent / k.branches : null,
     show: v => v === null ? "-" : percent(v)}
];

function makeProfile(profile) {
    const kernels = profile.summary, us = d3.sum(kernels, k => k.est_us);
    const summary = make("p", {}, `${profile.gpu.name} (${profile.gpu.id}), compute capability ` +
        `${profile.gpu.compute_capability}, simulated: ${plural(d3.sum(kernels, k => k.launches), "launch")} of ` +
        `${plural(kernels.length, "kernel")}, ${number(us)} us by the estimate.`);
    document.getElementById("heading").after(summary);
    if (!kernels.length) return [make("p", {}, "No kernel was launched.")];
    const byCost = [...kernels].sort((a, b) => d3.descending(a.est_us, b.est_us));
    return [makeSection("kernels", "Kernels, by what they cost",
                                 ...makeTable("kernels", kernelColumns, kernels, kernelColumns[3])),
            ...makeRoofline(kernels), ...makeTimeline(), ...byCost.map(makeKernel)];
}
