// The page: the table, and the loop that the address names after `#loop=`.

const section = document.getElementById("loop"), grid = document.getElementById("grid");
const numberOf = new Map(index.rows.map((row, i) => [row[column.id], i]));
const openLoop = id => { location.hash = addressOf(id); };

function closeLoop() {
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  showNone();
  grid.focus({preventScroll: true});
  document.getElementById("table").scrollIntoView();
}

let current = null;
function leave() { current?.leave(); current = null; }
function showNone() { section.hidden = true; section.replaceChildren(); leave(); }

function wantedNumber() {
  const found = /^#loop=(.*)$/s.exec(location.hash);
  if (!found) return null;
  let id = found[1];
  try { id = decodeURIComponent(id); } catch { /* shown as not found below */ }
  return numberOf.get(id) ?? index.rows.findIndex(row => inAddress(row[column.id]) === id);
}

async function followed() {
  const number = wantedNumber();
  if (number === null) { showNone(); return; }
  leave();
  section.hidden = false;
  if (number < 0) { section.replaceChildren(make("p", {class: "note"}, "This report has no such loop.")); return; }
  table.select(index.rows[number][column.id]);
  try {
    current = await loopView(number, section, closeLoop);
    current.heading.focus({preventScroll: true});
    section.scrollIntoView();
  } catch (error) {
    section.replaceChildren(make("p", {class: "note"}, `This loop cannot be shown: ${error.message}`));
    throw error;
  }
}

for (const code of document.querySelectorAll(".patch code[data-block]"))
  code.closest("details").append(...copyParts(JSON.parse(code.dataset.block), "Copy the patch"));
for (const code of document.querySelectorAll(".best th code[data-block]"))
  code.parentElement.append(" ", ...copyParts(JSON.parse(code.dataset.block), `Copy what goes above ${code.parentElement.querySelector("a").textContent}`));

for (const button of document.querySelectorAll("button[data-roof]")) {
  button.disabled = false;
  button.addEventListener("click", () => {
    document.querySelector("#loop .place")?.replaceChildren();  // one surface at a time
    document.getElementById("roof").replaceChildren(surfaceFigure(communicationScene(index.roofs[button.dataset.roof], "this function")));
  });
}

if (index.timeline) timelineIn(document.querySelector("figure.timeline"), index.timeline, openLoop);

document.getElementById("table").hidden = false;
const table = loopTable(grid, openLoop);
filters(table);
window.addEventListener("hashchange", followed);
window.addEventListener("keydown", event => { if (event.key === "Escape" && !section.hidden) closeLoop(); });
const PAPER = 320;  // charts as wide as this stand three beside each other, and can still be read
const printing = on => { table.printing(on); current?.drawnAt(on ? PAPER : null); };
window.addEventListener("beforeprint", () => printing(true));
window.addEventListener("afterprint", () => printing(false));
followed();
