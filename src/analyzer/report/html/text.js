// Elements and words. All text enters the page here, as text: what cannot be seen is written out.

const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/gu;
function seen(text) {
  return String(text).replace(UNSEEN, sign => {
    const code = sign.codePointAt(0);
    if (code >= 0xdc80 && code <= 0xdcff) return "\\x" + (code - 0xdc00).toString(16);  // a byte that is no UTF-8
    return code < 256 ? "\\x" + code.toString(16).padStart(2, "0") : "\\u" + code.toString(16).padStart(4, "0");
  });
}

const index = JSON.parse(document.getElementById("data").textContent);

const SVG = "http://www.w3.org/2000/svg";
function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {}))
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, seen(value));
  for (const child of children.flat(Infinity))
    if (child != null && child !== "" && child !== false) node.append(child instanceof Node ? child : seen(child));
  return node;
}
const make = (tag, attributes, ...children) => filled(document.createElement(tag), attributes, children);
const draw = (tag, attributes, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);

// The id of a loop as an address has it: bytes that are no UTF-8 have no place there. And the address itself.
const inAddress = id => id.replace(/[\ud800-\udfff]/gu, "\ufffd");
const addressOf = id => "#loop=" + encodeURIComponent(inAddress(id));

// Numbers as in `analyzer.amounts`: three digits and a fitting prefix.
const digits3 = value => Math.abs(value) >= 99.95 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
function scaled(value, steps) {
  if (!Number.isFinite(value)) return "?";
  const [scale, unit] = steps.find(([s]) => Math.abs(value) >= 0.9995 * s) ?? steps[steps.length - 1];
  return (digits3(value / scale) + " " + unit).trim();
}
const asTime = value => scaled(value, [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]]);
const asBytes = value => scaled(value, [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]]);
const asAmount = value => scaled(value, [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]]);
// A size from which something holds, rounded up to two digits.
const asThreshold = size => { const unit = 10 ** Math.max(0, String(size).length - 2); return String(Math.ceil(size / unit) * unit); };
const asFactor = value => !Number.isFinite(value) ? "?" : (value >= 9.95 ? Number(value.toPrecision(2)).toFixed(0) : String(Number(value.toPrecision(2)))) + "x";
function asRange(range, show) {
  const likely = show(range.likely);
  return range.high <= 1.25 * range.low ? likely : `${likely} (${show(range.low)} to ${show(range.high)})`;
}

// `name` says what kind of table it is; `label` names this one where the page has several of the kind.
function tableOf(head, rows, name, label = name) {
  const cell = (tag, value, numeric, extra) => make(tag, {class: numeric ? "number" : null, ...extra}, value);
  const isNumber = head.map(title => title.startsWith("#"));
  return make("div", {class: "wide", tabindex: 0, role: "region", "aria-label": label ?? "table"}, make("table", {class: `plain of-${name ?? "other"}`},
    make("thead", {}, make("tr", {}, head.map((title, i) =>
      cell("th", title.replace("#", ""), isNumber[i], {scope: "col"})))),
    make("tbody", {}, rows.map(row => make("tr", {}, row.map((value, i) =>
      i ? cell("td", value, isNumber[i]) : cell("th", value, false, {scope: "row"})))))));
}

// A button that copies a text, and what it says then; `label` tells it from others where the page has several.
function copyParts(text, label = null) {
  const said = make("span", {class: "soft", role: "status"});
  const byHand = () => { said.textContent = " select it by hand"; };
  const copy = () => navigator.clipboard  // absent from a page that a browser does not trust
    ? navigator.clipboard.writeText(text).then(() => { said.textContent = " copied"; }, byHand) : byHand();
  return [make("button", {type: "button", class: "plain-button", "aria-label": label, onclick: copy}, "Copy"), said];
}
