"""The facts file: found upwards, read as data, and refused with line and column where it cannot be meant."""

from pathlib import Path
from typing import Any

import pytest

from analyzer.base.errors import InputError
from analyzer.command.arguments import parse
from analyzer.command.planning import plan_of
from analyzer.dependence.held_conditions import condition
from analyzer.facts.loop import Assumption
from analyzer.ir.reasons import CONDITIONS
from analyzer.settings.config import settings
from analyzer.settings.facts import FACTS, Fact, read_facts


def facts(folder: Path, text: str) -> tuple[Fact, ...]:
    path = folder / FACTS
    path.write_text(text, encoding="utf-8")
    return read_facts(path)


def test_each_thing_that_is_said_is_a_fact_with_its_place(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    said = facts(
        tmp_path,
        '[[fact]]\nfile = "src/../a.c"\nfunction = "f"\nholds = ["distinct(a,b)",\n  "injective( p )"]\nsize = "n=4"\n'
        '[[fact]]\nfunction = "f"\nloop = 12\nindependent = "rows differ"\n\n[[fact]]\nalloc = ["get"]\n',
    )
    assert [(f.kind, f.text, f"{f.said}") for f in said] == [
        ("size", "n=4", f"{FACTS}:6:9"),
        ("holds", "distinct(a,b)", f"{FACTS}:4:11"),
        ("holds", "injective( p )", f"{FACTS}:5:4"),
        ("independent", "rows differ", f"{FACTS}:10:1"),
        ("alloc", "get", f"{FACTS}:13:11"),
    ]
    assert {f.path for f in said} == {str(tmp_path / "a.c"), None}
    assert [f.loop for f in said if f.loop is not None] == [12]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[fact]]\nholds = "pure(f)"\nfuntion = "f"', f"{FACTS}:3:1: unknown key 'funtion'; did you mean function?"),
        ('[[facts]]\nholds = "pure(f)"', f"{FACTS}:1:3: unknown key 'facts'"),
        ("fact = 3", f"{FACTS}:1:1: facts stand in tables"),
        ('[[fact]]\nfile = "a.c"', f"{FACTS}:1:1: a fact says something"),
        ("[[fact]]\nholds = [3]", f"{FACTS}:2:1: holds must be a string"),
        ('[[fact]]\nholds = "pure(f)"\nloop = true', f"{FACTS}:3:1: loop must be the variable"),
        ('[[fact]]\nholds = "pure(f)"\nloop = "i"', f"{FACTS}:3:1: loop needs the function"),
        ('[[fact]]\nfunction = "f"\nindependent = "x"', f"{FACTS}:3:1: independent needs the loop"),
        ('[[fact]]\nfunction = "f"\nalloc = "x"', f"{FACTS}:3:1: alloc holds for all functions"),
        ("[[fact", f"{FACTS}: "),
        ("fact = " + "[" * 100_000, f"{FACTS}: "),
        ("\ud800".encode("utf-8", "surrogatepass").decode("latin-1"), f"{FACTS}: "),
    ],
)
def test_what_is_not_understood_is_refused_with_its_place(
    tmp_path: Path, monkeypatch: Any, text: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as refused:
        facts(tmp_path, text)
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ('holds = "injectiv(p)"', f"{FACTS}:2:10: `holds injectiv(p)` is no condition; did you mean injective?"),
        ('holds = "at-most(n)"', f"{FACTS}:2:10: `holds at-most(n)` is not understood; write at-most(n<=64)"),
        ('holds = "at-least(n<=3)"', f"{FACTS}:2:10: `holds at-least(n<=3)` is not understood; write at-least(n>=64)"),
        ('holds = "distinct(a)"', f"{FACTS}:2:10: `holds distinct(a)` is not understood; write distinct(a,b)"),
        ('holds = "params-distinct(a,b)"', f"{FACTS}:2:10: `holds params-distinct(a,b)` is no condition; did you mean"),
        ('holds = "cold(12)"', f"{FACTS}:2:10: holds cold(12): cold needs the function"),
        ('size = "n=x"', f"{FACTS}:2:9: size n=x: 'x' is not a number"),
        ('size = "f:n=3"', f"{FACTS}:2:9: size f:n=3: write NAME=VALUE"),
        ('alloc = "get()"', f"{FACTS}:2:10: alloc get(): no name of a function"),
    ],
)
def test_what_cannot_be_a_condition_or_a_size_is_refused(
    tmp_path: Path, monkeypatch: Any, said: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / FACTS).write_text(f"[[fact]]\n{said}\n", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        plan_of(settings(parse(["a.c"]), tmp_path))
    assert str(refused.value).startswith(message)


def test_the_nearest_file_is_read_unless_another_one_is_named(tmp_path: Path, monkeypatch: Any) -> None:
    inner = tmp_path / "src"
    inner.mkdir()
    monkeypatch.chdir(tmp_path)
    assert settings(parse(["a.c"]), inner)["facts"] == ()
    (tmp_path / FACTS).write_text("", encoding="utf-8")
    assert settings(parse(["a.c"]), inner)["facts"] == (FACTS,)
    (tmp_path / "analyze.toml").write_text('facts = "known.toml"\nalloc = "get, put"', encoding="utf-8")
    found = settings(parse(["a.c"]), inner)
    assert (found["facts"], found["alloc"]) == (("known.toml",), ("get", "put"))
    assert settings(parse(["--facts", "x.toml", "a.c"]), inner)["facts"] == ("x.toml",)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_facts(tmp_path / "nowhere.toml")


def test_every_kind_of_condition_can_be_said() -> None:
    texts = {"at-most": "n<=64", "at-least": "m>=1", "cold": "12", "no-exit": "12", "distinct": "a,b"}
    for kind in CONDITIONS:
        text = texts.get(kind, "f")
        assert condition(str(Assumption(kind, text, 1))) == (kind, tuple(text.split(",")))
