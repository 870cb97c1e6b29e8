// Formulas as they are written by hand: MathML of the trees of formulas.js. What is too wide for a line, which browsers
// do not break, and what is no formula stay text, as code.

const MATH = "http://www.w3.org/1998/Math/MathML", WIDEST_MATH = 72;
const math = (tag, attributes, ...children) => filled(document.createElementNS(MATH, tag), attributes, children);
const mathSign = (text, attributes) => math("mo", attributes, text);

function typeset(text) {
  if (text === undefined || text === null || text === "") return "";
  if (text.length > WIDEST_MATH) return make("code", {}, text);
  let tree;
  try { tree = treeOf(text); } catch (error) { if (error instanceof SyntaxError) return make("code", {}, text); throw error; }
  return make("span", {title: text}, math("math", {alttext: text}, mathOf(tree)));
}

// How tightly a tree binds as it is written: sums and remainders, products, and what stands for itself.
const [SUM, PRODUCT, ATOM] = [0, 1, 2];
const mathBinding = ([operation]) => ["+", "-", "%"].includes(operation) ? SUM : operation === "*" ? PRODUCT : ATOM;
const fencedMath = inner => math("mrow", {}, mathSign("("), inner, mathSign(")"));
const boundMath = (tree, least) => mathBinding(tree) < least ? fencedMath(mathOf(tree)) : mathOf(tree);

function mathOf(tree) {
  const [operation, ...operands] = tree;
  switch (operation) {
    case "number": return mathNumber(operands[0]);
    case "symbol": return math("mi", {}, operands[0]);
    case "-": return math("mrow", {}, mathSign("\u2212", {form: "prefix"}), boundMath(operands[0], PRODUCT));
    case "+": return math("mrow", {}, operands.map((part, k) => part[0] === "-"
      ? [mathSign("\u2212", {form: k ? "infix" : "prefix"}), boundMath(part[1], PRODUCT)] : [k ? mathSign("+") : null, boundMath(part, PRODUCT)]));
    case "*": return math("mrow", {}, powersOf(factorsOf(tree)).map(([part, power], k) => [k ? mathSign("\u22c5") : null, mathPower(part, power)]));
    case "/": return math("mfrac", {}, ...operands.map(mathOf));
    case "//": return math("mrow", {}, mathSign("\u230a"), math("mfrac", {}, ...operands.map(mathOf)), mathSign("\u230b"));
    case "%": return math("mrow", {}, boundMath(operands[0], PRODUCT), mathSign("mod", {lspace: "0.3em", rspace: "0.3em"}), boundMath(operands[1], ATOM));
    case "**": return mathPower(operands[0], operands[1]);
    case "min": case "max": case "gcd": return math("mrow", {}, math("mi", {}, operation), mathSign("("),
      operands.map((part, k) => [k ? mathSign(",") : null, mathOf(part)]), mathSign(")"));
    case "if": return mathCases(operands);
  }
}

// 1.5e-09 is 1.5 times a power of ten.
function mathNumber(text) {
  const [digits, power] = text.toLowerCase().split("e");
  if (power === undefined) return math("mn", {}, digits);
  return math("mrow", {}, math("mn", {}, digits), mathSign("\u22c5"), math("msup", {}, math("mn", {}, "10"), mathInteger(Number(power))));
}

const mathInteger = whole => whole < 0 ? math("mrow", {}, mathSign("\u2212", {form: "prefix"}), math("mn", {}, -whole)) : math("mn", {}, whole);

const factorsOf = tree => tree[0] === "*" ? tree.slice(1).flatMap(factorsOf) : [tree];

// Equal factors that stand beside each other are a power: `N*N*M` is N to the 2, and M.
function powersOf(factors) {
  const found = [];
  for (const factor of factors) {
    const last = found.at(-1);
    if (last && factor[0] !== "number" && JSON.stringify(last[0]) === JSON.stringify(factor)) last[1] += 1;
    else found.push([factor, 1]);
  }
  return found;
}

const standsAlone = ([operation, text]) => ["symbol", "min", "max", "gcd"].includes(operation) || (operation === "number" && !/e/i.test(text));
const mathPower = (tree, power) => power === 1 ? boundMath(tree, PRODUCT)
  : math("msup", {}, standsAlone(tree) ? mathOf(tree) : fencedMath(mathOf(tree)), math("mn", {}, power));

function mathCases(operands) {
  const row = (tree, words) => math("mtr", {}, math("mtd", {}, mathOf(tree)), math("mtd", {}, words)), rows = [];
  for (let k = 0; k + 1 < operands.length; k += 2)
    rows.push(row(operands[k + 1], math("mrow", {}, math("mtext", {}, "if\u00a0"), mathOf(operands[k]), mathSign("\u2265"), math("mn", {}, "0"))));
  return math("mrow", {}, mathSign("{"), math("mtable", {}, rows, row(operands.at(-1), math("mtext", {}, "else"))));
}
