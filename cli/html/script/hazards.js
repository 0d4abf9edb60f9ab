// What a check has found.

function makeHazard(f) {
    const sides = f.sides.map(s => make("li", {}, s.file ? make("code", {}, `${s.file}:${s.line} `)
                                                         : s.site ? s.site + " " : "", s.text));
    return make("div", {class: "hazard"},
        make("p", {}, make("strong", {}, f.kind),
             ` \u2014 ${f.sentence}${f.memory ? ": " + f.memory : ""}. ${f.count > 1 ? f.count + " times." : ""}`),
        make("ul", {}, ...sides), make("p", {}, sentence(f.remedy)));
}

function makeHazards(findings) {
    const items = findings.findings.map(makeHazard);
    return [makeSection("hazards", "Hazards", ...(items.length ? items : [make("p", {class: "good"},
                                                                               "None were found.")]))];
}
