// PTX and machine code beside the source, a row for each instruction, linked by line.

// [{text, file, line}], of PTX: what follows a .loc is of its line.
function readPtx(text) {
    const files = new Map(), rows = [];
    let at = [];
    for (const raw of text.split("\n")) {
        const line = raw.trim(), file = /^\.file\s+(\d+)\s+"(.*?)"/.exec(line);
        const loc = /^\.loc\s+(\d+)\s+(\d+)/.exec(line);
        if (file) files.set(file[1], file[2]);
        else if (loc) at = [loc[1], Number(loc[2])];
        else if (/^(\/\/|$|\.version|\.target|\.address_size)/.test(line)) continue;
        else rows.push({text: raw.replace(/\t/g, " "), at: /^[.{}$(]/.test(line) ? [] : at});
    }
    return rows.map(r => ({text: r.text, file: files.get(r.at[0]), line: r.at[1]}));
}

// Of machine code as `nvdisasm -g` prints it.
function readSass(text) {
    const rows = [];
    let file, line;
    for (const raw of text.split("\n")) {
        const place = /\/\/## File "(.*?)", line (\d+)/.exec(raw);
        const instruction = /\/\*[0-9a-f]{4,}\*\/\s*(.*?)\s*;/.exec(raw), label = /^(\.L\w+):/.exec(raw);
        if (place) [file, line] = [place[1], Number(place[2])];
        else if (instruction) rows.push({text: "  " + instruction[1], file, line});
        else if (label) rows.push({text: label[1] + ":"});
    }
    return rows;
}

const codeReaders = {ptx: ["PTX", readPtx], sass: ["machine code", readSass]};
const mostCodeRows = 3000;

// A box with the code; choose(file, line) marks a line's instructions in it. null: there is no code.
function makeCode(k, chosen) {
    const code = (data.code || {})[k.mangled] || {}, kinds = Object.keys(codeReaders).filter(kind => code[kind]);
    if (!kinds.length) return null;
    const list = make("ol", {class: "code"}), select = make("select", {"aria-label": "which code"});
    for (const kind of kinds) select.append(make("option", {value: kind}, codeReaders[kind][0]));
    const box = makeWide(`code of ${shortName(k.kernel)}`, list);
    const fill = () => {
        const rows = codeReaders[select.value][1](code[select.value]);
        list.replaceChildren(...rows.slice(0, mostCodeRows).map(r => {
            const item = make("li", r.line ? {"data-line": `${r.file}:${r.line}`} : {},
                              make("span", {class: "number"}, r.line ? String(r.line) : ""), r.text);
            if (r.line) item.addEventListener("click", () => chosen(r.file, r.line));
            return item;
        }), ...(rows.length > mostCodeRows ? [make("li", {}, `and ${rows.length - mostCodeRows} more`)] : []));
    };
    select.addEventListener("change", fill);
    const choose = (file, line) => {
        let first = null;
        for (const item of list.children) {
            const isChosen = item.dataset.line === `${file}:${line}`;
            item.classList.toggle("chosen", isChosen);
            if (isChosen && !first) first = item;
        }
        if (first) box.scrollTop = first.offsetTop - box.clientHeight / 3;
    };
    fill();
    return {choose, lines: new Set([...list.children].map(i => i.dataset.line)),
            element: make("div", {class: "beside-code"}, make("h3", {}, "Code ", select), box)};
}
