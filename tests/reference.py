"""Tables of options in docs/commands.md, made from the parsers of both commands.

    <!-- options: analyze reports -->
    | option | meaning |                     generated: the options of one group of `analyze`, or of one command of
    <!-- end -->                             `boathull`

    python -m tests.reference                renews them (`make docs`)
"""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "commands.md"
_MARKED = re.compile(r"(<!-- options: (.*?) -->\n).*?(?=<!-- end -->)", re.DOTALL)


def parts() -> dict[str, list[argparse.Action]]:
    """The options of each part of the page, by the name in its mark."""
    return {**_analyze(), **_boathull()}


def _analyze() -> dict[str, list[argparse.Action]]:
    from analyzer.command.arguments import parser

    groups = ((group.title or "", group._group_actions) for group in parser()._action_groups)
    return {f"analyze {_short(title)}": shown(actions) for title, actions in groups if shown(actions)}


def _short(title: str) -> str:
    return title.partition(",")[0]


def _boathull() -> dict[str, list[argparse.Action]]:
    from models.commands import COMMANDS, command

    top = argparse.ArgumentParser().add_subparsers()
    for name in COMMANDS:
        command(name).add(top)
    return dict(_parsers("boathull", top))


def _parsers(
    name: str, subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]"
) -> Iterator[tuple[str, list[argparse.Action]]]:
    for word, parser in subparsers.choices.items():
        inner = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
        yield f"{name} {word}", shown(action for action in parser._actions if action not in inner)
        for action in inner:
            yield from _parsers(f"{name} {word}", action)


def shown(actions: "Iterator[argparse.Action] | list[argparse.Action]") -> list[argparse.Action]:
    """Those that help lists, positional ones first."""
    listed = [a for a in actions if not isinstance(a, argparse._HelpAction) and a.help is not argparse.SUPPRESS]
    return sorted(listed, key=lambda action: bool(action.option_strings))


def table(actions: list[argparse.Action]) -> str:
    rows = (f"| {_name(action)} | {_escaped(action.help or '')} |\n" for action in actions)
    return "| option | meaning |\n| --- | --- |\n" + "".join(rows)


def _name(action: argparse.Action) -> str:
    return ", ".join(f"`{_escaped(name)}`" for name in names_of(action))


def names_of(action: argparse.Action) -> list[str]:
    """The names of an option, each with its value: `-t ID`, `--target ID`."""
    value = "" if action.nargs == 0 else f" {_value(action)}"
    return [(name + value).strip() for name in action.option_strings or [""]]


def _value(action: argparse.Action) -> str:
    if isinstance(action.metavar, tuple):
        return " ".join(action.metavar)
    if action.metavar is None and action.choices is not None:
        return "|".join(map(str, action.choices))
    return action.metavar or action.dest.upper()


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def renewed(page: str) -> str:
    """The page with all tables as the parsers are now. KeyError for a mark that names nothing."""
    known = parts()
    return _MARKED.sub(lambda match: match[1] + table(known[match[2]]), page)


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
