// What the terms of a class, the answers and the assumptions mean, in sentences.

function termWords(term, side) {
  const at = term.lastIndexOf("|"), size = term.slice(0, at), pattern = term.slice(at + 1);
  const [name, inner] = [pattern.replace(/\(.*/s, ""), /\((.*)\)/s.exec(pattern)?.[1]];
  const reads = side === "in" ? "reads" : "writes", structure = /^1$/.test(size) ? "a single value" : `a structure of ${size} elements`;
  const words = {
    element: `each work-unit ${reads} one element of ${structure}, its own`,
    neighbourhood: `each work-unit reads its element of ${structure} and the neighbours around it, ${inner ?? ""} in all; neighbours are shared with other work-units`,
    tile: `each work-unit ${reads} a tile of ${inner ?? ""} elements of ${structure}; two tiles are the same or apart, and never overlap in part`,
    shared: `all work-units write the same ${size === "1" ? "value" : `${size} elements`}: partial results are combined (a reduction)`,
    full: `every work-unit reads all of ${structure}`,
    void: "nothing",
    unordered: `each work-unit ${reads} elements of ${structure} in an order that the data decides`,
  };
  return words[name] ?? "";
}

function classWords(text) {
  return text.split(/ → | -> /).flatMap((side, i) => side.split(/ [∧^] /).map(term => [term.trim(), i ? "writes" : "reads",
    termWords(term.trim(), i ? "out" : "in")]));
}

const isParallel = entry => entry.parallel === "yes" || entry.parallel === "conditional";
const requiredBy = entry => (entry.conditions ?? []).filter(condition => condition.kind !== undefined);

function parallelWords(entry) {
  if (isParallel(entry)) {
    const needs = [...(entry.reductions ?? []).map(r => `a reduction of ${r.variable} by ${r.operator}`),
      entry.private?.length ? `private ${entry.private.join(", ")}` : null,
      entry.first_private?.length ? `copies of ${entry.first_private.join(", ")} that begin with the old values` : null,
      entry.last_private?.length ? `the last values of ${entry.last_private.join(", ")}` : null,
      ...(entry.inductions ?? []).map(i => inductionText(i)).filter(Boolean),
      entry.rewrites?.length ? `${entry.rewrites.length === 1 ? "a rewrite" : `${entry.rewrites.length} rewrites`}` : null].filter(Boolean);
    const given = entry.assumptions?.length ? ", given the assumptions below" : "; this needs no assumption";
    const when = entry.parallel === "yes" ? "" : ", under the conditions below";
    return `Iterations may run in any order or at once${needs.length ? ", with " + needs.join(", ") : ""}${when}${given}.`;
  }
  const why = entry.reason?.message ?? "nothing could be established about it";
  return entry.parallel === "no" ? `Iterations must stay in order: ${why}.` : `Not known to be parallel: ${why}.`;
}

// Members without a value are not in the page.
function inductionText(found) {
  if (found.value == null) return found.after == null ? "" : `${found.variable} = ${found.after} after the loop`;
  const own = new RegExp(`(?<![\\w.>])${found.variable.replace(/[^\w]/g, "\\$&")}\\b`, "g");
  const before = `${found.variable.match(/\w+/g).join("_")}_before`;
  const notes = found.value.match(own) ? [`before the loop: ${before} = ${found.start}`] : [];
  if (found.after != null) notes.push(`after the loop: ${found.after.replace(own, () => before)}`);
  const value = found.value.replace(own, () => before);
  return `${found.variable} = ${value}${notes.length ? ` (${notes.join("; ")})` : ""}`;
}

function clausesOf(entry) {
  const onThreads = entry.recommendation.candidate !== "host-vector";  // one thread alone has no clauses for several
  const first = [...new Set([...entry.first_private ?? [], ...onThreads && entry.pointers || []])];
  return [entry.construct === "parallel for simd" ? "simd" : "",
    ...(entry.reductions ?? []).map(r => `reduction(${r.operator}:${r.variable})`),
    entry.private?.length ? `private(${entry.private.join(", ")})` : "",
    first.length ? `firstprivate(${first.join(", ")})` : "",
    entry.last_private?.length ? `lastprivate(${entry.last_private.join(", ")})` : "",
    onThreads && entry.schedule ? `schedule(${entry.schedule})` : ""].filter(Boolean);
}

const ACCESS_WORDS = {r: "read", w: "written", rw: "read and written"};
const paceWords = pace => pace === "unit" ? "unit: neighbouring work-units touch neighbouring elements"
  : pace === "broadcast" ? "broadcast: all work-units touch the same element"
    : pace === "irregular" ? "irregular: places that follow no formula" : `${pace}: elements that far apart`;
