"""The language server in an editor that people use: what Neovim shows, and the file after its quick fix."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from .client import environment

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = Path(__file__).with_name("neovim.lua")
CASE_STUDY = ROOT / "fixtures" / "c" / "case_study.c"
needs_neovim = pytest.mark.skipif(
    shutil.which("nvim") is None, reason="no Neovim on this machine: no editor is driven (Debian: apt install neovim)"
)
WINDOWS = """void scale(int n, float *restrict a) {
\tif (n) { /* 𝔸ä */ }
\tfor (int i = 0; i < n; i++)
\t\ta[i] *= 2;
}
"""
WARNING, INFORMATION = 2, 3


def edited(path: Path, line: int, *options: str) -> dict[str, Any]:
    """What Neovim showed while the change of the loop on a line was made in the file."""
    out = path.with_name("out.json")
    server = [sys.executable, "-m", "analyzer", "--lsp", *options]
    more = {"SERVER": json.dumps(server), "OUT": str(out), "LINE": str(line), "HOME": str(path.parent)}
    ran = subprocess.run(
        ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", str(path), "-S", str(SCRIPT)],
        cwd=path.parent,
        env={**environment(path.parent / "cache"), **more},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert out.exists(), ran.stderr
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    assert "failed" not in found, found
    return found


@needs_neovim
def test_neovim_shows_findings_and_makes_the_change(tmp_path: Path) -> None:
    path = tmp_path / "case_study.c"
    text = CASE_STUDY.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    line = next(n for n, code in enumerate(text.splitlines(), 1) if "for (int y" in code)

    shown = edited(path, line)

    candidates = [d for d in shown["diagnostics"] if d[3] == "PAR001"]
    assert [line, 5, "boathull", "PAR001", WARNING] in [d[:5] for d in candidates]
    assert {d[4] for d in shown["diagnostics"]} == {WARNING, INFORMATION}
    assert len(shown["lenses"]) == 22
    verdict = dict(map(tuple, shown["lenses"]))[line]
    assert verdict.startswith("host-parallel, all threads: ")
    assert verdict in shown["hover"][0].replace("\\", "").replace("*", "")
    assert any(text.startswith("class") for text in shown["hover"])
    assert shown["offered"] == ["Insert #pragma omp parallel for"]

    lines = text.splitlines(keepends=True)
    lines.insert(line - 1, "    #pragma omp parallel for\n")
    assert path.read_text(encoding="utf-8") == "".join(lines)
    assert [line + 1] not in [d[:1] for d in shown["diagnostics_after"] if d[3] == "PAR001"]
    assert len(shown["diagnostics_after"]) == len(shown["diagnostics"]) - 1
    assert [d[0] for d in shown["diagnostics_broken"] if d[3] == "SRC001"] == [1]
    assert shown["exit_code"] == 0
    assert shown["messages"] == []


def blocks(language: str) -> list[str]:
    """The code of one language on the page about editors."""
    page = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def test_the_lines_of_the_page_are_those_of_the_editors() -> None:
    words = ["analyze", "--lsp", "--target", "h200"]
    (code,) = [json.loads(block) for block in blocks("json") if "glspc" in block]
    assert [code["glspc.server.command"], *code["glspc.server.commandArguments"]] == words
    (helix,) = map(tomllib.loads, blocks("toml"))
    server = helix["language-server"]["boathull"]
    assert [server["command"], *server["args"]] == words
    assert all(" ".join(words) in re.sub(r"[^\w -]", "", block) for block in (*blocks("lua"), *blocks("elisp")))


@needs_neovim
def test_the_lines_of_the_page_are_enough_for_neovim(tmp_path: Path) -> None:
    newer, older = blocks("lua")
    show = """
vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 20)
io.stdout:write(vim.fn.json_encode(vim.tbl_map(function(d) return d.message end, vim.diagnostic.get(0))))
vim.cmd('qall!')
"""
    (tmp_path / "show.lua").write_text(f"assert(loadstring([==[{newer}]==]))\n{show}", encoding="utf-8")
    (tmp_path / "init.lua").write_text(older, encoding="utf-8")
    (tmp_path / "a.c").write_text(WINDOWS, encoding="utf-8")
    command = tmp_path / "bin" / "analyze"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m analyzer "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    around = environment(tmp_path / "cache")
    ran = subprocess.run(
        ["nvim", "--headless", "-u", "init.lua", "-i", "NONE", "-n", "a.c", "-S", "show.lua"],
        cwd=tmp_path,
        env={**around, "PATH": f"{command.parent}{os.pathsep}{around['PATH']}", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "n is unknown; h200 wins" in ran.stdout, ran.stderr


@needs_neovim
@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc on this machine")
def test_what_neovim_has_changed_is_a_program(tmp_path: Path) -> None:
    """Tabs, Windows line ends and signs beyond ASCII before the loop."""
    path = tmp_path / "scale.c"
    path.write_bytes(WINDOWS.replace("\n", "\r\n").encode())
    shown = edited(path, 3)
    after = path.read_bytes().decode()
    assert after.count("\r\n") == after.count("\n") == 6
    assert after.splitlines()[2].startswith("\t#pragma omp parallel for")
    assert [d[:2] for d in shown["diagnostics"]] == [[3, 2]]
    command = ["gcc", "-fopenmp", "-Wall", "-Werror", "-c", str(path), "-o", os.devnull]
    assert subprocess.run(command, capture_output=True, text=True).stderr == ""
