"""Which members of one structure two accesses touch."""

from itertools import combinations

import pytest
from tests.analyzer.loops.picture import lowered

from analyzer.ir import nodes as ir
from analyzer.ir.members import in_other_bytes

COUNTED = "struct s { int n; int room; struct { double x; int key; } item[%s]; int end; };\n"
FLEXIBLE = "struct s { int n; int room; struct { double x; int key; } item[]; };\n"


def accesses(c: str) -> list[ir.Access]:
    """Those that the function `f` stores to."""
    stored = (s.target for s in ir.statements(lowered(c).body) if isinstance(s, ir.Assign))
    return [target for target in stored if isinstance(target, ir.Access)]


def other(structure: str, first: str, second: str) -> bool:
    a, b = accesses(structure + f"void f(struct s *l, int i, int j) {{ while (i--) {{ {first} = 1; {second} = 2; }} }}")
    assert in_other_bytes(a, b) == in_other_bytes(b, a)
    return in_other_bytes(a, b)


@pytest.mark.parametrize("structure", [COUNTED % 4, FLEXIBLE])
@pytest.mark.parametrize("member", ["x", "key"])
def test_elements_of_a_member_are_not_the_members_before_it(structure: str, member: str) -> None:
    assert other(structure, "l->n", f"l->item[i].{member}")
    assert other(structure, "l->room", f"l->item[i].{member}")


def test_elements_of_a_member_with_a_length_are_not_the_members_behind_it() -> None:
    assert other(COUNTED % 4, "l->end", "l->item[i].key")
    assert other(COUNTED % 4, "l[j].end", "l[i].item[3].key")


def test_members_of_elements_meet_where_bytes_are_shared() -> None:
    assert not other(FLEXIBLE, "l->item[i].key", "l->item[j].key")
    assert not other("struct s { union { int n; int item[4]; }; };", "l->n", "l->item[i]")


def test_a_flexible_array_member_may_reach_what_follows_its_structure() -> None:
    assert not other(FLEXIBLE, "l[j].n", "l->item[i].key")


def test_through_a_pointer_in_a_structure() -> None:
    structure = FLEXIBLE + "struct t { struct s *l; };\n"
    stores = "t->l->n = 1; t->l->item[i].key = 2; t->l->room = 3;"
    found = accesses(structure + f"void f(struct t *t, int i) {{ while (i--) {{ {stores} }} }}")
    assert len(found) == 3
    assert all(in_other_bytes(a, b) for a, b in combinations(found, 2))
