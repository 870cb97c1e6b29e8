"""Changes of a text by the places where they are made."""

from collections.abc import Iterable

from msgspec import Struct


class Edit(Struct, frozen=True):
    """The characters from `begin` to before `end` become `text`."""

    begin: int
    end: int
    text: str


def comment(words: str) -> str:
    """Words as a comment of C.

    >>> comment("a */ b")
    '/* a * / b */'
    """
    return f"/* {words.replace('*/', '* /')} */"


def edited(text: str, edits: Iterable[Edit], begin: int = 0, end: int | None = None) -> str:
    """The part of a text from `begin` to `end` with the edits in it. Of several at one place the first one stands
    first, and what is only put in before what is replaced. ValueError where two change the same characters.

    >>> edited("a = b;", [Edit(4, 5, "c"), Edit(0, 0, "int ")])
    'int a = c;'
    """
    end = len(text) if end is None else end
    pieces, at = list[str](), begin
    for edit in sorted(edits, key=lambda e: (e.begin, e.end)):
        if not begin <= edit.begin <= edit.end <= end:
            continue
        if edit.begin < at:
            raise ValueError("two changes of one place")
        pieces += [text[at : edit.begin], edit.text]
        at = edit.end
    return "".join([*pieces, text[at:end]])
