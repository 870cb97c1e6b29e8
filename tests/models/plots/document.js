// Runs the script of a page from standard input against the least document that it needs, and prints what it told.
"use strict";
const fs = require("node:fs"), vm = require("node:vm");
const html = fs.readFileSync(0, "utf8");
const between = (text, from, to) => text.split(from).slice(1).map(part => part.split(to)[0]);
const script = between(html, "<script>", "</script>")[0];
const inks = between(html, '<script type="application/json" class="inks">', "</script>")[0];
const figures = between(html, "<figure>", "</figure>").map(text => {
  const data = between(text, '<script type="application/json" class="figure">', "</script>")[0];
  const hint = between(text, "<figcaption>", "</figcaption>")[0];
  const node = {drawn: 0, on: {}, children: [], viewBox: {baseVal: {width: 760, height: 480}},
    append(child) { this.children.push(child); },
    addEventListener(name, f) { this.on[name] = f; }, setAttribute() {}, setPointerCapture() {}, style: {},
    getBoundingClientRect: () => ({left: 0, top: 0, width: 760, height: JSON.parse(data).size ? 540 : 480}),
    getContext() {
      const places = this.places = [];
      return new Proxy({}, {set: () => true, get: (_, name) =>
        name === "measureText" ? () => ({width: 10}) :
        name === "arc" ? (x, y) => { places.push([x, y]); } :
        name === "fill" ? () => { this.drawn++; } : () => {}});
    }};
  const told = {textContent: hint};
  const figure = {node, told, prepend() {}, querySelector: name => name === "svg" ? node : told};
  return {figure, node, told, script: {textContent: data, parentElement: figure}};
});
let canvas = 0;
const context = {
  JSON, Math, Number, console, matchMedia: () => ({matches: false, addEventListener() {}}), window: {},
  document: {
    querySelector: () => ({textContent: inks}), querySelectorAll: () => figures.map(figure => figure.script),
    createElement: () => { canvas++; return figures[1].node; }, createElementNS: () => ({setAttribute() {}}),
  },
};
vm.runInNewContext(script, context);
const [chart, surface] = figures;
const point = (figure, x, y) => { figure.node.on.pointermove({clientX: x, clientY: y}); return figure.told.textContent; };
console.log("hint = " + chart.told.textContent);
console.log("curve = " + point(chart, 337, 400));
console.log("mark = " + point(chart, 337, 418 - (418 - 56) * 0.75));
console.log("outside = " + point(chart, 2, 2));
const [x, y] = surface.node.places[0];
console.log("point = " + point(surface, x, y));
console.log("painted = " + surface.node.drawn);
surface.node.on.pointerdown({clientX: 0, clientY: 0, pointerId: 1});
surface.node.on.pointermove({clientX: 90, clientY: 0});
surface.node.on.pointerup({});
console.log("turned = " + (Math.abs(surface.node.places[1][0] - x) > 1));
