"""What lies below a node is the same, whichever node of its tree was asked about first."""

import gc

import pytest
from pycparser import c_ast, c_parser

from analyzer.source import nodes as walks
from analyzer.source.nodes import node_count, nodes

C = """
int f(int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) { if (a[i] > 0) { s += a[i] * 2 + g(i, n); } else while (s) s--; }
    return s;
}
"""


def tree() -> c_ast.Node:
    return c_parser.CParser().parse(C).ext[0]


def below(node: c_ast.Node) -> list[c_ast.Node]:
    return [node, *(n for child in node for n in below(child))]


@pytest.mark.parametrize("step", [1, -1, 3])
def test_each_node_has_its_own_part_of_the_walk(step: int) -> None:
    for node in below(tree())[::step]:
        expected = below(node)
        assert nodes(node) == expected
        assert node_count(node) == len(expected)
        for kinds in ((c_ast.ID,), (c_ast.Assignment, c_ast.UnaryOp), (c_ast.For, c_ast.While), (c_ast.Goto,)):
            assert nodes(node, *kinds) == [n for n in expected if isinstance(n, kinds)]


def test_a_walk_lives_as_long_as_its_tree() -> None:
    gc.collect()
    before = len(walks._walks)
    root = tree()
    nodes(root)
    assert len(walks._walks) > before
    del root
    gc.collect()
    assert len(walks._walks) == before
