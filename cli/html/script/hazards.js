// What a check has found.

function makeHazard(f) {
    const sides = f.sides.map(s => make("li", {}, s.file ? make("code", {class: "place"}, `${s.file}:${s.line}`)
                                                         : s.site || "", " " + s.text));
    return make("div", {class: "hazard"},
        make("p", {}, make("strong", {}, f.kind),
             ` \u2014 ${f.sentence}${f.memory ? ": " + f.memory : ""}. ${f.count > 1 ? f.count + " times." : ""}`),
        make("ul", {}, ...sides), make("p", {}, sentence(f.remedy)));
}

// Places whose lines the page shows as well become links to them.
function linkPlaces() {
    const rows = new Map([...document.querySelectorAll("tr[data-line]")].map(row => [row.dataset.line, row.id]));
    for (const place of document.querySelectorAll("code.place"))
        if (rows.has(place.textContent))
            place.replaceChildren(make("a", {href: "#" + rows.get(place.textContent)}, place.textContent));
}

function makeHazards(findings) {
    const items = findings.findings.map(makeHazard);
    return [makeSection("hazards", "Hazards", ...(items.length ? items : [make("p", {class: "good"},
                                                                               "None were found.")]))];
}
