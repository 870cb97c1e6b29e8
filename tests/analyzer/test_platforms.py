"""What other systems lack is done without: no compiler, no `fork`, no process groups, no limits of processes."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "c"


def loops(analyze: Any, name: str) -> list[dict[str, Any]]:
    ran = analyze(FIXTURES / name, "-t", "h200", "-f", "json", "--no-cache")
    assert ran.code == 0, ran.err
    shown = ("id", "parallel", "class", "species", "counts", "recommendation")
    return [{key: loop[key] for key in shown} for file in json.loads(ran.out)["files"] for loop in file["loops"]]


@pytest.mark.parametrize("name", ["triangular.c", "calls.c"])
def test_answers_do_not_need_what_windows_lacks(name: str, analyze: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    here = loops(analyze, name)
    monkeypatch.setenv("PATH", "/nowhere")
    for function in ("fork", "killpg", "setsid"):
        monkeypatch.delattr(os, function, raising=False)
    for module in ("resource", "fcntl", "pwd", "grp"):
        monkeypatch.setitem(sys.modules, module, None)
    assert loops(analyze, name) == here
