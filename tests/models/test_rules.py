"""Estimated figures: every file follows the rules, and the rules agree with what was measured."""

import pytest

from models.catalogue import CatalogueError, Figure, device_ids, find_device
from models.rules import LINKS, RULES, deviations, link_rate

EMBEDDED = (
    "mali-t628"  # reads with plain loads 0.28 of what its memory is built for; the rule is for desktop and server
)


@pytest.mark.parametrize("device_id", device_ids())
def test_estimated_figures_name_a_rule_and_follow_it(device_id: str) -> None:
    figures = find_device(device_id).figures
    for key, figure in figures.items():
        assert (figure.kind == "estimated") == bool(figure.rule), key
    assert list(deviations(figures)) == []


def test_every_rule_is_used_and_stated() -> None:
    used = {figure.rule for name in device_ids() for figure in find_device(name).figures.values()}
    assert set(RULES) - set(LINKS) <= used <= {"", *RULES}
    assert all(len(rule.statement) > 10 for rule in RULES.values())


@pytest.mark.parametrize(
    ("kind", "key", "rule"),
    [("gpu", "memory.coalesced", "sustained-gpu"), ("cpu", "memory.all_cores", "sustained-cpu")],
)
def test_the_range_of_a_sustained_rate_holds_on_every_measured_device(kind: str, key: str, rule: str) -> None:
    measured = 0
    span = RULES[rule].span
    assert span is not None
    for name in device_ids():
        device = find_device(name)
        if device.kind == kind and name != EMBEDDED and device.figures[key].kind != "estimated":
            low, _, high = span(device.figures, key)
            assert low <= device.figures[key].value <= high, name
            measured += 1
    assert measured >= 10


def test_one_core_s_rate_lies_in_the_rule_s_range_where_it_was_measured() -> None:
    span = RULES["one-core"].span
    assert span is not None
    for name in ("e5-2695v3", "xeon6148", "xeon6248", "epyc7452", "thunderx2"):
        figures = find_device(name).figures
        assert figures["memory.one_core"].kind == "measured"
        low, value, high = span(figures, "memory.one_core")
        assert low <= figures["memory.one_core"].value <= high
        assert figures["memory.one_core"].value == pytest.approx(value, rel=0.4)


def test_the_paper_s_uncoalesced_rates_lie_in_the_sector_rule_s_range() -> None:
    span = RULES["sector"].span
    assert span is not None
    for name in ("gtx470", "gts250"):
        figures = find_device(name).figures
        low, _, high = span(figures, "memory.uncoalesced")
        assert low <= figures["memory.uncoalesced"].value <= high


def rate(value: float, rule: str) -> Figure:
    return Figure(value, value / 2, value * 2, "B/s", "estimated", "a test", f"{value:g} B/s", rule=rule)


@pytest.mark.parametrize(
    ("figures", "message"),
    [
        ({"memory.coalesced": rate(1e9, "rule of thumb")}, "no rule 'rule of thumb'"),
        ({"memory.coalesced": rate(1e9, "sector")}, "sector is for memory.uncoalesced"),
        ({"memory.uncoalesced": rate(1e9, "sector")}, "needs the figure memory.coalesced"),
        ({"memory.uncoalesced": rate(1e9, "sector"), "memory.coalesced": rate(1e9, "")}, "sector gives 1.25e+08"),
    ],
)
def test_what_does_not_follow_is_named(figures: dict[str, Figure], message: str) -> None:
    (found,) = deviations(figures)
    assert message in found


def test_links_by_class() -> None:
    assert link_rate("pcie4-x16").value == 26e9
    rates = [link_rate(name).value for name in LINKS]
    assert rates == sorted(rates)
    with pytest.raises(CatalogueError, match="did you mean pcie4-x16"):
        link_rate("pcie4x16")
