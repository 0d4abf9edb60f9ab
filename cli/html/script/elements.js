// What the page's data are, and how its elements are made.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const page = document.querySelector("main");

// make("td", {class: "bad"}, "text", element, ...)
function make(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    element.append(...children);
    return element;
}

// A part of the page, under a heading that others can link to.
const makeSection = (id, title, ...children) =>
    make("section", {"aria-labelledby": id}, make("h2", {id}, title), ...children);

// What may be wider than the page: it scrolls by itself, also by keys.
const makeWide = (label, ...children) =>
    make("div", {class: "wide", tabindex: "0", role: "region", "aria-label": label}, ...children);
