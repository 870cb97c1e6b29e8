"""Forward jumps become branches: the same statements, once each, under the same conditions; but for flags at the end of
a loop's body, which each jump sets itself."""

import re

import pytest
from pycparser import c_generator, c_parser

from analyzer.loops.gotos import structured


def rewritten(body: str) -> str:
    (function,) = c_parser.CParser().parse(f"void f(int c, int d) {{ {body} }}").ext
    text = c_generator.CGenerator().visit(structured(function.body))
    return " ".join(re.sub(r"goto x(?=\)| =)", "LEFT", text).split())


def plain(body: str) -> str:
    (function,) = c_parser.CParser().parse(f"void f(int c, int d) {{ {body} }}").ext
    return " ".join(c_generator.CGenerator().visit(function.body).split())


STRUCTURED = [
    ("if (c) goto x; A(); x: B();", "if (c) { } else { A(); } B();"),
    ("if (c) { Z(); goto x; } A(); x: B();", "if (c) { Z(); } else { A(); } B();"),
    ("if (c) goto x; A(); goto y; x: B(); y: C();", "if (c) { B(); } else { A(); } C();"),
    ("if (c) Z(); else goto x; A(); x: B();", "if (c) { Z(); A(); } else { } B();"),
    ("if (c) goto x; else goto y; x: A(); goto z; y: B(); z: C();", "if (c) { A(); } else { B(); } C();"),
    ("if (c) goto x; if (d) goto y; A(); y: B(); x: C();", "if (c) { } else { if (d) { } else { A(); } B(); } C();"),
    (
        "if (c) goto x; A(); if (d) goto y; B(); goto y; x: C(); y: D();",
        "if (c) { C(); } else { A(); if (d) { } else { B(); } } D();",
    ),
    ("while (c) { if (d) goto x; A(); x: ; }", "while (c) { if (d) { } else { A(); } ; }"),
    ("while (c) { if (d) goto x; A(); } x: B();", "while (c) { if (d) break; A(); } B();"),
    (
        "while (c) { while (d) { while (c) { if (d) goto x; A(); } B(); } C(); x: D(); }",
        "while (c) { int LEFT = 0; while (d) { while (c) { if (d) { LEFT = 1; break; } A(); } if (LEFT) break; B(); } "
        "if (LEFT) { } else { C(); } D(); }",
    ),
    (
        "while (c) { if (c) { while (d) { if (c) A(); else goto x; } B(); goto x; } C(); x: ; }",
        "while (c) { int LEFT = 0; if (c) { while (d) { if (c) A(); else { LEFT = 1; break; } } "
        "if (LEFT) { } else { B(); } } else { C(); } ; }",
    ),
    (
        "while (c) { if (d) goto x; int k = 1; if (k) { A(); goto x; } B(); continue; x: ; d = 1; c = -2; }",
        "while (c) { if (d) { d = 1; c = -2; continue; } int k = 1; "
        "if (k) { A(); { d = 1; c = -2; continue; } } B(); continue; }",
    ),
    (
        "while (c) { do { if (d) { A(); goto x; } } while (0); B(); continue; x: d = 1; }",
        "while (c) { int LEFT = 0; do { if (d) { A(); LEFT = 1; break; } } while (0); "
        "if (LEFT) { } else { B(); continue; } d = 1; }",
    ),
    (
        "while (c) { int k = 1; if (d) { int m = k; A(m); goto x; } B(); continue; x: d = k; }",
        "while (c) { int k = 1; if (d) { int m = k; A(m); { d = k; continue; } } B(); continue; }",
    ),
    ("if (c) { int d = 1; Z(d); goto x; } A(); x: B(d);", "if (c) { { int d = 1; Z(d); } } else { A(); } B(d);"),
    (
        "if (c) { int d = 1; Z(d); goto x; } A(); goto y; x: B(d); y: C();",
        "if (c) { { int d = 1; Z(d); } B(d); } else { A(); } C();",
    ),
    (
        "if (c) { int d = 1; Z(d); } else goto x; A(d); x: B();",
        "if (c) { { int d = 1; Z(d); } A(d); } else { } B();",
    ),
    ("while (c) { if (d) goto x; A(); continue; x: B(); }", "while (c) { if (d) { } else { A(); continue; } B(); }"),
    ("while (c) { if (d) goto x; A(); continue; x: d++; }", "while (c) { if (d) { } else { A(); continue; } d++; }"),
]

KEPT = [
    "while (c) { if (d) goto x; A(); goto y; { x: B(); } y: C(); }",
    "while (c) { switch (d) { case 1: goto x; } A(); continue; x: d = 1; }",
    "while (c) { while (d) { switch (c) { case 1: goto x; } } A(); x: ; }",
    "while (c) { while (d) { if (c) goto x; } int k = 1; A(k); x: ; }",
    "x: A(); if (c) goto x;",
    "while (c) { while (d) { goto x; } } x: A();",
    "while (c) { if (d) goto x; A(); } B(); x: C();",
    "if (c) goto x; while (d) { x: A(); }",
    "if (c) goto x; int k = 1; A(k); x: B();",
    "if (c) { if (d) goto x; A(); goto y; } B(); x: C(); y: D();",
    "switch (c) { case 1: goto x; } A(); x: B();",
]


@pytest.mark.parametrize(("body", "expected"), STRUCTURED)
def test_forward_jumps_become_branches(body: str, expected: str) -> None:
    assert rewritten(body) == plain(expected)


@pytest.mark.parametrize("body", KEPT)
def test_other_jumps_stay(body: str) -> None:
    assert rewritten(body) == plain(body)


def test_a_body_without_jumps_is_not_copied() -> None:
    (function,) = c_parser.CParser().parse("void f(int c) { if (c) { A(); } else { B(); } }").ext
    assert structured(function.body) is function.body


@pytest.mark.parametrize(
    "body",
    [
        "while (c) { if (d) { int d = 2; A(d); goto x; } B(); continue; x: d = 1; }",
        "while (c) { if (d) { enum { k = 2 }; A(k); goto x; } B(); continue; x: d = k; }",
        "while (c) { if (d) goto x; int d = 2; A(d); continue; x: d = 1; }",
    ],
)
def test_flags_are_not_set_where_their_names_mean_something_else(body: str) -> None:
    assert "d = 1; continue" not in rewritten(body)
    assert "d = k; continue" not in rewritten(body)
