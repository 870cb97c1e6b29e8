// The table of loops: only the rows that are in view are in the page, however many there are.

const ROW_HEIGHT = 30, PRINTED_ROWS = 300;
const VERDICT_ORDER = index.verdicts;
const column = Object.fromEntries(index.columns.map((name, i) => [name, i]));
const SHOWN = [
  {name: "place", title: "loop", key: row => [row[column.file], row[column.line]],
    cell: row => make("bdi", {dir: "ltr"}, `${index.files[row[column.file]]}:${row[column.line]}`)},
  {name: "function", title: "function", key: row => row[column.function], cell: row => row[column.function] + "()"},
  {name: "loop", title: "runs", key: row => row[column.loop].trim(), cell: row => row[column.loop].replace(/^ +/, gap => "\u00a0".repeat(gap.length))},
  {name: "verdict", title: "verdict", key: row => VERDICT_ORDER.indexOf(row[column.verdict]), cell: row => row[column.verdict]},
  {name: "to", title: "to", key: row => row[column.place], cell: row => row[column.place]},
  {name: "gain", title: "gain", number: true, key: row => row[column.speedup] === null ? null : -row[column.speedup],
    cell: row => row[column.from] !== null ? `from ${row[column.from]}` : row[column.speedup] === null ? "" : asFactor(row[column.speedup])},
  {name: "today", title: "today", number: true, key: row => row[column.today_s] === null ? null : -row[column.today_s],
    cell: row => row[column.today_s] === null ? "" : asTime(row[column.today_s])},
  {name: "class", title: "class", key: row => row[column.class], cell: row => row[column.class]},
  {name: "reason", title: "reason", key: row => row[column.reason], cell: row => row[column.reason]},
];

function loopTable(grid, opened) {
  const state = {order: index.rows.map((_, i) => i), at: 0, sorted: null, down: true, all: false};
  const head = make("div", {role: "row", class: "row head", "aria-rowindex": 1}, SHOWN.map((shown, i) =>
    make("div", {role: "columnheader", class: "c-" + shown.name, "aria-colindex": i + 1},
      make("button", {type: "button", onclick: () => sortBy(shown)}, shown.title))));
  const body = make("div", {role: "rowgroup", class: "body"}), space = make("div", {class: "space", role: "presentation"}, body);
  grid.append(head, space);
  grid.setAttribute("aria-colcount", SHOWN.length);

  const compare = (a, b) => Array.isArray(a) ? a[0] - b[0] || a[1] - b[1]
    : a === b ? 0 : a === null || a === "" ? 1 : b === null || b === "" ? -1 : a < b ? -1 : 1;
  function sortBy(shown) {
    state.down = state.sorted === shown ? !state.down : true;
    state.sorted = shown;
    head.querySelectorAll("[role=columnheader]").forEach((node, i) =>
      SHOWN[i] === shown ? node.setAttribute("aria-sort", state.down ? "ascending" : "descending") : node.removeAttribute("aria-sort"));
    ordered();
    moveTo(0);
  }
  function ordered() {
    if (!state.sorted) { state.order.sort((a, b) => a - b); return; }
    const keys = index.rows.map(state.sorted.key), sign = state.down ? 1 : -1;
    const missing = key => key === null || key === "";
    state.order.sort((a, b) => missing(keys[a]) !== missing(keys[b]) ? missing(keys[a]) - missing(keys[b])
      : sign * compare(keys[a], keys[b]) || a - b);
  }
  function rowNode(place) {
    const number = state.order[place], row = index.rows[number];
    return make("div", {role: "row", id: "row-" + number, "aria-rowindex": place + 2, "aria-selected": place === state.at ? "true" : "false",
      class: `row v-${row[column.verdict]}${row[column.unlisted] ? " unlisted" : ""}${place === state.at ? " at" : ""}`,
      title: `${row[column.headline]}: ${row[column.message]}`, onclick: () => { state.at = place; paint(); opened(row[column.id]); }},
    SHOWN.map((shown, i) => make("div", {role: "gridcell", class: `c-${shown.name}${shown.number ? " number" : ""}`, "aria-colindex": i + 1}, shown.cell(row))));
  }
  const inView = () => grid.clientHeight - ROW_HEIGHT;  // below the head, which stays in place
  let painted = "";
  function paint(force = true) {
    const total = state.order.length, high = Math.max(grid.clientHeight, 600);
    const first = state.all ? 0 : Math.max(0, Math.floor(grid.scrollTop / ROW_HEIGHT) - 8);
    const last = state.all ? Math.min(total, PRINTED_ROWS) : Math.min(total, first + Math.ceil(high / ROW_HEIGHT) + 16);
    const wanted = `${first} ${last}`;
    if (!force && wanted === painted) return;
    painted = wanted;
    space.style.height = (state.all ? last : total) * ROW_HEIGHT + "px";
    grid.style.height = state.all ? "auto" : `min(60vh, 600px, ${(Math.max(total, 3) + 1) * ROW_HEIGHT + 4}px)`;
    body.style.transform = `translateY(${first * ROW_HEIGHT}px)`;
    body.replaceChildren(...Array.from({length: last - first}, (_, i) => rowNode(first + i)));
    grid.setAttribute("aria-rowcount", total + 1);
    const at = state.order[state.at];
    if (at !== undefined) grid.setAttribute("aria-activedescendant", "row-" + at); else grid.removeAttribute("aria-activedescendant");
  }
  function moveTo(place) {
    state.at = Math.max(0, Math.min(state.order.length - 1, place));
    const top = state.at * ROW_HEIGHT;
    if (top < grid.scrollTop) grid.scrollTop = top;
    else if (top > grid.scrollTop + inView() - ROW_HEIGHT) grid.scrollTop = top + ROW_HEIGHT - inView();
    paint();
  }
  grid.addEventListener("scroll", () => paint(false), {passive: true});
  window.addEventListener("resize", () => paint());
  grid.addEventListener("keydown", event => {
    if (event.target !== grid) return;
    const page = Math.max(1, Math.floor(inView() / ROW_HEIGHT) - 1);
    const step = {ArrowDown: state.at + 1, ArrowUp: state.at - 1, PageDown: state.at + page, PageUp: state.at - page,
      Home: 0, End: state.order.length - 1}[event.key];
    if (step !== undefined) { event.preventDefault(); moveTo(step); }
    else if ((event.key === "Enter" || event.key === " ") && state.order.length) {
      event.preventDefault();
      opened(index.rows[state.order[state.at]][column.id]);
    }
  });
  paint();  // so that it has its height before anything is moved into view
  return {
    filter(keep) {
      state.order = index.rows.map((_, i) => i).filter(i => keep(index.rows[i]));
      ordered();
      grid.scrollTop = 0;
      moveTo(0);
      return state.order.length;
    },
    select(id) {
      const place = state.order.findIndex(i => index.rows[i][column.id] === id);
      if (place >= 0) moveTo(place);
    },
    printing(on) { state.all = on; paint(); },
    paint,
  };
}

const PATTERNS = ["element", "neighbourhood", "tile", "shared", "full", "void", "unordered"];
function filters(table) {
  const by = id => document.getElementById(id), option = value => make("option", {value}, value);
  by("verdict").append(...VERDICT_ORDER.map(option));
  by("pattern").append(...PATTERNS.map(option), make("option", {value: "none"}, "no class"));
  by("file").append(...index.files.map((name, i) => make("option", {value: i}, name)));
  function apply() {
    const words = by("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const verdict = by("verdict").value, pattern = by("pattern").value, file = by("file").value;
    const whole = by("unlisted")?.checked ?? false, {reason} = by("search").dataset;
    const count = table.filter(row => {
      if (verdict && row[column.verdict] !== verdict) return false;
      if (pattern && !(pattern === "none" ? row[column.class] === "" : row[column.class].includes("|" + pattern))) return false;
      if (file !== "" && row[column.file] !== Number(file)) return false;
      if (row[column.unlisted] && !whole) return false;
      if (reason && row[column.reason] !== reason) return false;
      const text = [row[column.id], row[column.loop], row[column.verdict], row[column.place], row[column.class],
        row[column.reason], row[column.message]].join(" ").toLowerCase();
      return words.every(word => text.includes(word));
    });
    by("shown").textContent = `${count} of ${index.rows.length}`;
  }
  // A reason that a button asks for stands in the search, and is that of a row, not a word in its text, until somebody types.
  by("search").addEventListener("input", () => delete by("search").dataset.reason);
  for (const id of ["search", "verdict", "pattern", "file", "unlisted"]) by(id)?.addEventListener("input", apply);
  for (const button of document.querySelectorAll("button[data-verdict]")) {
    button.disabled = false;
    button.addEventListener("click", () => {
      const {reason} = button.dataset;
      by("search").value = reason ?? "";
      if (reason) by("search").dataset.reason = reason; else delete by("search").dataset.reason;
      by("verdict").value = button.dataset.verdict ?? "";
      apply();
      document.getElementById("table").scrollIntoView();
      document.getElementById("grid").focus({preventScroll: true});
    });
  }
  apply();
}
