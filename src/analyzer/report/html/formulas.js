// Formulas of the document: the grammar of models/expr/text.py, over doubles. `formula(text)` is a function from sizes
// (an object by name) to a number, with its `symbols`. What Python refuses (a division by 0) is NaN or infinite here.
//
//   expression = ["-"] term {("+" | "-") term}
//   term       = factor {("*" | "/" | "//" | "%") factor}
//   factor     = {"-"} primary ["**" INTEGER]
//   primary    = NUMBER | NAME | "`" text "`" | ("min" | "max") "(" expression {"," expression} ")"
//              | "(" expression ")" | "(" {expression "if" expression ">=" "0" "else"} expression ")"

const FORMULA_TOKEN = new RegExp([
  "\\s*(?:(\\d+\\.\\d*(?:[eE][+-]?\\d+)?|\\d+[eE][+-]?\\d+|\\d+)",
  "([A-Za-z_]\\w*(?:->[A-Za-z_]\\w*|\\.[A-Za-z_]\\w*|\\[\\w+\\]|@@?\\d+)*)", "`([^`]+)`",
  "(\\*\\*|\\/\\/|>=|[-+*/%(),]))"].join("|"), "y");

const parsed = new Map();
function formula(text) {
  if (!parsed.has(text)) parsed.set(text, parseFormula(text));
  return parsed.get(text);
}

function parseFormula(text) {
  let at = 0, kind = "", token = "";
  const symbols = new Set();
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
    if (parts.length === 1) return parts[0];
    return v => { let sum = 0; for (const part of parts) sum += part(v); return sum; };
  }
  function term(negative) {
    let value = factor();
    while (is("*", "/", "//", "%")) value = combined(advance(), value, factor());
    return negative ? v => -value(v) : value;
  }
  function combined(sign, left, right) {
    if (sign === "*") return v => left(v) * right(v);
    if (sign === "/") return v => left(v) / right(v);
    if (sign === "//") return v => Math.floor(left(v) / right(v));
    return v => { const a = left(v), b = right(v); return a - b * Math.floor(a / b); };
  }
  function factor() {
    if (is("-")) { advance(); const inner = factor(); return v => -inner(v); }
    const base = primary();
    if (!is("**")) return base;
    advance();
    const power = Number(advance());
    return v => base(v) ** power;
  }
  function symbol(name) {
    symbols.add(name);
    return v => v[name];
  }
  function primary() {
    if (kind === "number") { const value = Number(advance()); return () => value; }
    if (kind === "quoted") return symbol(advance());
    if (is("min", "max")) {
      const choose = advance() === "min" ? Math.min : Math.max;
      expect("(");
      const parts = [expression()];
      while (is(",")) { advance(); parts.push(expression()); }
      expect(")");
      return v => choose(...parts.map(part => part(v)));
    }
    if (kind === "name" && !is("if", "else")) return symbol(advance());
    expect("(");
    const cases = [];
    let value = expression();
    while (is("if")) {
      advance();
      const condition = expression();
      expect(">=");
      if (token !== "0") throw new SyntaxError(`expected 0 in ${text}`);
      advance();
      expect("else");
      cases.push([condition, value]);
      value = expression();
    }
    expect(")");
    const otherwise = value;
    if (!cases.length) return otherwise;
    return v => (cases.find(([condition]) => condition(v) >= 0)?.[1] ?? otherwise)(v);
  }
  advance();
  const value = expression();
  if (kind) throw new SyntaxError(`unexpected ${token} in ${text}`);
  return Object.assign(v => value(v), {symbols});
}

// The value of a formula that may be missing: `otherwise` then.
const valueOf = (text, sizes, otherwise = 0) => text === undefined || text === null ? otherwise : formula(text)(sizes);
