// The arithmetic behind the times: every term of every prediction, with its value at the sizes chosen.

// Values of the terms of a prediction, in order. In their formulas `#k` is the value of the k-th.
function termValues(entry, prediction, sizes) {
  const values = {...sizes};
  return prediction.terms.map((term, k) => values["#" + k] = term.formula === undefined
    ? term.value === undefined ? NaN : Number(term.value) : weightedValue(entry, term.formula, values));
}

// Of a loop divided between host and target, which has no formula: what `splits` found.
function splitValues(prediction, times) {
  const cpu = times.find(one => one.candidate === "host-threads") ?? times.find(one => one.candidate === "host");
  const gpu = times.find(one => one.candidate === "target" && one.device === prediction.device);
  if (!cpu || !gpu) return prediction.terms.map(() => NaN);
  const [c, g, start] = [cpu.time.likely, gpu.time.likely, gpu.parts.launch], share = g / (c + g - start);
  return prediction.terms.map(term => ({T_C: c, T_G: g, l: start, x: share, T: share * c})[term.name] ?? NaN);
}

// How a term is computed: in names of terms before it, or of the sizes where the report had but a number to show.
function howOf(term, terms) {
  const isNumber = /^[-\d.e+]+( ?[A-Za-z/]+)?$/.test(term.expr ?? "");
  if (term.formula === undefined || !isNumber) return term.expr ?? "";
  return term.formula.replace(/`#(\d+)`/g, (_, k) => terms[k].name);
}

// Where a number is from; a report in brief names a figure of a device.
const figureSources = new Map(Object.entries(index.devices).flatMap(([device, used]) =>
  Object.entries(used.figures).map(([key, figure]) => [`${device} ${key}`, `${device} ${key}: ${figure.confidence}, ${figure.source}`])));
const sourceOf = term => figureSources.get(term.source) ?? term.source;

// Of a formula that is left out the report has the value at its own sizes.
function termValue(term, value) {
  const known = Number.isFinite(value) ? value : Number(term.value ?? NaN), shown = readable(known, index.units[term.unit] ?? [], term.unit);
  return !Number.isFinite(known) ? "?" : known === value ? shown : `${shown}, at the sizes of the report`;
}

// The headings and tables, and `fill(times, sizes)`, which writes the values of those that are open.
function arithmetic(entry) {
  const shown = (entry.predictions ?? []).filter(one => one.terms?.length);
  const leftOut = entry.predictions?.some(one => one.abridged === "terms");
  if (!shown.length) return {nodes: leftOut ? [make("p", {class: "soft"}, "The arithmetic of a loop that is not parallel is in a report with --detail full.")] : [], fill() {}};
  let last = null;
  const tables = shown.map(one => {
    const cells = one.terms.map(() => make("span"));
    const told = make("span"), node = make("details", {ontoggle: () => last && node.open && write(...last)}, make("summary", {}, titleOf(one), ": ", told),
      one.mapping ? make("p", {}, "Mapping: " + one.mapping) : null,
      one.formula && !one.time_s ? make("p", {class: "formula"}, typeset(one.formula), " s") : null,
      tableOf(["name", "formula", "#value", "source"], one.terms.map((term, k) =>
        [make("code", {}, term.name), typeset(howOf(term, one.terms)), cells[k], sourceOf(term)]), "terms", `terms of ${titleOf(one)}`),
      one.effects?.length ? make("p", {}, "Matters at the sizes of the report: " + one.effects.map(e => `${e.name} ${(100 * e.share).toFixed(0)} %`).join(", ")) : null);
    const write = (times, sizes) => (one.candidate === "split" ? splitValues(one, times) : termValues(entry, one, sizes))
      .forEach((value, k) => { cells[k].textContent = termValue(one.terms[k], value); });
    return {node, fill(times, sizes) {
      const found = times.find(time => time.device === one.device && time.candidate === one.candidate);
      told.textContent = found ? asRange(found.time, asTime) : one.time_s ? "not at these sizes" : "?";
      if (node.open) write(times, sizes);
    }};
  });
  return {
    nodes: [make("div", {class: "more"}, make("h3", {}, "Arithmetic"),
      make("p", {class: "soft"}, "Every number behind each time, at the sizes chosen above, with its source."), tables.map(table => table.node))],
    fill(times, sizes) {
      last = [times, sizes];
      for (const table of tables) table.fill(times, sizes);
    },
  };
}
