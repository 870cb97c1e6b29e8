"""The manual pages docs/man/analyze.1 and docs/man/boathull.1, made from the parsers of both commands.

Exit codes and environment are those of docs/commands.md. Pages hold no date and no version, so that a package which is
built twice is the same.

    python -m tests.manual        writes them (`make docs`)
"""

import argparse
import re
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from .reference import PAGE, names_of, shown

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "man"
WIDTH = 72
_CELL = re.compile(r"(?<!\\)\|")
_CODE = re.compile(r"(?<!\w)`([^`]+)`")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_PAGE = re.compile(r"\[(\w+\.md)\]\(\1\)")


def pages() -> dict[str, str]:
    """By file name the text of each page."""
    return {"analyze.1": "\n".join(_analyze()) + "\n", "boathull.1": "\n".join(_boathull()) + "\n"}


def _analyze() -> Iterator[str]:
    from analyzer.command.arguments import parser

    top = parser()
    examples = (top.epilog or "").partition("\n\n")[0].splitlines()[1:]
    yield from _head("analyze", top.description or "")
    yield from (".B analyze", ".RI [ OPTIONS ]", ".IR PATH ...")
    yield from (".SH DESCRIPTION", *_text(_lead()))
    for group in top._action_groups:
        actions = shown(group._group_actions)
        if actions:
            title = (group.title or "").partition(",")[0].replace("positional ", "")
            yield from (f".SH {_roff(title.upper())}", *_options(actions))
    yield from (".SH EXIT STATUS", *_table("Exit codes"))
    yield from (".SH ENVIRONMENT", *_table("Environment"))
    yield ".SH EXAMPLES"
    for line in examples:
        command, _, meaning = re.sub(r" {2,}", "\0", line.strip()).partition("\0")
        yield from (".TP", f".B {_roff(command)}", *_text(meaning))
    yield from _see_also("boathull")


def _lead() -> str:
    """What the page of all options says of paths."""
    found = re.search(r"^(A directory is searched .*?)\n\n", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def _boathull() -> Iterator[str]:
    from models.cli import parser
    from models.commands import COMMANDS

    top = parser(())
    yield from _head("boathull", "the models from a class string or numbers, without any C code")
    yield from (".B boathull", ".I COMMAND", ".RI [ OPTIONS ]", ".SH DESCRIPTION")
    yield from _text("What the commands answer, and how their files look, is in docs/boathull.md.")
    for name in COMMANDS:
        (chosen,) = _inner(parser((name,)))
        yield f".SH {_roff(name.upper())}"
        yield from _text(f"{COMMANDS[name]}.")
        yield from () if _inner(chosen.choices[name]) else (".P",)
        yield from _command(f"boathull {name}", chosen.choices[name])
    yield from (".SH OPTIONS", *_options(shown(a for a in top._actions if a.option_strings)))
    yield from (".SH EXIT STATUS", *_table("Exit codes", without=("1",)))
    yield from _see_also("analyze")


def _command(name: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    """The options of a command, then the commands inside it."""
    inner = _inner(parser)
    if not inner:
        places = (f".I {_roff(value)}" for a in parser._actions if not a.option_strings for value in names_of(a))
        yield from (f".B {_roff(name)}", ".RI [ OPTIONS ]", *places)
    yield from _options(shown(a for a in parser._actions if a not in inner))
    for action in inner:
        for word, one in action.choices.items():
            yield f".SS {_roff(f'{name} {word}')}"
            yield from _command(f"{name} {word}", one)


def _inner(parser: argparse.ArgumentParser) -> "list[argparse._SubParsersAction[argparse.ArgumentParser]]":
    return [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]


def _options(actions: Sequence[argparse.Action]) -> Iterator[str]:
    for action in actions:
        yield from (".TP", f".B {_roff(', '.join(names_of(action)))}", *_text((action.help or "").replace("%%", "%")))


def _table(section: str, without: Sequence[str] = ()) -> Iterator[str]:
    for name, meaning in _rows(section):
        if name not in without:
            yield from (".TP", f".B {_roff(name)}", *_text(meaning))


def _rows(section: str) -> Iterator[tuple[str, str]]:
    """The rows of the table in a section of the page of all options."""
    text = PAGE.read_text(encoding="utf-8").partition(f"\n### {section}\n")[2].partition("\n## ")[0]
    table = text.partition("\n| --- | --- |\n")[2].partition("\n\n")[0]
    for row in table.splitlines():
        _, name, meaning, _ = (_plain(cell) for cell in _CELL.split(row))
        yield name, meaning


def _plain(text: str) -> str:
    return _CODE.sub(r"\1", _LINK.sub(r"\1", _PAGE.sub(r"docs/\1", text))).replace("\\|", "|").strip()


def _head(name: str, summary: str) -> Iterator[str]:
    yield f'.TH {name.upper()} 1 "" boathull'
    yield from (".SH NAME", f"{name} \\- {_roff(summary.rstrip('.'))}", ".SH SYNOPSIS")


def _see_also(other: str) -> Iterator[str]:
    yield from (".SH SEE ALSO", f".BR {other} (1)")
    yield from (".P", *_text("The documentation of the project, docs/README.md."))


def _text(text: str) -> Iterator[str]:
    """Lines that begin with no command of roff, a sentence on its own."""
    if not text:
        yield "\\&"  # an option without a word on it
    for sentence in re.split(r"(?<=[a-z][.?!]) (?=[A-Z])", " ".join(_plain(text).split())):
        yield from map(_roff, textwrap.wrap(sentence, WIDTH, break_long_words=False, break_on_hyphens=False))


def _roff(text: str) -> str:
    """Text as it is to be seen, where nothing is a command, and dashes can be copied."""
    written = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{written}" if written[:1] in (".", "'") else written


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
