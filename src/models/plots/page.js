"use strict";
const inks = JSON.parse(document.querySelector("script.inks").textContent);
const darkness = matchMedia("(prefers-color-scheme: dark)");
const colour = ink => ink in inks ? inks[ink][darkness.matches ? 1 : 0] : ink;

// As `units.readable`: a fitting prefix and four digits.
function readable(value, steps, unit) {
  const digits = v => Math.abs(v) >= 1000 ? v.toFixed(0) : Number(v.toPrecision(4)).toString();
  for (const [scale, name] of steps) if (Math.abs(value) >= scale) return digits(value / scale) + " " + name;
  return digits(value) + (unit === "1" ? "" : " " + unit);
}
const shown = (axis, value) => readable(value, axis.steps, axis.unit);

// Value of an axis at a part from 0 to 1 of it, and back.
const valueAt = (axis, part) => axis.log === false
  ? axis.low + part * (axis.high - axis.low) : axis.low * Math.pow(axis.high / axis.low, part);
const partOf = (axis, value) => axis.log === false
  ? (value - axis.low) / (axis.high - axis.low) : Math.log(value / axis.low) / Math.log(axis.high / axis.low);

// Place of the pointer in the picture's own pixels.
function within(event, node, width, height) {
  const box = node.getBoundingClientRect();
  return [(event.clientX - box.left) * width / box.width, (event.clientY - box.top) * height / box.height];
}

function chart(figure, data) {
  const picture = figure.querySelector("svg"), told = figure.querySelector("figcaption"), hint = told.textContent;
  const [left, top, right, bottom] = data.frame;
  const hair = document.createElementNS("http://www.w3.org/2000/svg", "line");
  hair.setAttribute("class", "s-soft"); hair.setAttribute("stroke", inks.soft[0]);
  hair.setAttribute("y1", top); hair.setAttribute("y2", bottom); hair.setAttribute("visibility", "hidden");
  picture.append(hair);
  // Straight in the picture between two points, as it is drawn.
  function height(points, x) {
    for (let i = 0; i + 1 < points.length; i++) {
      const [[x0, y0], [x1, y1]] = [points[i], points[i + 1]];
      if (x < x0 || x > x1 || x0 === x1) continue;
      const along = (partOf(data.x, x) - partOf(data.x, x0)) / (partOf(data.x, x1) - partOf(data.x, x0));
      return valueAt(data.y, partOf(data.y, y0) + along * (partOf(data.y, y1) - partOf(data.y, y0)));
    }
    return null;
  }
  const nearest = (values, axis, at) => values.reduce((best, value, index) =>
    Math.abs(partOf(axis, value) - at) < Math.abs(partOf(axis, values[best]) - at) ? index : best, 0);
  function tell(px, py) {
    const inside = px >= left && px <= right && py >= top && py <= bottom;
    hair.setAttribute("visibility", inside ? "visible" : "hidden");
    if (!inside) { told.textContent = hint; return; }
    hair.setAttribute("x1", px); hair.setAttribute("x2", px);
    const across = (px - left) / (right - left), up = (bottom - py) / (bottom - top), x = valueAt(data.x, across);
    const words = [];
    for (const [mx, my, tip] of data.marks) if (Math.hypot(mx - px, my - py) < 9) words.push(tip);
    if (data.cells) {
      const i = nearest(data.cells.xs, data.x, across), j = nearest(data.cells.ys, data.y, up);
      const value = data.cells.values[i][j];
      words.push(data.x.title + " " + shown(data.x, data.cells.xs[i]) + ", " + data.y.title + " "
        + shown(data.y, data.cells.ys[j]) + ": "
        + (value ? readable(value, data.cells.steps, data.cells.unit) : "no value"));
    } else {
      words.push(data.x.title + " " + shown(data.x, x));
      for (const curve of data.curves) {
        const y = height(curve.points, x);
        if (y !== null) words.push(curve.name + " " + shown(data.y, y));
      }
    }
    told.textContent = words.join(" · ");
  }
  picture.addEventListener("pointermove", event => {
    const view = picture.viewBox.baseVal;
    tell(...within(event, picture, view.width, view.height));
  });
  let at = [(left + right) / 2, (top + bottom) / 2];
  picture.setAttribute("tabindex", "0");
  picture.addEventListener("keydown", event => {
    const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
    if (!step) return;
    event.preventDefault();
    at = [Math.max(left, Math.min(right, at[0] + step[0] * (right - left) / 48)),
      Math.max(top, Math.min(bottom, at[1] + step[1] * (bottom - top) / 48))];
    tell(...at);
  });
  picture.addEventListener("blur", () => { hair.setAttribute("visibility", "hidden"); told.textContent = hint; });
  picture.addEventListener("pointerleave", () => { hair.setAttribute("visibility", "hidden"); told.textContent = hint; });
}

function surface(figure, data) {
  const told = figure.querySelector("figcaption"), hint = told.textContent;
  const [width, height] = data.size, [cx, cy, scale, stretch, turn0, tilt0] = data.view;
  const canvas = document.createElement("canvas"), sharp = Math.max(1, window.devicePixelRatio || 1);
  canvas.width = width * sharp; canvas.height = height * sharp; canvas.tabIndex = 0;
  canvas.style.width = width + "px";
  canvas.setAttribute("role", "img"); canvas.setAttribute("aria-label", data.title);
  const pen = canvas.getContext("2d");
  figure.prepend(canvas);
  let turn = turn0, tilt = tilt0;
  const depth = (a, b) => a * Math.sin(turn) + b * Math.cos(turn);
  const place = ([a, b, c]) => [
    cx + scale * (a * Math.cos(turn) - b * Math.sin(turn)),
    cy + scale * (depth(a, b) * Math.sin(tilt) - stretch * c * Math.cos(tilt))];
  function line(ink, thick, ...places) {
    pen.strokeStyle = colour(ink); pen.lineWidth = thick; pen.beginPath();
    places.forEach((at, n) => n ? pen.lineTo(...at) : pen.moveTo(...at)); pen.stroke();
  }
  function words(text, x, y, anchor, halo) {
    pen.textAlign = anchor;
    if (halo) { pen.strokeStyle = colour("paper"); pen.lineWidth = 3; pen.lineJoin = "round"; pen.strokeText(text, x, y); }
    pen.fillStyle = colour("ink"); pen.fillText(text, x, y);
  }
  function floor(axis, at, middle) {
    const [mx, my] = place(middle), left = mx < cx, away = left ? -8 : 8, anchor = left ? "right" : "left";
    for (const [value, text] of axis.ticks) { const [x, y] = place(at(value)); words(text, x + away, y + 14, anchor); }
    words(axis.label, mx + 6 * away, my + 44, anchor);
  }
  function backdrop() {
    const [x, y, z] = data.axes, ends = axis => [-0.5, 0.5, ...axis.ticks.map(tick => tick[0])];
    const wx = Math.sin(turn) > 0 ? -0.5 : 0.5, wy = Math.cos(turn) > 0 ? -0.5 : 0.5;
    for (const a of ends(x)) line("grid", 1, place([a, -wy, -0.5]), place([a, wy, -0.5]), place([a, wy, 0.5]));
    for (const b of ends(y)) line("grid", 1, place([-wx, b, -0.5]), place([wx, b, -0.5]), place([wx, b, 0.5]));
    for (const c of ends(z)) line("grid", 1, place([wx, -wy, c]), place([wx, wy, c]), place([-wx, wy, c]));
    floor(x, a => [a, -wy, -0.5], [0, -wy, -0.5]);
    floor(y, b => [-wx, b, -0.5], [-wx, 0, -0.5]);
    const corner = place([wx, -wy, 0])[0] < place([-wx, wy, 0])[0] ? [wx, -wy] : [-wx, wy];
    for (const [c, text] of z.ticks) { const [px, py] = place([...corner, c]); words(text, px - 8, py + 4, "right"); }
    const [px, py] = place([...corner, 0.5]);
    words(z.label, Math.max(8, px - 60), py - 14, "left");
  }
  // A tile as it is, or folded along its higher diagonal.
  function faces([a, b, c, d]) {
    const fold = a[2] + c[2] - b[2] - d[2];
    if (Math.abs(fold) < data.fold) return [[a, b, c, d]];
    return fold > 0 ? [[a, b, c], [a, c, d]] : [[b, c, d], [b, d, a]];
  }
  function draw() {
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    pen.fillStyle = colour("paper"); pen.fillRect(0, 0, width, height);
    pen.font = "15px sans-serif"; words(data.title, 92, 26, "left");
    pen.font = "11px sans-serif"; words(data.note, 92, 43, "left");
    pen.font = "12px sans-serif";
    backdrop();
    const tiles = [];
    for (let i = 0; i + 1 < data.xs.length; i++) for (let j = 0; j + 1 < data.ys.length; j++) {
      const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]].map(([p, q]) =>
        [data.xs[p], data.ys[q], data.zs[p][q]]);
      if (corners.some(corner => corner[2] === null)) continue;
      const mean = corners.reduce((sum, corner) => sum + corner[2], 0) / 4;
      const shade = data.shades[Math.max(0, Math.min(data.shades.length - 1,
        Math.floor((mean + 0.5) * data.shades.length)))];
      for (const face of data.mesh ? [corners] : faces(corners))
        tiles.push([face.reduce((sum, [a, b]) => sum + depth(a, b), 0) / face.length, face.map(place), shade]);
    }
    tiles.sort((one, other) => one[0] - other[0]);
    for (const [, at, shade] of tiles) {
      if (data.mesh) { line(shade, 1.2, ...at, at[0]); continue; }
      pen.fillStyle = pen.strokeStyle = shade; pen.lineWidth = 0.7; pen.beginPath();
      at.forEach((p, n) => n ? pen.lineTo(...p) : pen.moveTo(...p));
      pen.closePath(); pen.fill(); pen.stroke();
    }
    const written = data.points.map(([a, b, c]) => place([a, b, c])).map(([x, y]) => [x - 5, y + 4, 10]);
    for (const [a, b, c, , label] of data.points) {
      const [px, py] = place([a, b, c]), wide = pen.measureText(label).width;
      pen.fillStyle = colour("red"); pen.strokeStyle = colour("paper"); pen.lineWidth = 1;
      pen.beginPath(); pen.arc(px, py, 4, 0, 7); pen.fill(); pen.stroke();
      const free = down => !written.some(([x, y, w]) =>
        Math.abs(y - down) < 13 && px + 8 < x + w && x < px + 8 + wide);
      const down = [-6, 16, -20, 30, -34, 44].map(away => py + away).find(free) ?? py - 6;
      written.push([px + 8, down, wide]);
      words(label, px + 8, down, "left", true);
    }
  }
  function tell(px, py) {
    let best = 200, text = hint;
    const near = (at, said) => {
      const [x, y] = place(at), apart = (x - px) ** 2 + (y - py) ** 2;
      if (apart < best) { best = apart; text = said(); }
    };
    const say = at => data.axes.map((axis, n) => axis.title + " " + shown(axis, valueAt(axis, at[n] + 0.5))).join(", ");
    for (const [a, b, c, tip] of data.points) near([a, b, c], () => tip + " · " + say([a, b, c]));
    if (best > 80) data.xs.forEach((a, i) => data.ys.forEach((b, j) => {  // on a dot, the dot is meant
      const at = [a, b, data.zs[i][j]];
      if (at[2] !== null) near(at, () => say(at));
    }));
    told.textContent = text;
  }
  const turned = (right, down) => {
    turn += right; tilt = Math.max(0.05, Math.min(1.5, tilt + down)); draw();
  };
  let held = null;
  canvas.addEventListener("pointerdown", event => {
    held = [event.clientX, event.clientY]; canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", () => { held = null; });
  canvas.addEventListener("pointercancel", () => { held = null; });
  canvas.addEventListener("pointermove", event => {
    if (held) {
      turned((held[0] - event.clientX) / 150, (event.clientY - held[1]) / 150);
      held = [event.clientX, event.clientY];
    } else tell(...within(event, canvas, width, height));
  });
  canvas.addEventListener("keydown", event => {
    const step = {ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1]}[event.key];
    if (step) { event.preventDefault(); turned(...step); }
  });
  darkness.addEventListener("change", draw);
  draw();
}

for (const node of document.querySelectorAll("script.figure")) {
  const data = JSON.parse(node.textContent);
  (data.kind === "chart" ? chart : surface)(node.parentElement, data);
}
