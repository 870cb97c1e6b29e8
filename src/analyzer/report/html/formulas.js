// Formulas of the document: the grammar of models/expr/text.py, over doubles. `formula(text)` is a function from sizes
// (an object by name) to a number, with its `symbols`. What Python refuses (a division by 0) is NaN or infinite here.
// `treeOf(text)` is what it is made of, a list [operation, ...operands]:
//
//   ["number", text] ["symbol", name] ["-", tree] ["+", tree ...] ["*" or "/" or "//" or "%", tree, tree]
//   ["**", tree, integer] ["min" or "max", tree ...] ["gcd", tree, number]
//   ["if", condition, tree, condition, tree, ..., tree]: the first of which the condition is >= 0, else the last
//
//
//   expression = ["-"] term {("+" | "-") term}
//   term       = factor {("*" | "/" | "//" | "%") factor}
//   factor     = {"-"} primary ["**" INTEGER]
//   primary    = NUMBER | NAME | "`" text "`" | ("min" | "max") "(" expression {"," expression} ")"
//              | "gcd" "(" expression "," INTEGER ")" | "(" expression ")"
//              | "(" {expression "if" expression ">=" "0" "else"} expression ")"

const FORMULA_TOKEN = new RegExp([
  "\\s*(?:(\\d+\\.\\d*(?:[eE][+-]?\\d+)?|\\d+[eE][+-]?\\d+|\\d+)",
  "((?:length@)?[A-Za-z_]\\w*(?:->[A-Za-z_]\\w*|\\.[A-Za-z_]\\w*|\\[\\w+\\]|@@?\\d+)*)", "`([^`]+)`",
  "(\\*\\*|\\/\\/|>=|[-+*/%(),]))"].join("|"), "y");

const parsed = new Map(), meant = new Map();
function treeOf(text) {
  if (!parsed.has(text)) parsed.set(text, parseFormula(text));
  return parsed.get(text);
}
function formula(text) {
  if (!meant.has(text)) {
    const tree = treeOf(text), value = meaning(tree);
    meant.set(text, Object.assign(v => value(v), {symbols: new Set(symbolsIn(tree))}));
  }
  return meant.get(text);
}

function parseFormula(text) {
  let at = 0, kind = "", token = "";
  function advance() {
    const left = token;
    FORMULA_TOKEN.lastIndex = at;
    const found = FORMULA_TOKEN.exec(text);
    if (!found) {
      if (text.slice(at).trim()) throw new SyntaxError(`unexpected text at ${at + 1} of ${text}`);
      kind = token = "";
      return left;
    }
    at = FORMULA_TOKEN.lastIndex;
    const which = found.slice(1).findIndex(part => part !== undefined);
    kind = ["number", "name", "quoted", "sign"][which]; token = found[which + 1];
    return left;
  }
  const is = (...tokens) => (kind === "sign" || kind === "name") && tokens.includes(token);
  function expect(wanted) {
    if (!is(wanted)) throw new SyntaxError(`expected ${wanted}, found ${token || "the end"} in ${text}`);
    advance();
  }
  function expression() {
    const parts = [term(is("-") && Boolean(advance()))];
    while (is("+", "-")) parts.push(term(advance() === "-"));
    return parts.length === 1 ? parts[0] : ["+", ...parts];
  }
  function term(negative) {
    let tree = factor();
    while (is("*", "/", "//", "%")) tree = [advance(), tree, factor()];
    return negative ? ["-", tree] : tree;
  }
  function factor() {
    if (is("-")) { advance(); return ["-", factor()]; }
    const base = primary();
    if (!is("**")) return base;
    advance();
    return ["**", base, Number(advance())];
  }
  function primary() {
    if (kind === "number") return ["number", advance()];
    if (kind === "quoted") return ["symbol", advance()];
    if (is("min", "max")) {
      const choose = advance();
      expect("(");
      const parts = [expression()];
      while (is(",")) { advance(); parts.push(expression()); }
      expect(")");
      return [choose, ...parts];
    }
    if (is("gcd")) {
      advance();
      expect("(");
      const value = expression();
      expect(",");
      const limit = expression();
      expect(")");
      return ["gcd", value, limit];
    }
    if (kind === "name" && !is("if", "else")) return ["symbol", advance()];
    expect("(");
    const cases = [];
    let tree = expression();
    while (is("if")) {
      advance();
      const condition = expression();
      expect(">=");
      if (token !== "0") throw new SyntaxError(`expected 0 in ${text}`);
      advance();
      expect("else");
      cases.push(condition, tree);
      tree = expression();
    }
    expect(")");
    return cases.length ? ["if", ...cases, tree] : tree;
  }
  advance();
  const tree = expression();
  if (kind) throw new SyntaxError(`unexpected ${token} in ${text}`);
  return tree;
}

function* symbolsIn([operation, ...operands]) {
  if (operation === "symbol") yield operands[0];
  else for (const part of operands) if (Array.isArray(part)) yield* symbolsIn(part);
}

// Of condition, value, condition, value, ..., value: the first value of which the condition holds.
function chosenOf(parts, holds) {
  let at = 0;
  while (at + 1 < parts.length && !holds(parts[at])) at += 2;
  return parts[Math.min(at + 1, parts.length - 1)];
}

const PAIRS = {
  "*": (a, b) => a * b, "/": (a, b) => a / b, "//": (a, b) => Math.floor(a / b), "%": (a, b) => a - b * Math.floor(a / b),
  gcd: (a, b) => { for (a = Math.abs(a); b;) [a, b] = [b, a % b]; return a; },
};

// The function from sizes to the value of a tree.
function meaning([operation, ...operands]) {
  switch (operation) {
    case "number": { const value = Number(operands[0]); return () => value; }
    case "symbol": return v => v[operands[0]];
    case "-": { const inner = meaning(operands[0]); return v => -inner(v); }
    case "**": { const base = meaning(operands[0]), power = operands[1]; return v => base(v) ** power; }
    case "+": { const parts = operands.map(meaning); return v => { let sum = 0; for (const part of parts) sum += part(v); return sum; }; }
    case "min": case "max": { const parts = operands.map(meaning), choose = Math[operation]; return v => choose(...parts.map(part => part(v))); }
    case "if": { const parts = operands.map(meaning); return v => chosenOf(parts, condition => condition(v) >= 0)(v); }
    default: { const [a, b] = operands.map(meaning), pair = PAIRS[operation]; return v => pair(a(v), b(v)); }
  }
}

// The value of a formula that may be missing: `otherwise` then.
const valueOf = (text, sizes, otherwise = 0) => text === undefined || text === null ? otherwise : formula(text)(sizes);
