// Surfaces over two intensities, drawn on demand and one at a time by the models' script, on a plain canvas; beneath
// each the two slices through the point that matters, which need no canvas.

const STEPS_3D = 44, SHADES_3D = 32;
const STOPS = [[68, 1, 84], [33, 145, 140], [253, 231, 37]];
function tinted(part) {
  const at = Math.min(1, Math.max(0, part)) * 2, i = Math.min(Math.floor(at), 1);
  return "#" + STOPS[i].map((a, k) => Math.round(a + (STOPS[i + 1][k] - a) * (at - i)).toString(16).padStart(2, "0")).join("");
}

function sceneOf(title, note, axes, xs, ys, valueAtPlace, points) {
  const unit = (axis, value) => partOf(axis, value) - 0.5;
  const values = xs.map(x => ys.map(y => valueAtPlace(x, y)));
  const known = [...values.flat().filter(v => v !== null && v > 0), ...points.map(p => p.z)];
  axes[2] = {...axisOver(known, axes[2].title, "op/s"), title: axes[2].title};
  return {kind: "surface", size: [760, 540], title, note, view: [380, 292, 320, 0.8, -0.75, 0.55], mesh: false, fold: 0.004,
    axes: axes.map(axis => ({...axis, label: axis.steps.length ? axis.title : `${axis.title} (${axis.unit})`,
      ticks: ticksOf(axis, 5).map(value => [unit(axis, value), tickText(axis, value)])})),
    xs: xs.map(x => unit(axes[0], x)), ys: ys.map(y => unit(axes[1], y)),
    zs: values.map(row => row.map(v => v === null || !(v > 0) ? null : unit(axes[2], v))),
    points: points.map(p => [unit(axes[0], p.x), unit(axes[1], p.y), unit(axes[2], p.z), p.tip, p.label]),
    slices: points.length ? slicesOf(axes, valueAtPlace, points[points.length - 1]) : [],
    shades: Array.from({length: SHADES_3D}, (_, i) => tinted(i / (SHADES_3D - 1)))};
}

// What `plot` draws: along each axis with the other intensity as the point has it.
function slicesOf(axes, valueAtPlace, through) {
  const slice = (axis, own, fixed, at, value) => {
    const places = [...sweepOf(axis.low, axis.high, 301), own].sort((a, b) => a - b);
    const points = places.map(place => [place, value(place)]).filter(([, v]) => v > 0);
    const height = axisOver([...points.map(p => p[1]), through.z], axes[2].title, "op/s", 1.5);
    return {title: `Slice at ${fixed.title} = ${Number(at.toPrecision(3))} ${fixed.unit}`, y: height,
      x: {...axis, title: `${axis.title} (${axis.unit})`, short: axis.title},
      curves: [{name: axes[2].title, ink: "blue", points}], marks: [{x: own, y: through.z, label: through.label, tip: through.tip}]};
  };
  return [slice(axes[0], through.x, axes[1], through.y, x => valueAtPlace(x, through.y)),
    slice(axes[1], through.y, axes[0], through.x, y => valueAtPlace(through.x, y))].filter(one => one.curves[0].points.length > 1);
}

function surfaceFigure(scene) {
  const slices = make("div", {class: "charts"}, scene.slices.map(spec => plot(spec, 460)));
  if (!document.createElement("canvas").getContext("2d"))
    return make("div", {}, make("p", {class: "soft"}, "This browser draws no surfaces; these are slices of it."), slices);
  const figure = make("figure", {class: "surface"}, make("figcaption", {}, "Drag or use the arrow keys to turn, point to read values."));
  surface(figure, scene);
  return make("div", {}, figure, slices);
}

// PerDome, equation 19: the bound of every code partition of host and target over the intensities I_C and I_G.
function perdomeScene(intensity, type, host, target) {
  const cpu = {flop: 1 / figureOf(host, `compute.${type}.all_cores`), byte: 1 / figureOf(host, "memory.all_cores")};
  const gpu = {flop: 1 / figureOf(target, `compute.${type}`), byte: 1 / figureOf(target, "memory.coalesced")};
  if (![cpu.flop, cpu.byte, gpu.flop, gpu.byte, intensity].every(v => v > 0 && Number.isFinite(v))) return null;
  const axis = Array.from({length: STEPS_3D}, (_, i) => intensity * 2 ** (6 * (2 * i + 1 - STEPS_3D) / STEPS_3D));
  const rate = (flops, bytes) => 1 / Math.max(flops * cpu.flop, bytes * cpu.byte / intensity,
    (1 - flops) * gpu.flop, (1 - bytes) * gpu.byte / intensity);
  const bound = (c, g) => {
    if ((c - intensity) * (g - intensity) >= 0) return null;  // lemma 2
    const bytes = (intensity - g) / (c - g);
    return rate(bytes * c / intensity, bytes);
  };
  const axes = ["I_C", "I_G"].map(title => ({low: axis[0], high: axis[axis.length - 1], title, unit: "flop/B", log: true, steps: []}));
  const alone = t => 1 / Math.max(t.flop, t.byte / intensity), whole = alone(cpu) + alone(gpu);
  const flops = gpu.flop / (cpu.flop + gpu.flop), bytes = gpu.byte / (cpu.byte + gpu.byte);
  const best = {x: intensity * flops / bytes, y: intensity * (1 - flops) / (1 - bytes), z: rate(flops, bytes), label: "best", tip: "best of all partitions"};
  const inside = point => [point.x, point.y].every(v => v >= axis[0] && v <= axis[axis.length - 1]);
  const points = [{x: intensity, y: intensity, z: whole, label: "p-DP", tip: "data divided exactly"}, best].filter(inside);
  return sceneOf(`PerDome: ${host} and ${target}, I = ${Number(intensity.toPrecision(3))} flop/B`,
    "bound of every code partition; where there is no colour no partition exists", [...axes, {title: "bound"}], axis, axis, bound, points);
}

// Communication-aware roofline of one process (equation 2.5): min(peak, memory OI, network CAI).
function communicationScene(roof, name) {
  const {peak_ops_per_s: peak, memory_bytes_per_s: memory, network_bytes_per_s: network} = roof;
  if (!peak || !memory || !network) return null;
  const around = (values) => { const known = values.filter(v => v > 0 && Number.isFinite(v)); return [Math.min(...known) / 4, Math.max(...known) * 4]; };
  const ox = around([roof.oi, peak / memory]), cx = around([roof.cai ?? 0, peak / network]);
  const xs = sweepOf(...ox, STEPS_3D), ys = sweepOf(...cx, STEPS_3D);
  const axes = [["OI", ox], ["CAI", cx]].map(([title, [low, high]]) => ({low, high, title, unit: "flop/B", log: true, steps: []}));
  const points = roof.cai > 0 && roof.attainable_ops_per_s > 0
    ? [{x: roof.oi, y: roof.cai, z: roof.attainable_ops_per_s, label: name, tip: `bound by ${roof.limit}`}] : [];
  return sceneOf(`Communication-aware roofline of ${roof.system}`, "min(peak, memory bandwidth · OI, network bandwidth · CAI), one process",
    [...axes, {title: "attainable"}], xs, ys, (x, y) => Math.min(peak, memory * x, network * y), points);
}
