// The sizes that a loop depends on: which they are, where they start, how they are moved.

const isWeight = name => /^(p|exit)@[^@]/.test(name);
function symbolsOf(entry) {
  const texts = [...(entry.formulas?.times ?? []).flatMap(one => [one.low, one.likely, one.high].flatMap(end => Object.values(end ?? {}))),
    ...Object.values(entry.counts).map(count => count?.abridged ? null : count?.expr), entry.formulas?.units];
  const found = new Set(texts.filter(Boolean).flatMap(text => [...formula(text).symbols]));
  return [...found].filter(name => !isWeight(name)).sort();
}

// Those that a time of the loop depends on.
const timedBy = (entry, symbols) => symbols.filter(name => (entry.formulas?.times ?? []).some(one =>
  Object.values(one.likely).some(text => formula(text).symbols.has(name))));

// By counter of the loops around a loop: the line of its loop, and the value in the middle of it (NaN where that is not known).
function countersAround(entry, nest) {
  const found = new Map();
  for (let loop = nest.find(one => one.id === entry.parent); loop; loop = nest.find(one => one.id === loop.parent)) {
    const trips = loop.trip_count?.value ?? loop.trip_count?.high ?? NaN;
    if (loop.variable && !found.has(loop.variable))
      found.set(loop.variable, {line: loop.line, middle: Math.max(0, Math.floor(Number(loop.lower ?? NaN) + Number(loop.step ?? NaN) * trips / 2))});
  }
  return found;
}

// Values that were given, with what says them; else the middle of a loop around that counts it, of a range that was asked for, the break-even of
// the one that is open, or 1024, and half of that for other counters.
function startSizes(entry, path, symbols, counters, around) {
  const scope = `${path}:${entry.function}`, known = index.symbols.filter(s => s[0] === scope && s[2] !== null);
  const given = new Map(known.map(s => [s[1], s[2]])), sources = new Map(known.map(s => [s[1], s[3]]));
  const open = symbols.filter(name => !given.has(name) && !around.has(name)), even = entry.recommendation.break_even?.find(b => b.value_likely);
  const decided = even && Math.max(even.value_safe ?? even.value_likely, even.fastest_likely ?? 0);
  const typical = open.length === 1 ? decided ?? 1048576 : 1024;
  const along = entry.sweep, middle = along && along.values[Math.floor(along.values.length / 2)];
  const counted = name => Number.isFinite(around.get(name)?.middle) ? around.get(name).middle : undefined;
  const short = name => open.length > 1 && /^trip@\d+$/.test(name) ? 16 : undefined;  // trips of one loop inside another
  const start = name => given.get(name) ?? counted(name) ?? short(name) ?? (name === along?.symbol ? middle : counters.has(name) ? Math.ceil(typical / 2) : typical);
  return {given, sources, sizes: running(entry, Object.fromEntries(symbols.map(name => [name, start(name)])), open)};
}

// Sizes at which the loop runs: where equal ones leave it nothing to do (`from` and `to`), those that count against it are 0.
function running(entry, sizes, open) {
  const trips = entry.trip_count?.expr;
  if (!trips || entry.trip_count.abridged) return sizes;
  for (const name of open.filter(one => formula(trips).symbols.has(one))) {
    const without = {...sizes, [name]: 0}, now = valueOf(trips, sizes);
    if (now <= 1 && valueOf(trips, without) > now) sizes = without;
  }
  return sizes;
}

function unknownWords(name) {
  const [, line] = name.match(/^trip@(\d+)$/) ?? [], [, text, since] = name.match(/^(.+?)@@?(\d+)$/) ?? [];
  const what = line ? `mean trip count of the loop in line ${line}, ` : since ? `${text} as of line ${since}, ` : "";
  return `${what}unknown: a value to try`;
}

const FEW_SIZES = 3;
// Those along which the verdict on the loop by itself changes, the others as they begin; and the rest. Few are told apart only where
// no time depends on one of them.
function byDecision(entry, nest, sizes, symbols) {
  if (symbols.length <= FEW_SIZES) {
    const timed = timedBy(entry, symbols), isTimed = name => !timed.length || timed.includes(name);
    return {deciding: symbols.filter(isTimed), others: symbols.filter(name => !isTimed(name))};
  }
  const around = nestAt(nest, sizes).get(entry.id), values = Array.from({length: 10}, (_, k) => 10 ** k);
  const verdictAt = value => { const at = verdictAlone(entry, value, around); return `${at.verdict} ${at.device} ${at.candidate}`; };
  const deciding = symbols.filter(name => new Set(values.map(value => verdictAt({...sizes, [name]: value}))).size > 1);
  return {deciding, others: symbols.filter(name => !deciding.includes(name))};
}

// The controls, those of sizes that decide nothing by themselves in a fold of their own.
function sizeControls(groups, control) {
  const several = (names, label) => make("div", {class: "sizes", role: "group", "aria-label": label}, names.map(control));
  const {deciding, others} = groups, words = others.length === 1 ? "1 size that does not change" : `${others.length} sizes of which none changes`;
  return [deciding.length ? several(deciding, "Sizes") : null, others.length ? make("details", {class: "other-sizes"},
    make("summary", {}, `${words} the verdict by itself: `, make("code", {}, others.join(", "))), several(others, "Other sizes")) : null].filter(Boolean);
}

const LARGEST_LOG = 9.5, SLIDER_STEPS = 1900;
function sizeControl(name, source, counter, sizes, changed) {
  const toSlider = value => Math.round(SLIDER_STEPS * Math.log10(Math.max(1, value)) / LARGEST_LOG);
  const number = make("input", {type: "number", min: 0, step: 1, value: sizes[name], inputmode: "numeric", "aria-label": `value of ${name}`});
  const slider = make("input", {type: "range", min: 0, max: SLIDER_STEPS, value: toSlider(sizes[name]), "aria-label": `${name}, logarithmic`});
  const set = value => { sizes[name] = value; changed(); };
  slider.addEventListener("input", () => {
    const value = Math.round(10 ** (LARGEST_LOG * slider.value / SLIDER_STEPS));
    number.value = value;
    set(value);
  });
  number.addEventListener("input", () => {
    const value = Number(number.value);
    if (number.value === "" || !Number.isInteger(value) || value < 0) return;
    slider.value = toSlider(value);
    set(value);
  });
  return make("div", {class: "size"}, make("code", {}, name), slider, number,
    make("span", {class: "soft"}, source ? `in the report ${sizes[name]} (${source})`
      : counter ? `counted by the loop of line ${counter.line}: any value in it` : unknownWords(name)));
}
