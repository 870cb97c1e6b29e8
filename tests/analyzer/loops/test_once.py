"""`do { ... } while (0)`: what a `continue` in it skips."""

import pytest
from pycparser import c_ast, c_parser

from analyzer.loops.syntax import ending_once, nodes


def body_of(text: str) -> c_ast.Node:
    tree = c_parser.CParser().parse(f"void f(int c) {{ do {{ {text} }} while (0); }}")
    return tree.ext[0].body.block_items[0].stmt


@pytest.mark.parametrize(
    ("text", "continues", "breaks"),
    [
        ("if (c) continue; c++;", 0, 1),
        ("if (c) { c--; continue; } else continue;", 0, 2),
        ("next: continue;", 0, 1),
        ("while (c) { if (c > 2) continue; c--; }", 1, 0),
        ("do { if (c) continue; } while (0); c++;", 1, 0),
        ("c++;", 0, 0),
    ],
)
def test_a_continue_of_its_own_is_a_break(text: str, continues: int, breaks: int) -> None:
    ended = ending_once(body_of(text))
    assert ended is not None
    found = [type(n) for n in nodes(ended)]
    assert (found.count(c_ast.Continue), found.count(c_ast.Break)) == (continues, breaks)


def test_the_tree_itself_stays_as_it_is() -> None:
    body = body_of("if (c) continue; c++;")
    ending_once(body)
    assert any(isinstance(n, c_ast.Continue) for n in nodes(body))


def test_in_a_switch_there_is_no_such_break() -> None:
    assert ending_once(body_of("switch (c) { case 1: continue; }")) is None
    assert ending_once(body_of("switch (c) { case 1: while (c) continue; }")) is not None
