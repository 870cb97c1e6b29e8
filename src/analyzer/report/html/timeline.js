// The time line of the program, to be looked into: both lines over one axis, of which a part may be chosen.
//
// Pointing or the arrow keys say what a stretch is; a click chooses it, a double click or Enter opens its loop. Dragging
// along the lines, the buttons and the keys + - 0 choose the part of the time that is shown.

const LINE = {high: 30, apart: 8, left: 62, axis: 22}, NARROWEST = 1e-7;

function timelineIn(figure, lines, open) {
  const rows = Object.entries(lines).map(([name, stretches]) => ({name, stretches: placed(stretches)}));
  const total = Math.max(...rows.map(({stretches}) => stretches.at(-1)?.end ?? 0));
  if (!(total > 0)) return;
  const after = rows.at(-1).stretches.at(-1)?.end ?? total;
  const picture = draw("svg", {class: "lines", role: "img", tabindex: 0, "aria-label": "time line of the program, before and after"});
  const told = make("p", {class: "soft", role: "status"}, "Point at a stretch, or use the arrow keys; drag to enlarge a part.");
  const button = (text, act) => make("button", {type: "button", onclick: act}, text);
  let [from, to] = [0, total], chosen = null;

  function show(start, end) {
    const length = Math.min(total, Math.max(total * NARROWEST, end - start));
    from = Math.min(Math.max(0, start), total - length);
    to = from + length;
    redraw();
  }
  const scaleBy = factor => {
    const middle = chosen && chosen.end > from && chosen.start < to ? (Math.max(from, chosen.start) + Math.min(to, chosen.end)) / 2 : (from + to) / 2;
    show(middle - (middle - from) * factor, middle + (to - middle) * factor);
  };
  const whole = () => show(0, total);

  let width = 0;  // of the picture, in its own pixels
  const px = time => LINE.left + (time - from) / (to - from) * (width - LINE.left);

  function redraw() {
    width = Math.max(280, figure.clientWidth);
    const high = rows.length * (LINE.high + LINE.apart) + LINE.axis;
    const axis = {low: from, high: to, log: false, unit: "s", steps: index.units.s};
    const ticks = linearTicks(from, to, Math.max(2, Math.floor((width - LINE.left) / 110))).map(time => [
      draw("line", {x1: px(time), x2: px(time), y1: 0, y2: high - LINE.axis + 4, ...inked("stroke", "grid")}),
      draw("text", {x: px(time), y: high - 5, "text-anchor": px(time) > width - 30 ? "end" : "middle"}, asTick(time, axis))]);
    const drawn = rows.map(({name, stretches}, row) => {
      const y = row * (LINE.high + LINE.apart), ended = stretches.at(-1)?.end ?? 0, behind = Math.max(px(ended), LINE.left) + 6;
      const taken = ended >= from && behind < width - 70 ? draw("text", {x: behind, y: y + 20}, `${asTime(ended)} in all`) : null;
      return [draw("text", {x: 0, y: y + 20}, name), taken, stretches.filter(one => one.end > from && one.start < to).map(one => {
        const [x, end] = [Math.max(px(one.start), LINE.left), Math.min(px(one.end), width)], wide = end - x;
        if (wide < 0.4) return null;
        const room = Math.floor((wide - 8) / 7.2), label = [one.label, one.label.replace("()", "")].find(text => text.length <= room);
        return [draw("rect", {x, y, width: wide, height: LINE.high, class: `bar-${one.kind}${one === chosen ? " chosen" : ""}`}),
          label ? draw("text", {x: x + wide / 2, y: y + 20, "text-anchor": "middle", class: "on"}, label) : null];
      })];
    });
    picture.setAttribute("viewBox", `0 0 ${width} ${high}`);
    picture.replaceChildren();
    filled(picture, {width, height: high}, [ticks, drawn]);
  }

  const timeAt = event => from + (within(event, picture, width, 1)[0] - LINE.left) / (width - LINE.left) * (to - from);
  function stretchAt(event) {
    const [, y] = within(event, picture, 1, picture.viewBox.baseVal.height), time = timeAt(event);
    const row = rows[Math.floor(y / (LINE.high + LINE.apart))];
    if (!row || y % (LINE.high + LINE.apart) > LINE.high || time < from) return null;
    const near = (to - from) / 300;  // what is too narrow to be met exactly
    return row.stretches.find(one => time >= one.start && time < one.end && one.end - one.start > near)
      ?? row.stretches.filter(one => time >= one.start - near && time < one.end + near).sort((a, b) => b.end - b.start - a.end + a.start)[0] ?? null;
  }
  const tell = one => told.replaceChildren(one.tip, ...(one.loop ? [" ", make("a", {href: addressOf(one.loop)}, "open")] : []));
  function choose(one) {
    chosen = one;
    if (one.end <= from || one.start >= to) { const half = (to - from) / 2; show((one.start + one.end) / 2 - half, (one.start + one.end) / 2 + half); } else redraw();
    tell(one);
  }

  let begun = null, range = null, part = null;
  picture.addEventListener("pointerdown", event => { if (event.button === 0 && event.pointerType !== "touch") begun = {x: event.clientX, time: timeAt(event)}; });
  picture.addEventListener("pointermove", event => {
    if (!begun) { const one = stretchAt(event); if (one) tell(one); else if (chosen) tell(chosen); return; }
    if (Math.abs(event.clientX - begun.x) < 4) return;
    const [a, b] = [begun.time, timeAt(event)].map(time => Math.min(to, Math.max(from, time))).sort((one, other) => one - other);
    range?.remove();
    range = draw("rect", {class: "range", x: px(a), y: 0, width: px(b) - px(a), height: picture.viewBox.baseVal.height - LINE.axis});
    part = [a, b];
    picture.append(range);
  });
  window.addEventListener("pointerup", event => {
    if (!begun) return;
    const wanted = part;
    range?.remove();
    begun = range = part = null;
    if (wanted) show(...wanted);
    else if (picture.contains(event.target)) { const one = stretchAt(event); if (one) choose(one); }
  });
  picture.addEventListener("dblclick", event => { const one = stretchAt(event); if (one?.loop) open(one.loop); });
  picture.addEventListener("keydown", event => {
    const row = Math.max(0, rows.findIndex(({stretches}) => stretches.includes(chosen))), {stretches} = rows[row], at = stretches.indexOf(chosen);
    const beside = {ArrowLeft: stretches[Math.max(0, at - 1)], ArrowRight: stretches[Math.min(stretches.length - 1, at + 1)],
      ArrowUp: rows[row - 1]?.stretches[0], ArrowDown: rows[row + 1]?.stretches[0]};
    if (event.key in beside) { if (beside[event.key]) choose(beside[event.key]); }
    else if (event.key === "+" || event.key === "-") scaleBy(event.key === "+" ? 1 / 3 : 3);
    else if (event.key === "0") whole();
    else if (event.key === "Enter" && chosen?.loop) open(chosen.loop);
    else return;
    event.preventDefault();
  });

  for (const old of figure.querySelectorAll(":scope > div")) old.remove();
  figure.querySelector("figcaption span").remove();
  figure.prepend(picture, make("div", {class: "buttons"}, button("Whole", whole), after < total / 2 ? button("As long as after", () => show(0, after)) : null,
    button("Enlarge", () => scaleBy(1 / 3)), button("Reduce", () => scaleBy(3)),
    button("Earlier", () => show(from - (to - from) / 2, to - (to - from) / 2)), button("Later", () => show(from + (to - from) / 2, to + (to - from) / 2))), told);
  redraw();
  new ResizeObserver(redraw).observe(figure);
}

function placed(stretches) {
  let at = 0;
  return stretches.map(([kind, seconds, label, tip, loop]) => ({kind, label, tip, loop, start: at, end: at += seconds}));
}

function linearTicks(low, high, most) {
  const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high * (1 + 1e-12); k++) found.push(k * step);
  return found;
}

// A time on the axis: digits enough to tell it from its neighbours.
function asTick(time, {low, high, steps}) {
  const [scale, unit] = steps.find(([s]) => high >= s) ?? steps.at(-1);
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10((high - low) / scale / 10))));
  return `${Number((time / scale).toFixed(digits))} ${unit}`;
}
