"""Words that are keywords from C23 on, where the compiler reads C23 and nothing declares them."""

from collections.abc import Callable

import pytest
from pycparser import c_ast

from analyzer.source.ctypes import Function, Integer, Pointer
from analyzer.source.nodes import nodes
from analyzer.source.unit import Unit

Loader = Callable[..., Unit]
C23 = """constexpr int N = 8;
struct s { alignas(16) double x[2]; };
int f(bool *found, const char **names) {
    for (int i = 0; i < N; i++) { if (names[i] == nullptr) continue; found[i] = true; }
    return alignof(struct s) == 16 ? false : true;
}
"""


def test_text_of_c23_is_read_without_headers(load: Loader) -> None:
    unit = load(C23, standard="gnu2x")
    assert not unit.diagnostics
    function = unit.prototypes["f"]
    assert isinstance(function, Function)
    assert function.parameters[0] == Pointer(Integer("_Bool", 1, False), 8)
    (definition,) = unit.functions
    assert definition.node is not None
    stored = [n.rvalue for n in nodes(definition.node.body, c_ast.Assignment)]
    assert [unit.constant(value) for value in stored] == [1]


OLDER = """enum { false, true };
typedef int bool;
int f(bool *found, int n) { for (int i = 0; i < n; i++) found[i] = true; return false; }
"""


@pytest.mark.parametrize("standard", ["gnu2x", "gnu11"])
def test_a_text_that_declares_them_has_its_own(load: Loader, standard: str) -> None:
    unit = load(OLDER, standard=standard)
    assert not unit.diagnostics
    function = unit.prototypes["f"]
    assert isinstance(function, Function)
    assert function.parameters[0] == Pointer(Integer("int", 4, True), 8)


def test_in_c11_they_are_names(load: Loader) -> None:
    unit = load("int f(int nullptr) { int true = 1, alignof = nullptr; return true + alignof; }", standard="gnu11")
    assert not unit.diagnostics
    (definition,) = unit.functions
    assert {n.name for n in nodes(definition.node, c_ast.ID)} == {"nullptr", "true", "alignof"}
