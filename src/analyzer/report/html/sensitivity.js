// What would change the verdict on one loop: sizes and parts of times, one at a time, the nearest first.
//
// As `analyzer.advise.sensitivity`: a verdict is taken to change once when a figure grows and once when it shrinks, within
// a factor of FURTHEST; bisection finds where. Parts of a time stand for the figures behind them: half the transfer is a
// link twice as fast.

const FURTHEST = 64, FLIP_STEPS = 14, FACTOR = "a factor";

function flipsOf(entry, nest, sizes) {
  const around = nestAt(nest, sizes).get(entry.id);
  const key = one => one.verdict + (one.verdict === "offload" ? " to " + one.device : "");
  const now = verdictAlone(entry, sizes, around);
  if (now.fixed || now.verdict === "cannot-model") return [];
  const found = [];
  const search = (what, value, show, decide) => {
    for (const end of [FURTHEST, 1 / FURTHEST]) {
      let other = decide(end), near = 0, far = Math.log(end);
      if (key(other) === key(now)) continue;
      for (let step = 0; step < FLIP_STEPS; step++) {
        const middle = (near + far) / 2, at = decide(Math.exp(middle));
        if (key(at) === key(now)) near = middle; else { far = middle; other = at; }
      }
      found.push({what, now: show(value), then: show(value * Math.exp(far)), verdict: `${key(other)} (${other.code})`, far: Math.abs(far)});
    }
  };
  for (const [name, value] of Object.entries(sizes))
    if (value >= 1 && symbolsOf(entry).includes(name))
      search(`size ${name}`, value, size => String(Math.max(1, Math.round(size))),
        factor => verdictAlone(entry, {...sizes, [name]: Math.max(1, Math.round(value * factor))}, around));
  for (const one of now.times)
    for (const part of PART_NAMES)
      if (one.parts?.[part] > 0 && matters(one.parts, part)) {
        const scaled = withFactor(entry, one, part);
        if (scaled) search(`${part} on ${titleOf(one)}`, one.parts[part], asTime,
          factor => verdictAlone(scaled, {...sizes, [FACTOR]: factor}, around));
      }
  return found.sort((a, b) => a.far - b.far);
}

// Of compute and memory the shorter one counts only where it can become the longer.
const matters = (parts, part) => part === "transfer" || part === "launch"
  || parts[part] * FURTHEST > Math.max(parts.compute, parts.memory);

// The loop with one part of one time multiplied by a symbol, so that its formulas are read once for all factors.
function withFactor(entry, one, part) {
  const scaled = end => end && {...end, ...(end[part] === undefined ? {} : {[part]: `\`${FACTOR}\`*(${end[part]})`})};
  const times = entry.formulas.times.map(time => time.device === one.device && time.candidate === one.candidate
    ? {...time, likely: scaled(time.likely), low: scaled(time.low), high: scaled(time.high)} : time);
  if (times.some(time => time.device === one.device && time.candidate === one.candidate && time.likely.time !== undefined)) return null;
  return {...entry, formulas: {...entry.formulas, times}};
}

const flipTable = (flips, label) => tableOf(["what", "#now", "#then", "verdict"], flips.map(f => [f.what, f.now, f.then, f.verdict]), "sensitivity", label);

// The section, which is worked out when it is opened, and again a little after a size has changed.
function sensitivity(entry, nest) {
  if (!isOpen(entry)) return {nodes: [], fill() {}};
  const place = make("div"), told = "What would change this verdict";
  let waiting = 0, sizesNow = null;
  const write = () => {
    const flips = flipsOf(entry, nest, sizesNow);
    place.replaceChildren(make("p", {class: "soft"}, "Of this loop by itself, at the sizes chosen above; one figure at a time, the nearest change first, within a factor of 64."),
      flips.length ? flipTable(flips, told) : make("p", {}, "Nothing within a factor of 64."));
  };
  const node = make("details", {id: "flips", ontoggle: () => node.open && sizesNow && write()}, make("summary", {}, told), place);
  const ofReport = "Figures of the devices that would change the verdict of the report";
  const saved = entry.sensitivity?.length ? [make("details", {}, make("summary", {}, ofReport), flipTable(entry.sensitivity, ofReport))] : [];
  return {nodes: [make("div", {class: "more"}, make("h3", {}, "Sensitivity"), node, saved)], fill(times, sizes) {
    sizesNow = sizes;
    clearTimeout(waiting);
    if (node.open) waiting = setTimeout(write, 150);
  }};
}
