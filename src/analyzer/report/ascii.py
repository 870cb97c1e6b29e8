"""Signs outside ASCII, for terminals that cannot print them."""

SIGNS = {"→": "->", "∧": "^", "×": "x", "·": "-", "…": "...", "–": "-", "≥": ">=", "µ": "u"}


def to_encoding(text: str, encoding: str) -> str:
    """The text itself where `encoding` can hold it; else with ASCII signs, and `?` for what remains."""
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        for sign, plain in SIGNS.items():
            text = text.replace(sign, plain)
        return text.encode("ascii", "replace").decode("ascii")
    return text
