// The view of one loop. What depends on sizes is made again when a size changes; the rest once.

const COUNT_NAMES = {iterations: "iterations", flops_fp64: "fp64 flops", flops_fp32: "fp32 flops", fma_fp64: "fused pairs, fp64",
  fma_fp32: "fused pairs, fp32", fp_other: "other fp operations", int_ops: "integer operations", loads: "loads", stores: "stores",
  bytes_loaded: "bytes loaded", bytes_stored: "bytes stored", footprint_bytes: "footprint", read_footprint_bytes: "footprint read",
  write_footprint_bytes: "footprint written", transfer_in_bytes: "transfer in", transfer_out_bytes: "transfer out",
  network_bytes: "network", complexity: "complexity f", operational_intensity: "flop per byte", communication_intensity: "flop per network byte"};

const packs = new Map();
async function unpacked(kind, number) {
  const key = kind + number;
  if (!packs.has(key)) packs.set(key, (async () => {
    const text = document.querySelectorAll(`script.${kind}`)[number].textContent;
    const bytes = Uint8Array.from(atob(text), sign => sign.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  })());
  return packs.get(key);
}

function restored(value, texts) {
  if (Array.isArray(value)) return value.map(item => restored(item, texts));
  if (value === null || typeof value !== "object") return value;
  if ("$" in value) return texts[value.$];
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, restored(item, texts)]));
}

const entries = new Map();
async function loopEntry(number) {
  if (!entries.has(number)) {
    const chunk = await unpacked("chunk", Math.floor(number / index.chunk));
    entries.set(number, withParts(restored(chunk.entries[number % index.chunk], chunk.texts)));
  }
  return entries.get(number);
}

// With times that are written out: what several have in common stands in `parts`.
function withParts(entry) {
  const parts = [], whole = text => typeof text === "string" ? text.replace(/`#(\d+)`/g, (_, k) => `(${parts[k]})`) : text;
  for (const part of entry.formulas?.parts ?? []) parts.push(whole(part));
  if (!parts.length) return entry;
  const end = one => one && Object.fromEntries(Object.entries(one).map(([name, text]) => [name, whole(text)]));
  const times = entry.formulas.times.map(time => ({...time, low: end(time.low), likely: end(time.likely), high: end(time.high)}));
  return {...entry, formulas: {...entry.formulas, times}};
}

// All loops of the function around a loop, so that levels of nests can be weighed.
async function nestOf(number) {
  const row = index.rows[number], same = i => index.rows[i]?.[column.file] === row[column.file] && index.rows[i][column.function] === row[column.function];
  let [first, last] = [number, number];
  while (same(first - 1)) first--;
  while (same(last + 1)) last++;
  return Promise.all(Array.from({length: last - first + 1}, (_, i) => loopEntry(first + i)));
}

// --- the view

async function loopView(number, section, close) {
  const entry = await loopEntry(number), nest = await nestOf(number), file = index.rows[number][column.file], path = index.files[file];
  const symbols = symbolsOf(entry), counters = new Set(nest.map(loop => loop.variable));
  const around = countersAround(entry, nest), {given, sources, sizes} = startSizes(entry, path, symbols, counters, around);
  const all = startSizes(entry, path, [...new Set(nest.flatMap(symbolsOf))], counters, around).sizes;
  const live = make("div", {class: "live"}), figures = make("div", {class: "figures"}), source = await sourceView(entry, path);
  const terms = arithmetic(entry), flips = sensitivity(entry, nest);
  const chosen = {symbol: null, device: null};
  let waiting = 0;
  const changed = () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(fill); };
  const groups = byDecision(entry, nest, {...all, ...sizes}, symbols);
  const controls = sizeControls(groups, name => sizeControl(name, sources.get(name), around.get(name), sizes, changed));
  let wide = null, drawn = 0;
  function fill() {
    const now = {...all, ...sizes}, times = timesOf(entry, now);
    drawn = section.clientWidth;
    live.replaceChildren(...timeParts(entry, nest, now, times, groups, given, around));
    figures.replaceChildren(...figureParts(entry, nest, now, times, symbols, chosen, wide ?? (section.clientWidth || 640), fill));
    for (const part of [terms, flips]) part.fill(times, now);
  }
  const heading = make("h2", {tabindex: -1, id: "loop-head"}, `${path}:${entry.line}`, " ", make("span", {class: "soft"}, `${entry.function}()`));
  const r = entry.recommendation;
  section.replaceChildren(
    make("div", {class: "bar"}, heading, make("button", {type: "button", class: "close", onclick: close}, "Back to the table")),
    make("p", {class: `verdict v-${r.verdict}`}, make("b", {}, index.rows[number][column.headline]), ": ", r.reason.message, " ", make("code", {}, r.reason.code),
      given.size && symbols.length ? make("span", {class: "soft"}, " At the sizes of the report.") : null),
    make("h3", {}, "Times"), ...(controls.length ? controls : [make("p", {class: "soft"}, "The code fixes all sizes: none can be chosen here.")]),
    live, ...factParts(entry, file), make("h3", {}, "Source"), ...[source].flat().filter(Boolean), ...classParts(entry),
    figures, ...sweepParts(entry), ...flips.nodes, ...terms.nodes, ...surfaceParts(entry, () => ({...all, ...sizes})));
  fill();
  const SCROLL_BAR = 24;  // one that comes or goes is no other width: whoever reads a chart goes on
  const watching = new ResizeObserver(() => { if (Math.abs(section.clientWidth - drawn) > SCROLL_BAR) changed(); });
  watching.observe(section);
  return {heading, drawnAt(width) { wide = width; fill(); }, leave() { watching.disconnect(); }};
}

function factParts(entry, file) {
  const facts = [["parallel", parallelWords(entry)]];
  const clauses = clausesOf(entry);
  if (clauses.length && isParallel(entry)) facts.push(["clauses", make("code", {}, clauses.join(" "))]);
  if (entry.change) facts.push(["change", changeParts(entry, file)]);
  for (const c of requiredBy(entry))
    facts.push(["if", [make("code", {}, `${c.kind}(${c.text})`), ` ${index.assumed[c.kind] ?? ""}`,
      c.check ? [make("br"), "tested by ", make("code", {}, c.check)] : ""]]);
  if (isParallel(entry)) {
    for (const found of (entry.inductions ?? []).map(inductionText).filter(Boolean)) facts.push(["computed", make("code", {}, found)]);
    for (const rewrite of entry.rewrites ?? []) facts.push(["rewrite", rewrite.text]);
  }
  for (const way of entry.alternatives ?? [])
    facts.push(["instead", [[`${way.text} (${way.legality})`, ...gainWords(way)].join("; "), way.code ? make("pre", {tabindex: 0}, make("code", {}, way.code.join("\n"))) : null]]);
  for (const a of entry.assumptions ?? [])
    facts.push(["assumes", [make("code", {}, `${a.kind}(${a.text})`), ` ${index.assumed[a.kind] ?? ""}, line ${a.line}`]]);
  if (entry.expansion) facts.push(["macro", `comes from the macro ${entry.expansion.macro}, line ${entry.expansion.line}`]);
  for (const pragma of entry.pragmas ?? []) facts.push(["pragma", make("code", {}, pragma.text)]);
  facts.push(["runs", [entry.variable && entry.lower && entry.upper && entry.step ? `${entry.variable} from ${entry.lower} to ${entry.upper} by ${entry.step}; ` : null,
    entry.trip_count?.expr ? [formulaOf(entry.trip_count), " iterations"] : "how often is not known when it starts"]]);
  if (entry.profile) facts.push(["profile", `${entry.profile.iterations} iterations counted in ${entry.profile.entries ?? "?"} entries`]);
  for (const idiom of entry.idioms ?? []) facts.push(["idiom", [`${idiom.idiom}, line ${idiom.line} `, idiom.code ? make("code", {}, idiom.code) : null]]);
  if (entry.unlisted) facts.push(["listed", `no: ${entry.unlisted}`]);
  if (entry.network) facts.push(["network", networkWords(entry)]);
  return [make("dl", {class: "facts"}, facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))))];
}

function gainWords(way) {
  return (way.gains ?? []).map(g => `${g.candidate === "host" ? "one thread" : "all threads"} likely ${asFactor(g.speedup.likely)} `
    + `(${asFactor(g.speedup.low)} to ${asFactor(g.speedup.high)}): ${asTime(g.after_s.likely)} against ${asTime(g.before_s.likely)}`);
}

// What --suggest writes: all of it where it stands in one place, else its directive, and the command.
function changeParts(entry, file) {
  const {form, directive, edits, alone, unsaid} = entry.change;
  const text = edits.length === 1 ? edits[0].text.replace(/\r?\n$/, "") : directive;
  const target = form === "openmp" ? "" : ` -t ${entry.recommendation.device} --suggest ${form}`;
  const command = make("code", {}, `${index.commands[index.commandOf[file]]}${target} --suggest-at ${index.typed[file]}:${entry.line} --apply`);
  const where = alone?.candidate === "target" ? alone.device : "all threads";
  const by = alone ? `With the directive alone it takes likely ${asTime(alone.time_s.likely)} on ${where}.`
    : unsaid ? "What a compiler makes of the directive alone is not predicted." : null;
  const more = unsaid ? `The time is of a kernel that does more than the directive says: ${unsaid}.` : "No directive divides the loop.";
  const notes = by ? [more, make("span", {class: "aside"}, ` ${by}`)] : null;
  const block = make("pre", {tabindex: 0}, make("code", {}, text));
  const ways = edits.length === 1 ? [...copyParts(text), " or ", command]
    : [`with ${edits.length - 1} more change${edits.length === 2 ? "" : "s"}, which `, command, " writes"];
  const place = index.rows.find(row => row[column.id] === entry.id)?.[column.place] ?? "", together = place.endsWith(" (program)");
  const elsewhere = together ? "In the program as a whole another directive stands here: that of the patch in the summary." : null;
  return [block, ...ways, notes ? make("p", {class: "soft"}, notes) : null, elsewhere ? make("p", {class: "soft"}, elsewhere) : null].filter(Boolean);
}

function networkWords(entry) {
  const {roof, messages, left_out: open, why_no_roof: why} = entry.network;
  const calls = (messages ?? []).map(m => `${m.call} in line ${m.line}: ${m.bytes === undefined ? "bytes not known" : m.bytes + " B"}`);
  const limit = roof ? `bound by ${roof.limit} on ${roof.system}, at least ${asTime(roof.time_s)}` : why;
  return [...calls, ...(open ?? []), limit].filter(Boolean).join("; ");
}

function classParts(entry) {
  if (!entry.class) return entry.class_reason ? [make("h3", {}, "Class"), make("p", {}, `None: ${entry.class_reason.message}.`)] : [];
  return [make("h3", {}, "Class"), make("p", {}, make("code", {}, entry.class)),
    tableOf(["term", "use", "meaning"], classWords(entry.class).map(([term, side, words]) => [make("code", {}, term), side, words]), "class"),
    entry.species ? make("p", {class: "soft"}, "species ", make("code", {}, entry.species)) : null].filter(Boolean);
}

// Whether a change does what a verdict says: moves the loop to that kind of place, or tests itself whether that pays.
function fits({form, directive}, verdict, ofReport) {
  if (verdict.verdict === ofReport.verdict && verdict.candidate === ofReport.candidate) return true;
  if (!MOVES.includes(verdict.verdict)) return !MOVES.includes(ofReport.verdict);
  const onDevice = ["target", "split"].includes(verdict.candidate);
  if (onDevice || form === "openmp-target") return onDevice && form === "openmp-target";
  return verdict.candidate === "host-vector" ? directive.includes(" simd") : !directive.startsWith("#pragma omp simd");
}

// The verdict and the times at these sizes: those that decide by themselves are named, or else all of a few.
function timeParts(entry, nest, sizes, times, {deciding, others}, given, around) {
  const parts = [], verdict = verdictsOf(nest, sizes).get(entry.id);
  if (deciding.length + others.length && times.length && isParallel(entry)) {  // of another one the verdict above holds at every size
    const open = deciding.filter(name => !given.has(name) && !around.has(name));
    const at = [...deciding.map(name => `${name} = ${sizes[name]}`), ...(others.length ? [`${deciding.length ? "and " : ""}the other sizes above`] : [])].join(", ");
    parts.push(make("p", {class: `verdict v-${verdict.verdict}`, id: "live-verdict", "data-verdict": verdict.verdict, "data-code": verdict.code},
      make("b", {}, verdict.verdict), ` at ${at}: ${verdict.message} `, make("code", {}, verdict.code),
      open.length ? make("span", {class: "soft"}, ` The code fixes no value of ${open.join(", ")}; --size gives the report one.`) : null,
      entry.change && (!fits(entry.change, verdict, entry.recommendation) || [...given].some(([name, value]) => name in sizes && sizes[name] !== value))
        ? make("span", {class: "soft"}, given.size ? " The change below is for other sizes, those of the report."
          : ` The change below is for ${placeName(entry.recommendation)}.`) : null,
      nest.some(lacksFormulas) ? make("span", {class: "soft"}, " Loops of this nest whose formulas are left out are not weighed.") : null));
  }
  if (index.hiddenWork.includes(entry.reason?.code)) parts.push(make("p", {}, "No time is given for a loop with work that cannot be seen."));
  else if (times.length) parts.push(...executionParts(entry), ...timeBars(times));
  else parts.push(...timesOfReport(entry));
  return parts;
}

// The charts, and the counts at these sizes.
function figureParts(entry, nest, sizes, times, symbols, chosen, width, again) {
  const wide = Math.max(300, Math.min(width > 900 ? width / 2 - 12 : width, 640));
  const drawn = !index.hiddenWork.includes(entry.reason?.code) && times.length ? charts(entry, nest, sizes, symbols, times, chosen, wide, again) : [];
  return [drawn.length ? make("h3", {}, "Charts") : null, drawn.length ? make("div", {class: "charts"}, drawn) : null, make("div", {class: "pair"},
    make("div", {}, make("h3", {}, "Counts"), make("p", {class: "soft"}, "Of one entry of the loop; ~ marks an inexact count."), countTable(entry, sizes)),
    entry.arrays?.length ? make("div", {}, make("h3", {}, "Arrays"), arrayTable(entry, sizes)) : null)].filter(Boolean);
}

// Whose times they are, of a loop that is entered several times.
function executionParts(entry) {
  if (!entry.parent) return [];
  const often = entry.executions?.expr ? [entry.executions.exact ? "" : "~", entry.executions.value ?? formulaOf(entry.executions), " executions"] : "several executions";
  const ends = entry.predictions?.find(one => one.candidate === "host")?.one_execution_s;
  const span = ends ? ` Those that do least and most take ${asTime(ends.low)} and ${asTime(ends.high)} on the host at the sizes of the report.` : "";
  return [make("p", {class: "soft"}, "Of one of ", often, `, the mean one where they differ.${span}${keptWords(entry)}`)];
}

// What the caches keep from one execution to the next, at the sizes of the report.
function keptWords(entry) {
  const host = entry.predictions?.find(one => one.candidate === "host"), often = entry.executions?.value;
  const inside = host?.all_executions_s && often ? host.all_executions_s.likely / often : null;
  return inside === null || inside > 0.995 * host.time_s.likely ? ""
    : ` Taken alone: inside the loop around it the host needs ${asTime(inside)} at the sizes of the report, since the caches keep what executions before left. The verdict goes by that.`;
}

const lacksFormulas = entry => entry.abridged?.includes("formulas");

// Of a model whose times are no formulas, and where the report leaves them out.
function timesOfReport(entry) {
  const times = (entry.predictions ?? []).filter(one => one.time_s).map(one => ({device: one.device, candidate: one.candidate,
    time: one.time_s, parts: null}));
  const leftOut = lacksFormulas(entry), why = leftOut ? "their formulas are too long to be in this report (--detail full has them)" : "these times are no formulas of a size";
  if (!times.length) return [make("p", {}, leftOut ? `No times at chosen sizes: ${why}.` : "No time could be predicted.")];
  return [...executionParts(entry), ...timeBars(times), make("p", {class: "soft"}, `At the sizes of the report: ${why}.`)];
}

// The likely times along a range that was asked for.
function sweepParts(entry) {
  const along = entry.sweep, host = along?.times.find(one => one.candidate === "host");
  if (!along) return [];
  const head = [`#${along.symbol}`, ...along.times.map(one => "#" + titleOf(one)), "fastest", "#gain"];
  const rows = along.values.map((value, k) => {
    const fits = one => one.fitting === undefined || k < one.fitting;
    const best = along.times.filter(fits).reduce((a, b) => b.seconds[k] < a.seconds[k] ? b : a);
    return [String(value), ...along.times.map(one => fits(one) ? asTime(one.seconds[k]) : "does not fit"), titleOf(best),
      host && best !== host && best.seconds[k] > 0 ? asFactor(host.seconds[k] / best.seconds[k]) : ""];
  });
  return [make("h3", {}, `Along ${along.symbol}, as asked for`), make("p", {class: "soft"}, `Likely times, ${index.copies}; the gain is that over the host today.`),
    tableOf(head, rows, "sweep")];
}

function charts(entry, nest, sizes, symbols, times, chosen, wide, again) {
  const found = [], timed = timedBy(entry, symbols);
  const choice = (label, values, now, set) => values.length < 2 ? null : make("label", {class: "choice"}, label, " ",
    make("select", {onchange: event => { set(event.target.value); again(); }},
      values.map(value => make("option", {value, selected: value === now}, value))));
  if (timed.length) {
    const symbol = timed.includes(chosen.symbol) ? chosen.symbol : timed[0];
    found.push(make("div", {}, choice("against", timed, symbol, value => { chosen.symbol = value; }), breakEvenChart(entry, symbol, sizes, wide, nest)));
  }
  const devices = [...index.targets, index.host], advised = entry.recommendation.device;
  const device = [chosen.device, advised, devices[0]].find(one => devices.includes(one));
  const hull = hullChart(entry, device, sizes, times, wide);
  if (hull) found.push(make("div", {}, choice("device", devices, device, value => { chosen.device = value; }), hull));
  const roof = rooflineChart(entry, sizes, times, wide);
  if (roof) found.push(roof);
  return found;
}

function counted(entry, count, sizes, asBytesToo) {
  if (!count?.expr) return ["", "not known"];
  const value = weightedValue(entry, count.expr, sizes), ends = [count.low_expr, count.high_expr].map(text => text ? weightedValue(entry, text, sizes) : NaN);
  const show = v => Number.isFinite(v) ? asBytesToo ? asBytes(v) : Number.isInteger(v) && Math.abs(v) < 1e6 ? String(v) : asAmount(v) : "?";
  const range = !count.exact && ends.some(Number.isFinite) ? ` (${show(ends[0])} to ${show(ends[1])})` : "";
  if (count.abridged) return [formulaOf(count), count.value !== undefined ? `${count.exact ? "" : "~"}${show(count.value)}` : ""];
  return [typeset(count.expr), `${count.exact ? "" : "~"}${show(value)}${range}`];
}

// The formula of a count, or what is known of one that the report does not write out.
function formulaOf({expr, abridged}) {
  if (!abridged) return typeset(expr);
  const sizes = (abridged.sizes ?? []).join(", ") + (abridged.more_sizes ? ` and ${abridged.more_sizes} more` : "");
  return `(${abridged.symbols} numbers and symbols${sizes && ", of " + sizes})`;
}

function countTable(entry, sizes) {
  const rows = Object.entries(COUNT_NAMES).filter(([key]) => entry.counts[key]?.expr && entry.counts[key].expr !== "0")
    .map(([key, name]) => [name, ...counted(entry, entry.counts[key], sizes, key.includes("bytes")).reverse()]);
  return tableOf(["count", "#value", "formula"], rows, "counts");
}

function arrayTable(entry, sizes) {
  const cell = (array, key) => array[key]?.expr === "0" ? "" : counted(entry, array[key], sizes, true)[1];
  return tableOf(["array", "type", "access", "neighbouring work-units", "#footprint", "#copied in", "#copied out"], entry.arrays.map(array =>
    [make("code", {}, array.name), array.element_type, ACCESS_WORDS[array.access] + (array.contiguous ? "" : ", not one block"),
      paceWords(array.coalescing), cell(array, "footprint_bytes"), cell(array, "transfer_in_bytes"), cell(array, "transfer_out_bytes")]), "arrays");
}

// One surface at a time, when it is asked for.
function surfaceParts(entry, sizesNow) {
  const place = make("div", {class: "place"});
  const show = scene => () => {
    const made = scene();
    document.getElementById("roof")?.replaceChildren();
    place.replaceChildren(made ? surfaceFigure(made) : make("p", {class: "soft"}, "There is nothing to draw: an intensity or a figure of a device is missing."));
  };
  const gpus = index.targets.filter(name => index.devices[name]?.kind === "gpu"), counts = entry.counts;
  const type = counts.flops_fp64?.expr && counts.flops_fp64.expr !== "0" ? "fp64" : "fp32";
  const buttons = counts.operational_intensity?.expr && counts.operational_intensity.expr !== "0" ? gpus.map(target => make("button", {type: "button", class: "perdome",
    onclick: show(() => perdomeScene(weightedValue(entry, counts.operational_intensity.expr, sizesNow()), type, index.host, target))},
  `PerDome: ${index.host} and ${target}`)) : [];
  if (entry.network?.roof?.peak_ops_per_s)
    buttons.push(make("button", {type: "button", onclick: show(() => communicationScene(entry.network.roof, "this loop"))}, "Communication-aware roofline"));
  return buttons.length ? [make("div", {class: "more"}, make("h3", {}, "Surfaces"), make("p", {class: "soft"}, "Drawn when asked for, one at a time."),
    make("div", {class: "buttons"}, buttons), place)] : [];
}
