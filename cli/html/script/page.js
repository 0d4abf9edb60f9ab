// The page: each part of the data by who draws it.
const makers = {findings: makeHazards, profile: makeProfile, occupancy: makeOccupancies, ladder: makeLadder,
                sweep: makeSweep, bandwidth: makeBandwidth, bench: makeBench, diff: makeDiff};
for (const [name, maker] of Object.entries(makers))
    if (data[name]) page.append(...maker(data[name]));
linkPlaces();
