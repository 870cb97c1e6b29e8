"""The page of a rule in Markdown: for SARIF's help and for docs/rules/."""

from pathlib import Path

from ..rules.catalogue import RULES, Rule
from ..rules.pages import page_of


def markdown(rule: Rule) -> str:
    """What, why, how to fix, a bad and a good example, limits, models used."""
    page = page_of(rule.id)
    code = f" Reason code `{rule.code}`." if rule.code else ""
    parts = [f"# {rule.id}: {rule.title}", f"Level: {rule.level}.{code}"]
    parts += [f"**Why.** {rule.why}", f"**Fix.** {rule.fix}"]
    more = (("Limits", page.limits), ("Models", page.models), ("See also", _links(page.also)))
    parts += [f"**{label}.** {text}" for label, text in more if text]
    shown = f" (`analyze example.c {page.options}`)" if page.options else ""
    for label, text in (("Bad", page.bad), ("Good", page.good)):
        parts += [f"**{label}**{shown}\n\n```c\n{text}\n```"] if text else []
    return "\n\n".join(parts) + "\n"


def _links(checks: tuple[str, ...]) -> str:
    links = (f"[{name}](https://github.com/codee-com/open-catalog/tree/main/Checks/{name})" for name in checks)
    return f"{', '.join(links)} of the Open Catalog of code guidelines for performance." if checks else ""


def pages() -> dict[str, str]:
    """The pages of docs/rules/ by file name: one for each rule, and an index."""
    index = ["# Rules", "", "What findings are called. `analyze --explain RULE` prints a page on the terminal.", ""]
    index += ["| rule | level | what |", "| --- | --- | --- |"]
    index += [f"| [{rule.id}]({rule.id}.md) | {rule.level} | {rule.title} |" for rule in RULES]
    return {"README.md": "\n".join(index) + "\n", **{f"{rule.id}.md": markdown(rule) for rule in RULES}}


def write(folder: str) -> None:
    """Writes all pages into a folder (`make docs`)."""
    for name, text in pages().items():
        (Path(folder) / name).write_text(text, encoding="utf-8")
