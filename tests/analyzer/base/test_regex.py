"""Patterns that are compiled when they are first asked for."""

import importlib
import pkgutil
import re

import pytest

import analyzer
from analyzer.base.regex import _WhenAsked, regex


def test_it_answers_as_a_compiled_pattern() -> None:
    text = "int a; /* a */"
    lazy, eager = regex(r"\bA\b", re.IGNORECASE), re.compile(r"\bA\b", re.IGNORECASE)
    assert [m.span() for m in lazy.finditer(text)] == [m.span() for m in eager.finditer(text)]
    assert lazy.sub("b", text) == eager.sub("b", text)
    assert (lazy.pattern, lazy.flags) == (eager.pattern, eager.flags)
    assert lazy.match(text) is None


def test_it_is_compiled_when_it_is_asked_and_not_before() -> None:
    broken = regex("(")
    with pytest.raises(re.error):
        broken.search("(")


def test_every_pattern_of_a_module_can_be_compiled() -> None:
    """Where a pattern is asked for once in a thousand runs, its errors would show once in a thousand runs."""
    found = 0
    for module in pkgutil.walk_packages(analyzer.__path__, "analyzer."):
        if module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, _WhenAsked):
                assert value.flags >= 0, (module.name, name)
                found += 1
    assert found > 100
