// The charts of one loop: time split, break-even, boat hull, roofline.

const CANDIDATE_INKS = ["blue", "red", "green", "orange", "violet", "teal", "rose", "sky"];
const figureOf = (device, key) => index.devices[device]?.figures[key]?.value;
const titleOf = one => one.candidate === "host" ? `host ${one.device}, today`
  : one.candidate === "target" ? one.device : placeName(one);
const sweepOf = (low, high, points = 61) =>
  Array.from({length: points}, (_, i) => low * (high / low) ** (i / (points - 1)));

// --- how the time of each place divides

const RANGES = {extended: "The range of a time on a CPU is where four fifths of the times of a validation set lie, on a GPU from the best to the worst of every figure; branches on data widen both. The range of a gain on the same cores is narrower: what makes one time longer makes the other one longer, too."};
const OTHER_RANGES = "The range of a time is what branches on data and the figures of the device leave open.";
const SPLIT = [["memory", "blue"], ["compute", "green"], ["transfer", "orange"], ["launch", "red"]];
function timeBars(times) {
  const longest = Math.max(...times.map(one => one.time.high)) || 1;  // no loop takes no time, but those of sizes that are 0
  const rows = times.map(one => [titleOf(one), asRange(one.time, asTime) + (one.tooLarge ? ", does not fit" : ""), timeBar(one, longest),
    ...SPLIT.map(([name]) => one.parts?.[name] ? asTime(one.parts[name]) : "")]);
  const key = make("ul", {class: "key"}, SPLIT.map(([name, ink]) => make("li", {},
    draw("svg", {viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true"}, draw("rect", {width: 12, height: 12, ...inked("fill", ink)})), name)));
  return [tableOf(["place", "#time (range)", "likely time, and its range", "#memory", "#compute", "#transfer", "#launch"], rows, "times"), key,
    make("p", {class: "soft"}, "The kernel takes the longer of memory and compute; transfer and launch are added."),
    make("p", {class: "soft aside"}, RANGES[index.model] ?? OTHER_RANGES)];
}

// The likely time, divided, over the axis that all places share; the line goes from the low to the high end.
function timeBar({time, parts}, longest) {
  const kernel = parts && parts.memory >= parts.compute ? "memory" : "compute";
  const shares = parts ? [[kernel, time.likely - parts.transfer - parts.launch], ["transfer", parts.transfer], ["launch", parts.launch]] : [["both together", time.likely]];
  const ends = [time.low, time.high].map(seconds => 200 * seconds / longest);
  let at = 0;
  return draw("svg", {viewBox: "0 0 200 14", class: "split", role: "img", preserveAspectRatio: "none",
    "aria-label": shares.filter(([, s]) => s > 0).map(([name, s]) => `${name} ${(100 * s / time.likely).toFixed(0)} %`).join(", ") || "no time"},
    shares.map(([name, seconds]) => {
      const wide = 200 * seconds / longest, from = at;
      at += wide;
      return draw("rect", {x: from, y: 2, width: Math.max(wide, 0), height: 10, ...inked("fill", SPLIT.find(([n]) => n === name)?.[1] ?? "soft")});
    }), draw("path", {d: `M${ends[0]} 7H${ends[1]}M${ends[0]} 3v8M${ends[1]} 3v8`, fill: "none", "vector-effect": "non-scaling-stroke", ...inked("stroke", "ink")}));
}

// --- time against one size

const NAMED_MARKS = 480;  // from this width on there is room for names
const shortName = ({device, candidate}) => ({"host-threads": "all threads", "host-vector": "vectors"})[candidate] ?? device;

function breakEvenChart(entry, symbol, sizes, width, nest) {
  const places = crossings(entry, symbol, sizes, nest), [low, high] = spanOf(entry, symbol, sizes, places);
  const xs = [...new Set(sweepOf(low, high, 91).map(Math.round))], now = sizes[symbol];
  const sampled = xs.map(x => timesOf(entry, {...sizes, [symbol]: x}));
  const keys = [...new Map(sampled.flat().filter(one => one.candidate !== "split").map(one => [one.device + "|" + one.candidate, one])).values()];
  const curves = keys.map((one, i) => ({name: titleOf(one), ink: CANDIDATE_INKS[i % CANDIDATE_INKS.length],
    points: xs.map((x, k) => [x, sampled[k].find(t => t.device === one.device && t.candidate === one.candidate && !t.tooLarge)?.time.likely])
      .filter(([, y]) => y > 0)}));
  const x = axisOver(xs, symbol, "1"), y = axisOver(curves.flatMap(c => c.points.map(p => p[1])), "time", "s", 1.5);
  if (!x || !y) return null;
  const here = timesOf(entry, sizes).filter(one => one.candidate !== "split").map((one) => ({x: now, y: one.time.likely,
    tip: `${titleOf(one)}: ${asRange(one.time, asTime)}`, ink: "ink"}));
  const inkOf = one => CANDIDATE_INKS[keys.findIndex(k => k.device === one.device && k.candidate === one.candidate) % CANDIDATE_INKS.length];
  return plot({title: `Time against ${symbol}`, note: `likely times, ${index.copies}; dots: the sizes chosen above${
    places.length ? "; dotted: from where a place beats the host today" : ""}`, x: {...x, title: symbol, short: symbol},
    y, curves, marks: here, verticals: places.map(place => ({...place, ink: inkOf(place), label: width < NAMED_MARKS ? place.label : `${shortName(place)} ${place.label}`}))}, width);
}

// From 1 to where the host needs LONGEST_S and every crossing is in sight; or the range that was asked for.
const LONGEST_S = 100;
function spanOf(entry, symbol, sizes, places) {
  const now = Math.max(1, sizes[symbol]), along = entry.sweep?.symbol === symbol ? entry.sweep.values : null;
  if (along) return [Math.max(1, Math.min(along[0], now)), Math.max(along[along.length - 1], now)];
  let high = Math.max(1000, now * 10, ...places.map(place => place.x * 4));
  const lasts = size => timesOf(entry, {...sizes, [symbol]: size}).find(one => one.candidate === "host")?.time.likely;
  while (high < 1e9 && lasts(high) < LONGEST_S) high *= 10;
  return [1, high];
}

// The sizes from which each place beats the host for good, likely and surely, as the verdict is meant: the loop runs more than once,
// the host takes long enough inside the loops around to be worth moving, and the data fits. Found between powers of two by halving.
function crossings(entry, symbol, sizes, nest) {
  const found = [], known = new Map(), alone = entry.parent ? null : nestAt(nest, sizes).get(entry.id);
  const timesAt = size => {
    if (!known.has(size)) {
      const at = {...sizes, [symbol]: size}, around = alone ?? nestAt(nest, at).get(entry.id);
      known.set(size, runsOnce(entry, at, around.counters) ? [] : timesWithin(entry, at, around));
    }
    return known.get(size);
  };
  for (const one of timesOf(entry, sizes).filter(t => ["target", "host-threads", "host-vector"].includes(t.candidate))) {
    const answer = (size, sure) => {
      const times = timesAt(size), host = times.find(t => t.candidate === "host");
      if (!times.length) return false;
      const other = times.find(t => t.device === one.device && t.candidate === one.candidate);
      if (!host || !other || other.tooLarge) return null;
      return host.time.likely >= shortest(other)
        && (sure ? (onTheHost(one) ? gainOf : speedupOf)(host.time, other.time).low > 1 : other.time.likely < host.time.likely);
    };
    const likely = lastLoss(size => answer(size, false)), safe = likely === null ? null : lastLoss(size => answer(size, true));
    if (likely === null) continue;
    const {device, candidate} = one;
    found.push({x: likely, device, candidate, label: `${safe === likely ? "surely" : "likely"} from ${asThreshold(likely)}`});
    if (safe !== null && safe !== likely) found.push({x: safe, device, candidate, label: `surely from ${asThreshold(safe)}`});
  }
  return found;
}

// The size after the last at which `wins` says false; null where it never says true after that.
function lastLoss(wins) {
  let lost = 0, won = null;
  for (let size = 1; size <= 2 ** 40; size *= 2) {
    const found = wins(size);
    if (found === null) break;
    if (!found) { lost = size; won = null; } else won ??= size;
  }
  if (won === null) return null;
  while (won - lost > 1) { const middle = Math.floor((lost + won) / 2); if (wins(middle)) won = middle; else lost = middle; }
  return won;
}

// --- boat hull: time against the complexity of the operator

const HULL = [["c0", "blue", "compute"], ["c1", "sky", "no multiply-adds"], ["c2", "violet", "one thread, vectors"],
  ["c3", "teal", "one thread"], ["m0", "red", "memory"], ["m1", "rose", "scattered"]];

// The equations of the 2012 paper for this class on a device, as functions of the complexity f, in seconds.
function hullLines(hull, device, sizes) {
  const [w, m, o, d, c, u] = ["w", "m", "o", "d", "c", "u"].map(name => valueOf(hull[name], sizes));
  const used = index.devices[device], figure = key => figureOf(device, key), type = hull.element_type;
  if (used?.kind === "gpu") {
    const c0 = f => w * m * f / figure(`compute.${type}`) + w * o / figure("compute.int32");
    return {c0, c1: used.fused_multiply_add === false ? null : f => 2 * c0(f),
      m0: () => c / figure("memory.coalesced") + u / figure("memory.uncoalesced"),
      m1: hull.floor ? () => d / figure("memory.uncoalesced") : null, t0: d / figure("link.rate")};
  }
  const lanes = Math.floor(figure("vector") / ({fp64: 64})[type] || figure("vector") / 32);
  const per = cores => f => w * m * f / figure(`compute.${type}.${cores}`) + w * 4 / figure(`compute.int32.${cores}`);
  const all = per("all_cores"), one = per("one_core");
  return {c0: all, c1: f => lanes * all(f), c2: one, c3: f => lanes * one(f), m0: () => d / figure("memory.all_cores"), m1: null, t0: 0};
}

function hullChart(entry, device, sizes, times, width) {
  const hull = entry.formulas?.hull;
  if (!hull) return null;
  const lines = hullLines(hull, device, sizes), here = valueOf(hull.f, sizes);
  const isCpu = index.devices[device]?.kind === "cpu";
  const xs = sweepOf(Math.min(0.25, here > 0 ? here / 2 : 0.25), Math.max(4096, here * 2));
  const own = times.find(one => one.device === device && one.candidate === (isCpu ? "host" : "target"));
  const added = own?.parts && !isCpu ? own.parts.transfer + own.parts.launch : lines.t0;
  const curves = [];
  for (const [name, ink, meaning] of HULL) {
    if (!lines[name]) continue;
    const what = isCpu ? {c0: "all threads, vectors", c1: "all threads"}[name] ?? meaning : meaning;
    const points = xs.map(f => [f, lines[name](f)]).filter(([, t]) => t > 0 && Number.isFinite(t));
    if (!points.length) continue;
    curves.push({name: `${name} ${what}`, ink, points});
    if (added > 0) curves.push({name: `${name} with transfer`, ink, points: points.map(([f, t]) => [f, t + added]), dashed: true, width: 1.3, listed: false});
  }
  const bounds = xs.map(f => [f, Math.max(lines.c0(f), lines.m0(f))]);
  const floors = xs.map(f => [f, Math.max((lines.c3 ?? lines.c1 ?? lines.c0)(f), (lines.m1 ?? lines.m0)(f))]);
  const marks = [];
  if (own && here >= 0) {  // without operations it stands at the edge: a logarithm has no 0
    const kernel = own.parts ? Math.max(own.parts.compute, own.parts.memory) : own.time.likely, at = Math.max(here, xs[0]);
    const none = here > 0 ? "" : ", no operations";
    if (kernel < own.time.likely * 0.98) marks.push({x: at, y: kernel, label: `kernel ${asTime(kernel)}${none}`, tip: `kernel: ${asTime(kernel)}`});
    marks.push({x: at, y: own.time.likely, label: `time ${asTime(own.time.likely)}${none}`, tip: `time: ${asRange(own.time, asTime)}`});
  }
  const drawn = [...curves.flatMap(c => c.points.map(p => p[1])), ...marks.map(mark => mark.y)];
  const x = axisOver(xs, "complexity", "1"), y = axisOver(drawn, "time", "s", 1.5);
  if (!x || !y || bounds.some(([, t]) => !Number.isFinite(t))) return null;
  const solid = `equations of the boat hull paper for the class${added > 0 ? "; dashed: with transfer and launch" : ""}; grey: between bounds and floors`;
  return plot({title: `Boat hull on ${device}`, note: `${solid}; dots: ${index.model === "boat-hull" ? "this loop" : `by the model ${index.model}, which decides`}`,
    x: {...x, title: "complexity: operations of f()", short: "complexity"}, y, curves, marks, bands: [{low: bounds, high: floors}]}, width);
}

// --- roofline

function rooflineChart(entry, sizes, times, width) {
  const counted = name => entry.counts[name]?.expr === undefined ? 0 : weightedValue(entry, entry.counts[name].expr, sizes);
  const double = counted("flops_fp64"), single = counted("flops_fp32"), flops = double + single;
  const bytes = counted("read_footprint_bytes") + counted("write_footprint_bytes");
  if (!(flops > 0 && flops < Infinity && bytes > 0 && bytes < Infinity)) return null;
  const type = double > 0 ? "fp64" : "fp32", oi = flops / bytes;
  const xs = sweepOf(Math.min(1 / 64, oi / 4), Math.max(256, oi * 4), 41);
  const roofs = [];
  const add = (name, peak, rate) => { if (peak && rate) roofs.push({name, peak, rate}); };
  add(`${index.host}, one core`, figureOf(index.host, `compute.${type}.one_core`), figureOf(index.host, "memory.one_core"));
  add(`${index.host}, all cores`, figureOf(index.host, `compute.${type}.all_cores`), figureOf(index.host, "memory.all_cores"));
  for (const device of index.targets) {
    const cores = index.devices[device].kind === "cpu" ? ".all_cores" : "";
    add(device, figureOf(device, `compute.${type}${cores}`), figureOf(device, cores ? "memory.all_cores" : "memory.coalesced"));
  }
  if (!roofs.length) return null;
  const curves = roofs.map((roof, i) => ({name: roof.name, ink: CANDIDATE_INKS[i % CANDIDATE_INKS.length],
    points: [...xs, roof.peak / roof.rate].sort((a, b) => a - b).map(x => [x, Math.min(roof.peak, roof.rate * x)])}));
  const marks = times.filter(one => one.parts && ["host", "host-threads", "target"].includes(one.candidate)).map(one => {
    const kernel = Math.max(one.parts.compute, one.parts.memory), rate = flops / kernel;
    const at = roofs.findIndex(roof => roof.name === (one.candidate === "host" ? `${one.device}, one core`
      : one.candidate === "host-threads" ? `${one.device}, all cores` : one.device));
    return {x: oi, y: rate, ink: CANDIDATE_INKS[Math.max(at, 0)], label: "", tip: `${titleOf(one)}: ${readable(rate, index.units["op/s"], "op/s")}, transfer apart`};
  });
  const y = axisOver([...curves.flatMap(c => c.points.map(p => p[1])), ...marks.map(mark => mark.y)], "attainable", "op/s", 1.5);
  const x = axisOver(xs, "operational intensity", "flop/B");
  return plot({title: `Roofline, ${type}`, note: `dots: this loop at ${Number(oi.toPrecision(3))} flop/B, transfers and launch apart; caches may lift a dot above the roof of memory`,
    x: {...x, title: "operational intensity (flop/B)", short: "intensity"}, y, curves, marks}, width);
}
