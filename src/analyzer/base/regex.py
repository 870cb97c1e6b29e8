"""Regular expressions of modules, compiled when they are first asked for: a run asks for a third of them."""

import re
from typing import Any, cast


class _WhenAsked:
    """Stands for a compiled pattern: what is asked of that, its methods above all, is found here from then on."""

    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)
        return found


def regex(text: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern, as `re.compile` makes it, but for when."""
    return cast("re.Pattern[str]", _WhenAsked(text, flags))
