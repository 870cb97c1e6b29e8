"""A surface over two logarithmic axes as a part of an HTML page: drag to turn it, hover to read it; no library."""

import json
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from math import isfinite, log10

from msgspec import Struct

from .charts import shade


class Dot(Struct, frozen=True):
    """A point on or off the surface with its tooltip."""

    x: float
    y: float
    z: float
    text: str


class Surface(Struct, frozen=True):
    """`values[i][j]` at xs[i] and ys[j]; None where there is no value. All numbers above 0."""

    title: str
    axes: tuple[str, str, str]
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    values: Sequence[Sequence[float | None]]
    dots: tuple[Dot, ...] = ()


def surface_part(surface: Surface) -> str:
    """A canvas and its script."""
    known = [value for row in surface.values for value in row if value]
    low, high = min(known), max(known)
    data = {
        "axes": surface.axes,
        "xs": [log10(x) for x in surface.xs],
        "ys": [log10(y) for y in surface.ys],
        "zs": [[log10(value) if value else None for value in row] for row in surface.values],
        "dots": [[log10(dot.x), log10(dot.y), log10(dot.z), dot.text] for dot in surface.dots if _shown(dot)],
        "colours": [shade(low * (high / low) ** (step / 31), low, high) for step in range(32)],
    }
    content = json.dumps(data, allow_nan=False).replace("<", "\\u003c")  # no text can end the script
    name = "s" + sha256(content.encode()).hexdigest()[:8]
    return (
        f"<h3>{escape(surface.title)}</h3>\n"
        f'<canvas id="{name}" width="760" height="520" style="touch-action:none;cursor:grab"></canvas>'
        f'<p id="{name}t" style="font-family:sans-serif;font-size:12px;min-height:1em"></p>\n'
        f"<script>(function () {{\nconst data = {content}, name = {json.dumps(name)};\n{_SCRIPT}}})();</script>\n"
    )


def _shown(dot: Dot) -> bool:
    return all(value > 0 and isfinite(value) for value in (dot.x, dot.y, dot.z))


_SCRIPT = r"""
const canvas = document.getElementById(name), told = document.getElementById(name + "t");
const pen = canvas.getContext("2d");
const flat = data.zs.flat().filter(z => z !== null).concat(data.dots.map(d => d[2]));
const span = v => [Math.min(...v), Math.max(...v)];
const [x0, x1] = span(data.xs), [y0, y1] = span(data.ys), [z0, z1] = span(flat);
let turn = -0.7, tilt = 0.6;
const unit = (v, a, b) => b > a ? (v - a) / (b - a) - 0.5 : 0;
function place(x, y, z) {
  const a = unit(x, x0, x1), b = unit(y, y0, y1), c = unit(z, z0, z1);
  const right = a * Math.cos(turn) - b * Math.sin(turn), depth = a * Math.sin(turn) + b * Math.cos(turn);
  return [380 + 380 * right, 265 + 380 * (depth * Math.sin(tilt) - 0.8 * c * Math.cos(tilt)), depth];
}
const number = v => Number(Math.pow(10, v).toPrecision(4)).toString();
function line(from, to) { pen.beginPath(); pen.moveTo(from[0], from[1]); pen.lineTo(to[0], to[1]); pen.stroke(); }
function axis(title, low, high, at) {
  pen.strokeStyle = "#888"; pen.fillStyle = "#111";
  line(at(low), at(high));
  for (let v = Math.ceil(low); v <= high; v++) { const p = at(v); pen.fillText(number(v), p[0] + 4, p[1] + 12); }
  const end = at(high); pen.fillText(title, Math.min(end[0] + 6, 660), Math.min(end[1] - 8, 510));
}
function draw() {
  pen.clearRect(0, 0, 760, 520); pen.font = "12px sans-serif";
  axis(data.axes[0], x0, x1, v => place(v, y0, z0));
  axis(data.axes[1], y0, y1, v => place(x0, v, z0));
  axis(data.axes[2], z0, z1, v => place(x0, y0, v));
  const tiles = [];
  for (let i = 0; i + 1 < data.xs.length; i++) for (let j = 0; j + 1 < data.ys.length; j++) {
    const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
    const zs = corners.map(([p, q]) => data.zs[p][q]);
    if (zs.includes(null)) continue;
    const at = corners.map(([p, q], n) => place(data.xs[p], data.ys[q], zs[n]));
    const height = z1 > z0 ? (zs.reduce((a, b) => a + b) / 4 - z0) / (z1 - z0) : 1;
    const colour = data.colours[Math.max(0, Math.min(31, Math.floor(height * 32)))];
    tiles.push([at.reduce((sum, p) => sum + p[2], 0), at, colour]);
  }
  tiles.sort((a, b) => a[0] - b[0]);
  for (const [, at, colour] of tiles) {
    pen.fillStyle = colour; pen.strokeStyle = "rgba(255,255,255,0.25)"; pen.beginPath();
    at.forEach((p, n) => n ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1]));
    pen.closePath(); pen.fill(); pen.stroke();
  }
  for (const [x, y, z] of data.dots) {
    const p = place(x, y, z); pen.fillStyle = "#cc0000";
    pen.beginPath(); pen.arc(p[0], p[1], 5, 0, 7); pen.fill();
  }
}
function tell(px, py) {
  let best = 144, text = "";
  const near = (p, words) => {
    const d = (p[0] - px) ** 2 + (p[1] - py) ** 2;
    if (d < best) { best = d; text = words; }
  };
  const say = (x, y, z) => data.axes.map((title, n) => title + " " + number([x, y, z][n])).join(", ");
  data.xs.forEach((x, i) => data.ys.forEach((y, j) => {
    if (data.zs[i][j] !== null) near(place(x, y, data.zs[i][j]), say(x, y, data.zs[i][j]));
  }));
  for (const [x, y, z, words] of data.dots) near(place(x, y, z), words + " at " + say(x, y, z));
  told.textContent = text;
}
let held = null;
canvas.addEventListener("pointerdown", e => { held = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); });
canvas.addEventListener("pointerup", () => { held = null; });
canvas.addEventListener("pointermove", e => {
  if (held) {
    turn += (e.clientX - held[0]) / 150; tilt = Math.max(0, Math.min(1.57, tilt + (e.clientY - held[1]) / 150));
    held = [e.clientX, e.clientY]; draw();
  } else { const box = canvas.getBoundingClientRect(); tell(e.clientX - box.left, e.clientY - box.top); }
});
draw();
"""
