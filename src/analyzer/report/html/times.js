// Times and verdicts at any sizes, as `analyzer.advise` has them: splitting, verdicts, nests.

const SHORTEST_WORTH_THREADS_S = 10e-6, WORTH_SPLIT = 1.25, LEAST_S = 1e-9;
const PART_NAMES = ["compute", "memory", "transfer", "launch"];
const MOVES = ["offload", "host-parallel"];

// Times of all candidates of a loop: {device, candidate, time: {low, likely, high}, parts: seconds of the likely time}.
function timesOf(entry, sizes) {
  const found = (entry.formulas?.times ?? []).map(one => {
    const likely = endOf(one.likely, sizes), low = endOf(one.low ?? one.likely, sizes), high = endOf(one.high ?? one.likely, sizes);
    return {
      device: one.device, candidate: one.candidate, parts: likely, launches: [low.launch, likely.launch, high.launch],
      time: {low: Math.min(low.time, likely.time), likely: likely.time, high: Math.max(likely.time, high.time)}};
  }).filter(one => Number.isFinite(one.time.likely));
  for (const one of found) one.tooLarge = one.candidate === "target" && isTooLarge(entry, one.device, sizes);
  return ["extended", "perdome"].includes(index.model) ? [...found, ...splits(entry, found)] : found;
}

function endOf(parts, sizes) {
  const [compute, memory, transfer, launch] = PART_NAMES.map(name => valueOf(parts[name], sizes) || 0);  // 0/0: no iterations
  const time = parts.time === undefined ? Math.max(compute, memory) + transfer + launch : valueOf(parts.time, sizes);
  return {time, compute, memory, transfer, launch};
}

// CPU and GPU at once: T = T_C T_G / (T_C + T_G - l).
function splits(entry, found) {
  const host = found.find(one => one.candidate === (entry.formulas.today === "threads" ? "host" : "host-threads"));
  if (!host) return [];
  const together = (cpu, gpu, fixed) => {
    const both = cpu + gpu - fixed;
    return both > 0 ? Math.min(cpu, gpu, cpu * gpu / both) : 0;
  };
  return found.filter(one => one.candidate === "target"
      && index.devices[one.device]?.kind !== "cpu" && !one.tooLarge)
    .map(one => ({
      device: one.device, candidate: "split", parts: null,
      time: Object.fromEntries(["low", "likely", "high"].map((end, i) =>
        [end, together(host.time[end], one.time[end], one.launches[i])]))}))
    .filter(one => one.time.likely * WORTH_SPLIT <= Math.min(host.time.likely,
      found.find(t => t.candidate === "target" && t.device === one.device).time.likely));
}

function isTooLarge(entry, device, sizes) {
  const capacity = index.devices[device]?.figures["memory.capacity"]?.value;
  if (index.devices[device]?.kind !== "gpu" || capacity === undefined) return false;
  const needed = index.model === "boat-hull" ? entry.formulas.hull?.d : entry.counts.footprint_bytes?.expr;
  return valueOf(needed, sizes) > capacity;
}

// --- one loop alone

const isOpen = entry => isParallel(entry) && entry.formulas !== undefined && !["device", "threads-around"].includes(entry.formulas.today)
  && (entry.formulas.times ?? []).some(one => one.candidate === "host");

// At these sizes; one that changes with the loops around may run more than once.
function runsOnce(entry, sizes, counters) {
  const trips = entry.trip_count?.expr;
  return trips !== undefined && ![...formula(trips).symbols].some(name => counters.has(name)) && valueOf(trips, sizes) <= 1;
}

const shortest = one => ["host-threads", "host-vector"].includes(one.candidate) ? SHORTEST_WORTH_THREADS_S
  : index.devices[one.device]?.figures["launch.latency"]?.value ?? SHORTEST_WORTH_THREADS_S;

function widthOf(device) {
  const used = index.devices[device];
  return used?.figures[used.kind === "gpu" ? "multiprocessors" : "cores"]?.value ?? 1;
}

function speedupOf(host, other) {
  const at = (above, below) => Math.max(above, LEAST_S) / Math.max(below, LEAST_S);
  return {low: at(host.low, other.high), likely: at(host.likely, other.likely), high: at(host.high, other.low)};
}

// Two ways to run a loop on the same cores: what makes one time longer makes the other one longer, too.
function gainOf(host, other) {
  const ratios = ["low", "likely", "high"].map(end => Math.max(host[end], LEAST_S) / Math.max(other[end], LEAST_S));
  return {low: Math.min(...ratios) * index.gain.low, likely: ratios[1], high: Math.max(...ratios) * index.gain.high};
}

const onTheHost = one => one.device === index.host && ["host-threads", "host-vector"].includes(one.candidate);

const least = (list, key) => list.reduce((best, one) => best === null || key(one) < key(best) ? one : best, null);
const likelyOf = one => one.time.likely;

// The fastest one place; a division between a device and the threads, which no directive says, where nothing else is left.
function fastest(options) {
  const places = options.filter(one => one.candidate !== "split");
  return least(places.length ? places : options, likelyOf);
}

// Times of one entry within the loops around, where caches keep what entries before left.
const timesWithin = (entry, sizes, {share}) => timesOf(entry, sizes).map(one => !["host", "host-vector"].includes(one.candidate) ? one
  : {...one, time: inAll(one.time, 1, share)});

// The verdict on a loop by itself at these sizes: {verdict, code, message, device, candidate, speedup, times}. `around`: what
// the nest says of it (`nestAt`).
function verdictAlone(entry, sizes, {share, counters}) {
  const times = timesWithin(entry, sizes, {share});
  const once = isParallel(entry) && runsOnce(entry, sizes, counters);
  const fixed = {...once ? ONCE : blockedOr(entry), times, fixed: true};
  if (once) return fixed;
  const host = times.find(one => one.candidate === "host");
  if (!isOpen(entry) || !host) return fixed;
  const order = ["target", "split", "host-threads", "host-vector"];
  const others = times.filter(one => one !== host).sort((a, b) => order.indexOf(a.candidate) - order.indexOf(b.candidate));
  const units = entry.formulas.units === undefined ? Infinity : valueOf(entry.formulas.units, sizes);
  const mapped = one => entry.predictions?.some(p => p.mapping && p.device === one.device && p.candidate === one.candidate);
  const narrow = others.filter(one => units < widthOf(one.device) && !mapped(one)), refusals = entry.formulas.refusals ?? [];
  const narrowest = [...others, ...refusals].every(one => units < widthOf(one.device) && !mapped(one));
  const told = (verdict, code, message, one) => ({verdict, code, message, device: one?.device, candidate: one?.candidate,
    speedup: one?.speedup ?? null, times, host});
  if (narrow.length && narrowest)
    return told("host", "too-small", `only ${units} iterations can run at once, too few for ${narrow[0].device}`, narrow[0]);
  const options = others.filter(one => !narrow.includes(one) && !one.tooLarge)
    .map(one => ({...one, speedup: (onTheHost(one) ? gainOf : speedupOf)(host.time, one.time), shortest: shortest(one)}));
  const today = host.time.likely;
  const worth = options.filter(one => one.shortest <= today && one.speedup.likely >= index.minSpeedup);
  const sure = worth.filter(one => one.speedup.low >= 1);
  if (sure.length) {
    const best = fastest(sure), moved = ["target", "split"].includes(best.candidate);
    return told(moved ? "offload" : "host-parallel", moved ? "faster-on-target" : "faster-on-host-threads",
      `likely ${asFactor(best.speedup.likely)} faster: ${asTime(best.time.likely)} on ${placeName(best)} against ${asTime(today)}`, best);
  }
  const unsure = one => told("depends", "uncertain",
    `${asFactor(one.speedup.low)} to ${asFactor(one.speedup.high)} on ${placeName(one)}: the ranges overlap`, one);
  if (worth.length) return unsure(fastest(worth));
  const targets = options.filter(one => one.candidate === "target");
  const refused = index.targets.map(device => refusals.find(r => r.device === device) ?? tooLargeOn(device, others))
    .find(Boolean) ?? refusals[0];
  if (refused && !targets.length) return {...told("cannot-model", refused.code, refused.message), device: refused.device};
  const open = options.filter(one => one.shortest <= today && one.speedup.high >= index.minSpeedup);
  if (open.some(one => one.speedup.low < 1 && one.speedup.high > 1))
    return unsure(fastest(open.filter(one => one.speedup.low < 1)));
  const short = fastest(options.filter(one => today < one.shortest && one.speedup.likely >= index.minSpeedup));
  if (short)
    return told("host", "too-small", `the host needs ${asTime(today)}: a change is worth it from ${asTime(short.shortest)} on `
      + `(${asFactor(short.speedup.likely)} faster on ${placeName(short)})`, short);
  return stays(entry, host, least(targets.length ? targets : options, likelyOf), told);
}

const ONCE = {verdict: "host", code: "too-small", message: "it runs at most once: there is nothing to divide"};

// What the analysis decides whatever the sizes are; else what the report says.
function blockedOr(entry) {
  if (!isParallel(entry) && entry.reason) {
    const {code, message} = entry.reason, known = entry.parallel === "no" && ["carried-dependence", "fp-order"].includes(code);
    return {verdict: known ? "host" : "cannot-model", code, message};
  }
  return {...entry.recommendation, code: entry.recommendation.reason.code, message: entry.recommendation.reason.message};
}

function tooLargeOn(device, others) {
  const one = others.find(other => other.device === device && other.tooLarge);
  return one && {device, code: "exceeds-memory", message: `the data does not fit in the memory of ${device}`};
}

function stays(entry, host, best, told) {
  if (entry.formulas.today === "threads")
    return told("host", "already-parallel", "a pragma already divides this loop among threads", null);
  if (!best) return told("host", "host-faster", "no other place was asked for", null);
  const today = host.time.likely;
  if (today < best.shortest)
    return told("host", "too-small", `the host needs ${asTime(today)}, less than starting it elsewhere takes`, best);
  for (const [part, code] of [["transfer", "transfer-bound"], ["launch", "launch-bound"]]) {
    const spent = best.parts?.[part] ?? 0, rest = Math.max(best.time.likely - spent, LEAST_S);
    if (spent > 0 && (today / rest >= index.minSpeedup || spent >= today))
      return told("host", code, `the ${part} to ${best.device} takes ${asTime(spent)}, the host ${asTime(today)}`, best);
  }
  const gain = best.speedup.likely, place = placeName(best), verb = best.candidate === "host-threads" ? "are" : "is";
  return told("host", "host-faster", gain >= 1
    ? `${place} ${verb} only ${asFactor(gain)} faster, below ${index.minSpeedup}x`
    : `${onTheHost(best) ? "one thread" : "the host"} is ${asFactor(1 / gain)} faster than ${place}`, best);
}

const placeName = one => ({"host-threads": `all threads of ${one.device}`, "host-vector": `one thread of ${one.device} with vectors`,
  split: `${one.device} with all threads of the host`, host: `${one.device} as today`})[one.candidate] ?? one.device;

// --- loops within each other: the level of each nest with the least time for the whole nest

// By loop of a nest: `runs`, its executions; `counters` of the nest; `share`, of the host's time alone the part that counts
// inside the loop around, where caches keep what executions before left (`advise.together`).
function nestAt(entries, sizes) {
  const ends = ["low", "likely", "high"], shares = new Map(), hosts = new Map();
  const counters = new Set(entries.map(entry => entry.variable).filter(Boolean));
  const runsOf = entry => entry.executions?.expr === undefined ? NaN : weightedValue(entry, entry.executions.expr, sizes);
  for (const entry of entries) {
    const host = timesOf(entry, sizes).find(one => one.candidate === "host");
    if (host && Number.isFinite(runsOf(entry))) hosts.set(entry.id, inAll(host.time, runsOf(entry), WHOLE));
  }
  for (const entry of entries) {
    const above = shares.get(entry.parent) ?? WHOLE, around = hosts.get(entry.parent);
    const inside = entries.filter(one => one.parent === entry.parent && hosts.has(one.id)).map(one => hosts.get(one.id));
    const part = end => {
      const together = inside.reduce((sum, time) => sum + time[end], 0);
      return together ? Math.min(1, around[end] * above[end] / together) : 1;
    };
    const known = shares.has(entry.parent) && around && inside.length;
    shares.set(entry.id, known ? Object.fromEntries(ends.map(end => [end, part(end)])) : above);
  }
  return new Map(entries.map(entry => [entry.id, {runs: runsOf(entry), counters, share: shares.get(entry.id)}]));
}

const WHOLE = {low: 1, likely: 1, high: 1};

function inAll(each, runs, share) {
  const low = each.low * runs * share.low, likely = each.likely * runs * share.likely;
  return {low: Math.min(low, likely), likely, high: Math.max(likely, each.high * runs * share.high)};
}

function verdictsOf(entries, sizes) {
  const around = nestAt(entries, sizes);
  const alone = new Map(entries.map(entry => [entry.id, verdictAlone(entry, sizes, around.get(entry.id))]));
  const decided = new Map(alone), children = new Map(), times = new Map();
  for (const entry of entries) {
    const parent = alone.has(entry.parent) ? entry.parent : null, own = alone.get(entry.id);
    children.set(parent, [...children.get(parent) ?? [], entry.id]);
    const runs = around.get(entry.id).runs;
    const at = one => one && Number.isFinite(runs) ? runs * one.time.likely : null;
    times.set(entry.id, {line: entry.line, host: at(own.times.find(one => one.candidate === "host")),
      moved: at(own.times.find(one => one.device === own.device && one.candidate === own.candidate))});
  }
  const inside = key => (children.get(key) ?? []).flatMap(child => [child, ...inside(child)]);
  function withChildren(key) {
    const own = alone.get(key), blocked = ["host", "cannot-model"].includes(own.verdict);
    const why = blocked ? `this loop does not move (${own.code})` : "that is faster than moving all of it";
    decided.set(key, {...own, verdict: "host", code: "children-better", message: `move loops inside it: ${why}`});
  }
  function settle(key) {
    const own = alone.get(key), at = times.get(key), below = children.get(key) ?? [], inner = below.map(settle);
    const moving = inner.some(([, moves]) => moves);
    const known = at.host !== null && inner.every(([time]) => time !== null) && below.every(c => times.get(c).host !== null);
    const apart = known ? Math.max(at.host - below.reduce((sum, c) => sum + times.get(c).host, 0), 0)
      + inner.reduce((sum, [time]) => sum + time, 0) : null;
    if (MOVES.includes(own.verdict) && at.moved !== null) {
      if (!moving || apart === null || at.moved <= apart) {
        for (const child of inside(key))
          decided.set(child, {...decided.get(child), verdict: "host", code: "parent-better",
            message: `it runs inside the loop of line ${at.line}, which moves as a whole`});
        return [at.moved, true];
      }
      withChildren(key);
      return [apart, true];
    }
    if (moving && ["host", "cannot-model"].includes(own.verdict)) {
      withChildren(key);
      return [apart ?? at.host, true];
    }
    return [at.host, moving];
  }
  (children.get(null) ?? []).forEach(settle);
  return decided;
}

// Weights of branches, p@LINE: of the profile, or one half.
function weightedValue(entry, text, sizes) {
  const values = {...sizes};
  for (const name of formula(text).symbols)
    if (isWeight(name)) values[name] = entry.conditions?.find(c => "p@" + c.line === name)?.weight ?? 0.5;
  return formula(text)(values);
}
