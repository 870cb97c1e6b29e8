"""Our own comments in the source: `// analyze: ignore[RULE] reason`, `size N=4096`, `independent`."""

import re

from .original import comments
from .unit import Directive

_DIRECTIVE = re.compile(r"(?://|/\*)\s*analyze:\s*(ignore|size|independent)\b\s*(.*?)\s*(?:\*/)?\s*\Z", re.DOTALL)


def read_directives(text: str) -> tuple[Directive, ...]:
    """The directives of a source text, each with its line. `text` of a directive is what follows its kind."""
    if "analyze:" not in text:
        return ()
    found = ((_DIRECTIVE.match(word.text), word.line) for word in comments(text))
    return tuple(Directive(line, match[1], match[2]) for match, line in found if match)  # type: ignore[arg-type]
