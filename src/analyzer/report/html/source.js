// The source around a loop, with the lines and names that matter marked.

const AROUND = 3, MOST_LINES = 400;

// What the marks are called, and what they say.
const MARKS = {blocks: ["red", "accesses that decide against moving it"], idiom: ["green", "idioms"],
  assumed: ["yellow", "assumptions, conditions, and how often branches are taken"],
  pace: ["underlined", "arrays that neighbouring work-units access far apart"]};

// What is to be said of lines: [line, kind, words]; and which names stand out between the loop's lines.
function marksOf(entry) {
  const marks = [], names = new Map();
  const accesses = entry.reason?.accesses ?? [];
  (entry.reason?.access_lines ?? []).forEach((line, i) => marks.push([line, "blocks", accesses[i] ?? "an access that decides"]));
  if (entry.reason && !entry.reason.access_lines?.length && entry.reason.line)
    marks.push([entry.reason.line, "blocks", entry.reason.code]);
  for (const idiom of entry.idioms ?? []) marks.push([idiom.line, "idiom", idiom.idiom]);
  for (const condition of entry.conditions ?? [])
    marks.push([condition.line, "assumed", condition.kind !== undefined ? `if ${condition.kind}(${condition.text})`
      : `taken with weight ${condition.weight} (${condition.source})`]);
  for (const assumption of entry.assumptions ?? []) marks.push([assumption.line, "assumed", `${assumption.kind}(${assumption.text})`]);
  for (const array of entry.arrays ?? [])
    if (array.coalescing !== "unit" && array.coalescing !== "broadcast") names.set(array.name, array.coalescing);
  return {marks, names};
}

async function sourceView(entry, path) {
  const number = index.sources.indexOf(path);
  if (number < 0) return make("p", {class: "soft"}, "The source text was left out of this report.");
  const lines = await unpacked("source", number), {marks, names} = marksOf(entry);
  const extra = marks.map(mark => mark[0]).filter(line => line > 0 && line < entry.line && entry.line - line < 40);
  const first = Math.max(1, Math.min(entry.line, ...extra) - AROUND), end = Math.min(lines.length, entry.end_line + AROUND);
  const last = Math.min(end, first + MOST_LINES);
  const rows = [];
  for (let number = first; number <= last; number++) {
    const own = marks.filter(mark => mark[0] === number), inside = number >= entry.line && number <= entry.end_line;
    const tokens = lines[number - 1] ?? [], code = make("code", {});
    for (let i = 0; i + 1 < tokens.length; i += 2) {
      const pace = inside && tokens[i] === "n" ? names.get(tokens[i + 1]) : undefined;
      code.append(pace ? make("mark", {class: "pace", title: `${tokens[i + 1]}: ${paceWords(pace)}`}, tokens[i + 1])
        : tokens[i] === "o" || tokens[i] === "n" ? document.createTextNode(seen(tokens[i + 1])) : make("span", {class: "t-" + tokens[i]}, tokens[i + 1]));
    }
    rows.push(make("tr", {class: `${inside ? "inside" : ""} ${own.map(mark => "m-" + mark[1]).join(" ")}`.trim()},
      make("th", {scope: "row"}, number), make("td", {}, code),
      make("td", {class: "notes"}, [...new Set(own.map(mark => mark[2]))].map(words => make("span", {class: "note-" + own.find(m => m[2] === words)[1]}, words)))));
  }
  const kinds = Object.keys(MARKS).filter(kind => kind === "pace" ? rows.some(row => row.querySelector("mark.pace")) : rows.some(row => row.classList.contains("m-" + kind)));
  const key = kinds.length ? make("p", {class: "soft marks"}, kinds.map(kind => make("span", {}, make("span", {class: kind === "pace" ? "pace" : "note-" + kind}, MARKS[kind][0]), " ", MARKS[kind][1]))) : null;
  const cut = last < end ? make("p", {class: "soft"}, `${end - last} more lines are not shown.`) : null;
  return [make("div", {class: "wide source", tabindex: 0, role: "region", "aria-label": "source"}, make("table", {}, make("tbody", {}, rows))), key, cut];
}
