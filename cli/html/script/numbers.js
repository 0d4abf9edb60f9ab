// Numbers and names in words.

// As the tables on a terminal shorten them.
function number(value) {
    if (value === null || value === undefined || !isFinite(value)) return "-";
    if (value >= 1e6) return (value / 1e6).toPrecision(3) + " M";
    if (Number.isInteger(value)) return String(value);
    return value < 100 ? String(+value.toPrecision(3)) : value.toFixed(0);
}
const percent = value => (value < 9.95 && value > 0 ? value.toFixed(1) : value.toFixed(0)) + "%";
const times = value => value === null || value === undefined ? "-" : value.toFixed(1) + "x";
const plural = (count, word) => `${number(count)} ${word}${count === 1 ? "" : /(s|ch)$/.test(word) ? "es" : "s"}`;
const shape = s => s.filter((n, i) => i === 0 || n > 1 || s[2] > 1).join(" x ");
const fileName = path => path.split("/").pop();
const sentence = text => text[0].toUpperCase() + text.slice(1) + ".";

// Without result type and parameters.
function shortName(kernel) {
    let depth = 0, end = kernel.length;
    for (let i = kernel.length - 1; i > 0; i--) {
        depth += (kernel[i] === ")") - (kernel[i] === "(");
        if (kernel[i] === "(" && depth === 0) { end = i; break; }
    }
    return kernel.slice(0, end).replace(/^[\w:]+ (?=\S)/, "");
}

const ratio = (actual, ideal) => ideal > 0 ? actual / ideal : null;
const judged = value => value === null ? "" : value <= 1.05 ? "good" : value >= 2 ? "bad" : "";
