"""Data inside a page: JSON that ends no script, and packed blocks that a page unpacks when they are asked for."""

import gzip
import json
from base64 import b64encode
from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from ..codec import plain

_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}
LONGEST_INLINE = 12
"""Characters of a text that is cheaper to repeat than to refer to."""


def harmless(value: object) -> str:
    """JSON in ASCII without any sign that HTML knows.

    Example: `harmless("</script>")` has no `<`."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).translate(_ESCAPES)


def packed(value: object) -> str:
    """JSON, compressed (gzip), in base64. The same value gives the same text."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return b64encode(gzip.compress(text.encode("ascii"), compresslevel=6, mtime=0)).decode("ascii")


def chunk(entries: Iterable[Struct]) -> dict[str, object]:
    """Entries with each text kept once: `{"texts": [...], "entries": [...]}`, where `{"$": 7}` stands for a text.
    Members without a value, and empty ones, are left out; names are those of the JSON.

    Texts repeat (sources of figures, formulas of parts), further apart than compression reaches back."""
    texts: dict[str, dict[str, int]] = {}
    found = [_slim(plain(entry), texts) for entry in entries]
    return {"texts": list(texts), "entries": found}


def _slim(value: Any, texts: dict[str, dict[str, int]]) -> Any:
    kind = value.__class__
    if kind is str:
        return value if len(value) <= LONGEST_INLINE else texts.setdefault(value, {"$": len(texts)})
    if kind is dict:
        return {key: _slim(item, texts) for key, item in value.items() if item is not None and item != []}
    if kind is list:
        return [_slim(item, texts) for item in value]
    return value
