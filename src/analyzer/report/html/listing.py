"""Source text by kind of token, so that a page can colour it: lines of `[kind, text, kind, text, ...]`.

Kinds are one letter: k keyword, t type, n name, m number, s string, c comment, p preprocessor, o the rest.
"""

from collections.abc import Iterator

LONGEST_LINE = 1000
"""Characters of a line that are shown."""
_KINDS = (("Comment.Preproc", "p"), ("Comment", "c"), ("Keyword.Type", "t"), ("Keyword", "k"), ("Name", "n"),
          ("Literal.Number", "m"), ("Literal.String", "s"))  # fmt: skip


def lines(text: str) -> list[list[str]]:
    """The lines of C source in order, long ones cut with an ellipsis.

    Example: `lines("int x;")` is `[["t", "int", "o", " ", "n", "x", "o", ";"]]`."""
    from pygments.lexers.c_cpp import CLexer

    found: list[list[str]] = [[]]
    room = LONGEST_LINE
    lexer = CLexer(stripnl=False, ensurenl=False)  # type: ignore[no-untyped-call]
    for kind, part in _tokens(lexer, text):
        for index, piece in enumerate(part.split("\n")):
            if index:
                found.append([])
                room = LONGEST_LINE
            if not piece or room < 0:
                continue
            shown = piece if len(piece) <= room else piece[:room] + " …"
            room -= len(piece)
            _extend(found[-1], kind, shown)
    return found


def _tokens(lexer: object, text: str) -> Iterator[tuple[str, str]]:
    for token, part in lexer.get_tokens(text):  # type: ignore[attr-defined]
        name = str(token).removeprefix("Token.")
        yield next((kind for prefix, kind in _KINDS if name.startswith(prefix)), "o"), part


def _extend(line: list[str], kind: str, text: str) -> None:
    if line and line[-2] == kind and kind != "n":
        line[-1] += text
    else:
        line += (kind, text)
