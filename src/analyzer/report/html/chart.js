// Charts over two axes in SVG, drawn at the width there is. `chart` of the models' script adds the read-out.
//
// A spec: {title, note, x, y, curves: [{name, points, ink, dashed, width, listed}], bands: [{low, high}],
// marks: [{x, y, tip, label, ink}], verticals: [{x, label, ink}]}; axes {low, high, title, unit}, all logarithmic.

const MARGINS = {left: 72, right: 14, top: 12, bottom: 46};
const inked = (attribute, ink) => ({[attribute]: ink in inks ? inks[ink][0] : ink, class: ink in inks ? attribute[0] + "-" + ink : null});

function axisOver(values, title, unit, room = 1) {
  const known = values.filter(value => value > 0 && Number.isFinite(value));
  if (!known.length) return null;
  let low = Math.min(...known) / room, high = Math.max(...known) * room;
  if (high < 3 * low) { low /= 2; high *= 2; }
  return {low, high, title, unit, log: true, steps: index.units[unit] ?? []};
}

function ticksOf(axis, most) {
  const first = Math.ceil(Math.log10(axis.low) - 1e-9), last = Math.floor(Math.log10(axis.high) + 1e-9);
  const apart = Math.max(1, Math.ceil((last - first + 1) / most));
  const decades = [];
  for (let power = first; power <= last; power++) if (power % apart === 0) decades.push(10 ** power);
  if (last - first > 1 && decades.length > 1) return decades;
  const fine = [];
  for (let power = first - 1; power <= last; power++) for (const f of [1, 2, 5]) fine.push(f * 10 ** power);
  return fine.filter(value => value >= axis.low * 0.999 && value <= axis.high * 1.001);
}

function tickText(axis, value) {
  const plain = axis.unit === "1" || !axis.steps.length, largest = plain ? 1 : axis.steps[0][0];
  if (value >= 1e4 * largest || plain && value < 1e-3)
    return (value / largest).toExponential(0).replace("e+", "e") + (plain ? "" : " " + axis.steps[0][1]);
  return plain ? String(Number(value.toPrecision(3))) : readable(Number(value.toPrecision(12)), axis.steps, axis.unit);
}

// Series that were switched off in the keys: a chart that is drawn again for another size leaves them out again.
const hiddenSeries = new Set();

const LABEL_GAP = 4;
// Writes labels into a frame: each beside its point, at the first of some heights, before or behind it, where none is
// yet. One without room is left out; pointing at the mark says it.
function labelsIn([left, top, right, bottom]) {
  const taken = [];
  const free = box => box.left >= left && box.right <= right && box.top >= top && box.bottom <= bottom
    && !taken.some(other => box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom);
  return (text, x, y, aside, heights, ink) => {
    const wide = 6.9 * text.length, first = x > (left + right) / 2;
    for (const down of heights) for (const end of [first, !first]) {
      const at = x + (end ? -aside : aside), box = {left: (end ? at - wide : at) - LABEL_GAP, right: (end ? at : at + wide) + LABEL_GAP, top: y + down - 11, bottom: y + down + 3};
      if (!free(box)) continue;
      taken.push(box);
      return draw("text", {x: at, y: y + down, "text-anchor": end ? "end" : "start", class: "halo f-" + ink, fill: inks[ink][0]}, text);
    }
    return null;
  };
}

function plot(spec, width) {
  const high = Math.round(Math.min(380, Math.max(240, width * 0.56)));
  const [left, top, right, bottom] = [MARGINS.left, MARGINS.top, width - MARGINS.right, high - MARGINS.bottom];
  const px = x => left + (right - left) * partOf(spec.x, x), py = y => bottom - (bottom - top) * partOf(spec.y, y);
  const clampY = y => Math.min(Math.max(y, spec.y.low), spec.y.high);
  const line = points => points.filter(([x, y]) => x > 0 && y > 0 && Number.isFinite(y))
    .map(([x, y]) => px(x).toFixed(1) + "," + py(clampY(y)).toFixed(1)).join(" ");
  const parts = [];
  for (const band of spec.bands ?? [])
    parts.push(draw("polygon", {points: line([...band.low, ...[...band.high].reverse()]), ...inked("fill", band.ink ?? "grid")}));
  for (const value of ticksOf(spec.x, Math.floor((right - left) / 62)))
    parts.push(draw("line", {x1: px(value), x2: px(value), y1: top, y2: bottom, ...inked("stroke", "grid")}),
      draw("text", {x: px(value), y: bottom + 16, "text-anchor": "middle", ...inked("fill", "soft")}, tickText(spec.x, value)));
  for (const value of ticksOf(spec.y, Math.floor((bottom - top) / 26)))
    parts.push(draw("line", {x1: left, x2: right, y1: py(value), y2: py(value), ...inked("stroke", "grid")}),
      draw("text", {x: left - 6, y: py(value) + 4, "text-anchor": "end", ...inked("fill", "soft")}, tickText(spec.y, value)));
  parts.push(draw("text", {x: (left + right) / 2, y: high - 8, "text-anchor": "middle", ...inked("fill", "ink")}, spec.x.title));
  const labels = labelsIn([left, top, right, bottom]);
  for (const at of (spec.verticals ?? []).filter(({x}) => x >= spec.x.low && x <= spec.x.high))
    parts.push(draw("line", {x1: px(at.x), x2: px(at.x), y1: top, y2: bottom, "stroke-dasharray": "2 3", ...inked("stroke", at.ink ?? "ink")}),
      labels(at.label, px(at.x), top, 5, [12, 26, 40, 54], at.ink));
  const strokes = spec.curves.map(curve => draw("polyline", {points: line(curve.points), fill: "none", ...inked("stroke", curve.ink),
    "stroke-width": curve.width ?? 2, "stroke-dasharray": curve.dashed ? "6 4" : null}));
  parts.push(...strokes);
  const marks = (spec.marks ?? []).filter(mark => mark.x > 0 && mark.y > 0);
  for (const mark of marks) {
    const [x, y] = [px(mark.x), py(clampY(mark.y))];
    parts.push(draw("circle", {cx: x, cy: y, r: 5, ...inked("fill", mark.ink ?? "ink")}), mark.label ? labels(mark.label, x, y, 9, [-8, 15, -22, 29, -36, 43], "ink") : null);
  }
  const frame = draw("rect", {x: left, y: top, width: right - left, height: bottom - top, fill: "none", ...inked("stroke", "soft")});
  const svg = draw("svg", {viewBox: `0 0 ${width} ${high}`, width, height: high, role: "img", "aria-label": spec.title}, parts, frame);
  const listed = spec.curves.filter(curve => curve.listed !== false), read = [];
  const nameOf = curve => `${spec.title}|${curve.name}`;
  // Shows what is not hidden, in the picture and in what is read out of it; an unlisted curve goes with its colour's.
  const show = () => {
    read.splice(0, read.length, ...listed.filter(curve => !hiddenSeries.has(nameOf(curve))));
    spec.curves.forEach((curve, i) => {
      const own = curve.listed === false ? listed.find(one => one.ink === curve.ink) ?? curve : curve;
      strokes[i].setAttribute("visibility", hiddenSeries.has(nameOf(own)) ? "hidden" : "visible");
    });
  };
  const toggle = curve => event => {
    const on = hiddenSeries.delete(nameOf(curve));
    if (!on) hiddenSeries.add(nameOf(curve));
    event.currentTarget.setAttribute("aria-pressed", String(on));
    show();
  };
  show();
  const key = make("ul", {class: "key"}, listed.map(curve => make("li", {}, make("button", {type: "button", "aria-pressed": String(!hiddenSeries.has(nameOf(curve))), onclick: toggle(curve)},
    draw("svg", {viewBox: "0 0 26 8", width: 26, height: 8, "aria-hidden": "true"}, draw("line", {x1: 0, x2: 26, y1: 4, y2: 4,
      ...inked("stroke", curve.ink), "stroke-width": curve.width ?? 2, "stroke-dasharray": curve.dashed ? "6 4" : null})), curve.name))));
  const figure = make("figure", {class: "chart"}, make("h4", {}, spec.title), spec.note ? make("p", {class: "soft"}, spec.note) : null,
    svg, key, make("figcaption", {}, "Point at the chart, or use the arrow keys, to read values."));
  chart(figure, {frame: [left, top, right, bottom], x: {...spec.x, title: spec.x.short ?? spec.x.title}, y: spec.y, cells: null,
    curves: read, marks: marks.map(mark => [px(mark.x), py(clampY(mark.y)), mark.tip])});
  return figure;
}
