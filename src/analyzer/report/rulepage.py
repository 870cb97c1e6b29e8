"""The page of a rule in Markdown: for SARIF's help and for docs/rules/."""

from ..rule_pages import PAGES, Page
from ..rules import Rule


def markdown(rule: Rule) -> str:
    """What, why, how to fix, a bad and a good example, limits, models used."""
    page = PAGES.get(rule.id, Page())
    code = f" Reason code `{rule.code}`." if rule.code else ""
    parts = [f"# {rule.id}: {rule.title}", f"Level: {rule.level}.{code}"]
    parts += [f"**Why.** {rule.why}", f"**Fix.** {rule.fix}"]
    parts += [f"**{label}.** {text}" for label, text in (("Limits", page.limits), ("Models", page.models)) if text]
    for label, text in (("Bad", page.bad), ("Good", page.good)):
        parts += [f"**{label}**\n\n```c\n{text}\n```"] if text else []
    return "\n\n".join(parts) + "\n"
