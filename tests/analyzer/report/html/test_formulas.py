"""The page's evaluator has Python's values: on random expressions, and on times of real loops."""

import json
import math
import re
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import pytest
from hypothesis import find, settings
from hypothesis import strategies as st

import analyzer.report.html as page
from analyzer.report.document import Document
from models.expr import Expr, evaluate, floordiv, gcd, maximum, minimum, mod, parse, piecewise, sym, to_text

from .browser import Browser
from .material import whole
from .opening import open_page

SIZES = {"N": 7, "M": 3, "s->n": 11, "n@12": 5, "a[i + 1].x": 2}
SCRIPT = (Path(page.__file__).parent / "formulas.js").read_text(encoding="utf-8")


def computed(browser: Browser, texts: list[str], sizes: dict[str, float]) -> list[float | None]:
    """What the page's evaluator makes of the texts; None where that is no number."""
    call = f"{json.dumps(texts)}.map(text => formula(text)({json.dumps(sizes)}))"
    found: list[float | None] = browser.run(f"(() => {{ {SCRIPT}; return {call}; }})()")
    return found


def random_expressions(count: int) -> list[Expr]:
    """Expressions from a fixed seed, grown from integers and symbols."""
    names = st.sampled_from(list(SIZES)).map(sym)
    numbers = st.one_of(st.integers(-9, 9), st.floats(0.001, 1e6)).map(lambda v: parse(repr(v)))
    leaves = st.one_of(numbers, names)

    def grow(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        pair = st.tuples(inner, inner)
        return st.one_of(
            pair.map(lambda p: p[0] + p[1]),
            pair.map(lambda p: p[0] - p[1]),
            pair.map(lambda p: p[0] * p[1]),
            pair.map(lambda p: minimum(*p)),
            pair.map(lambda p: maximum(*p)),
            pair.map(lambda p: p[0] / (p[1] * p[1] + 1)),
            st.tuples(names, st.integers(2, 5)).map(lambda p: floordiv(3 - p[0], p[1])),
            st.tuples(names, st.integers(2, 5)).map(lambda p: mod(1 - 3 * p[0], p[1])),
            st.tuples(names, st.integers(2, 9)).map(lambda p: gcd(6 * p[0], p[1])),
            st.tuples(inner, inner, inner).map(lambda t: piecewise(((t[0], t[1]),), t[2])),
        )

    found: list[Expr] = []

    def collect(expr: Expr) -> bool:
        found.append(expr)
        return len(found) >= count

    find(st.recursive(leaves, grow, max_leaves=12), collect, settings=settings(derandomize=True, max_examples=count))
    return found


def test_random_expressions(browser: Browser) -> None:
    expressions = random_expressions(300)
    values = computed(browser, [to_text(e) for e in expressions], SIZES)
    for expr, value in zip(expressions, values, strict=True):
        assert value == pytest.approx(float(evaluate(parse(to_text(expr)), SIZES)), rel=1e-9, abs=1e-9), to_text(expr)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("2.5e-3*N", 0.0175),
        ("-N + 2", -5),
        ("2*N**2/4", 24.5),
        ("7//2 + (-7)//2", -1),
        ("(-7)%3", 2),
        ("gcd(4*N, 8) + gcd(-6, 4)", 6),
        ("min(N, M, 5) + max(1, M)", 6),
        ("(1 if M - 3 >= 0 else 2)", 1),
        ("(1 if M - 4 >= 0 else 5 if N >= 0 else 3)", 5),
        ("`a[i + 1].x`*s->n + n@12", 27),
    ],
)
def test_grammar(browser: Browser, text: str, value: float) -> None:
    assert float(evaluate(parse(text), SIZES)) == pytest.approx(value)
    assert computed(browser, [text], SIZES) == [pytest.approx(value)]


@pytest.mark.parametrize("text", ["", "2*", "(1", "1)", "a b", "N $ M"])
def test_what_is_no_formula_is_refused(browser: Browser, text: str) -> None:
    with pytest.raises(RuntimeError, match="SyntaxError"):
        computed(browser, [text], SIZES)


# --- as they are typeset


def read(nodes: list[Element]) -> str:
    """The formula that a row of MathML says, in the grammar of `models.expr.text`."""
    words = [node.text for node in nodes if node.tag in ("mo", "mi")]
    if words[:1] == ["\u230a"]:
        above, below = nodes[1]
        return f"(({read([above])})//({read([below])}))"
    if words[:1] == ["{"] and len(nodes) == 2:
        *cases, otherwise = nodes[1]
        said = (f"{read([value])} if {read(list(condition[0])[1:-2])} >= 0 else " for value, condition in cases)
        return f"({''.join(said)}{read([otherwise[0]])})"
    return "".join(map(read_one, nodes))


SIGNS = {"\u2212": "-", "\u22c5": "*", "mod": "%", "+": "+", "(": "(", ")": ")", ",": ","}


def read_one(node: Element) -> str:
    match node.tag:
        case "mrow":
            return read(list(node))
        case "mtd":
            return f"({read(list(node))})"
        case "mfrac":
            return f"({read([node[0]])})/({read([node[1]])})"
        case "msup" if node[1].tag == "mrow":  # a negative power of ten
            return f"(1/10**{node[1][1].text})"
        case "msup":
            return f"{read([node[0]])}**{node[1].text}"
        case "mn":
            return node.text or ""
        case "mi":
            return f"{node.text}" if node.text in ("min", "max", "gcd") else f"`{node.text}`"
        case "mo":
            return SIGNS[node.text or ""]
    raise AssertionError(node.tag)


def typeset(page: Browser, texts: list[str]) -> list[str]:
    call = "text => new XMLSerializer().serializeToString(typeset(text))"
    found: list[str] = page.run(f"{json.dumps(texts)}.map({call})")
    return found


@pytest.fixture
def page_of(browser: Browser, tmp_path: Path, document: Document) -> Browser:
    open_page(browser, tmp_path, document, "formulas.html")
    return browser


MORE = [
    *("N*N*N*M", "2.5e-09*N", "N*(M%3)", "(N*M)%3 + 1", "-(N + M)*2", "N/(M + 1)/2", "2 - (-7)//2", "gcd(N, 8)*2"),
    *("(1 if M >= 0 else 2)*3", "(1 if M - 4 >= 0 else 5 if N >= 0 else 3)**2"),
]


def test_what_is_typeset_says_the_formula(page_of: Browser) -> None:
    short = [text for e in random_expressions(300) if len(text := to_text(e)) < 60] + MORE
    assert len(short) > 150
    for text, made in zip(short, typeset(page_of, short), strict=True):
        plain = re.sub(r' xmlns="[^"]*"', "", made)
        span = fromstring(plain)
        assert span.get("title") == text
        back = read(list(span[0]))
        expected = float(evaluate(parse(text), SIZES))
        assert float(evaluate(parse(back), SIZES)) == pytest.approx(expected, rel=1e-9, abs=1e-9), (text, back)


@pytest.mark.parametrize("text", ["N*" * 40 + "N", "T/B if F <= 25 MB, else T/C", "3534 GB/s"])
def test_what_is_wide_or_no_formula_stays_text(page_of: Browser, text: str) -> None:
    (made,) = typeset(page_of, [text])
    assert re.sub(r' xmlns="[^"]*"', "", made) == f"<code>{text.replace('<', '&lt;')}</code>"


# --- of reports


def test_times_of_loops(browser: Browser, document: Document) -> None:
    texts = [
        text
        for file in document.files
        for loop in file.loops
        for time in (loop.formulas.times if loop.formulas else ())
        for end in (time.low, time.likely, time.high)
        if end is not None and loop.formulas is not None
        for text in (end.compute, end.memory, end.transfer, end.launch)
        if text is not None
        for text in (whole(text, loop.formulas.parts or ()),)
    ]
    assert len(texts) > 20
    for size in (1, 1000, 12_345_678):
        values = computed(browser, texts, {"n": size, "i": 3, "j": 5})
        for text, value in zip(texts, values, strict=True):
            assert value is not None
            assert math.isclose(value, float(evaluate(parse(text), {"n": size, "i": 3, "j": 5})), rel_tol=1e-12), text
