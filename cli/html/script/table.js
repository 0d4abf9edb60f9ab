// Tables that their headings sort and a word searches.

// columns: [{title, of(row), show(value), judged(value), link(row)}]; `of` gives a number or a text. by: the column
// that sorts at first, downwards; without it rows stay as they come. The first column's text is searched.
function makeTable(title, columns, rows, by) {
    const body = make("tbody"), head = make("tr"), search = make("input", {type: "search", "aria-label": "search"});
    const isText = c => rows.some(r => typeof c.of(r) === "string");
    let isDescending = true;
    const fillCell = (c, row) => {
        const value = c.of(row), text = c.show ? c.show(value) : value === null || value === undefined ? "-" : value;
        const attributes = {class: (isText(c) ? "name " : "") + (c.judged ? c.judged(value) : "")};
        return make("td", attributes, c.link ? make("a", {href: c.link(row)}, text) : String(text));
    };
    const update = () => {
        const word = search.value.toLowerCase(), order = isDescending ? -1 : 1;
        const shown = rows.filter(r => String(columns[0].of(r)).toLowerCase().includes(word));
        if (by) shown.sort((a, b) => order * d3.ascending(by.of(a), by.of(b)));
        body.replaceChildren(...shown.map(r => make("tr", {}, ...columns.map(c => fillCell(c, r)))));
        for (const [i, c] of columns.entries())
            head.children[i].setAttribute("aria-sort", c !== by ? "none" : isDescending ? "descending" : "ascending");
    };
    for (const c of columns) {
        const button = make("button", {type: "button"}, c.title);
        button.addEventListener("click", () => {
            isDescending = by === c ? !isDescending : !isText(c);
            by = c;
            update();
        });
        head.append(make("th", {scope: "col", class: isText(c) ? "text" : ""}, button));
    }
    search.addEventListener("input", update);
    update();
    const table = makeWide("table of " + title, make("table", {}, make("thead", {}, head), body));
    return rows.length > 5 ? [make("p", {class: "search"}, make("label", {}, "Search ", search)), table] : [table];
}
