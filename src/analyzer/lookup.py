"""Which loop an option means: an id, or FILE:LINE."""

import difflib
from collections.abc import Iterable

from .errors import InputError

MOST = 3


def find(option: str, wanted: str, loops: Iterable[tuple[str, str, int]]) -> str:
    """The id of the loop that `wanted` names, among (id, path, line); of several on one line the first.

    The path may be the end of one. InputError, with near names, where there is none or more than one."""
    places: dict[str, str] = {}
    ids: list[str] = []
    for identity, path, line in loops:
        if wanted == identity:
            return identity
        ids.append(identity)
        places.setdefault(f"{path}:{line}", identity)
    found = [identity for place, identity in places.items() if place == wanted or place.endswith("/" + wanted)]
    if len(found) == 1:
        return found[0]
    near = [place for place, identity in places.items() if identity in found] or _near(wanted, list(places), ids)
    offer = f"; did you mean {', '.join(near)}?" if near else ""
    raise InputError(f"{option} {wanted}: no loop starts there{offer}")


def _near(wanted: str, places: list[str], ids: list[str]) -> list[str]:
    """The nearest lines of the file that was meant, else names that look alike (ids have more colons than places)."""
    path, _, line = wanted.rpartition(":")
    here = [place for place in places if place.rpartition(":")[0].endswith(path)]
    if line.isdigit() and ":" not in path and here:
        return sorted(here, key=lambda place: abs(int(place.rpartition(":")[2]) - int(line)))[:MOST]
    return difflib.get_close_matches(wanted, ids if ":" in path else places, n=MOST, cutoff=0.3)
