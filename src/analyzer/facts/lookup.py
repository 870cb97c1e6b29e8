"""Which loop an option means: an id, FILE:LINE, or a line alone, where one file has a loop there."""

import difflib
import re
from collections.abc import Callable, Iterable, Iterator

from ..base.errors import InputError
from ..base.regex import regex
from ..source.project import names_file, shown

MOST = 3


_PLACE = regex(r"(?P<path>.+?)(?P<rest>(:[A-Za-z_]\w*)?:\d+(?P<column>:\d+)?(#\d+)?)\Z", re.DOTALL)


def find(
    option: str, wanted: str, loops: Iterable[tuple[str, str, int]], repository: Callable[[str], str] = str
) -> str:
    """The id of the loop that `wanted` names, among (id, path, line); of several on one line the first.

    The path may be the end of one, absolute, or another way to the same file; `repository`: from a path to the one that
    services show, which is understood, too. InputError, with near names, where there is none or more than one."""
    places: dict[str, str] = {}
    elsewhere: dict[str, str] = {}
    ids: list[str] = []
    for identity, path, line in loops:
        ids.append(identity)
        places.setdefault(f"{path}:{line}", identity)
        elsewhere.setdefault(f"{repository(path)}:{line}", identity)
        elsewhere.setdefault(repository(path) + identity.removeprefix(path), identity)
    for name in _forms(wanted):
        for known in ({identity: identity for identity in ids}, places, elsewhere):
            if name in known:
                return known[name]
    ends = ("/" + wanted, ":" + wanted) if wanted.isdigit() else "/" + wanted
    found = [identity for place, identity in places.items() if place.endswith(ends)]
    if len(found) == 1:
        return found[0]
    several = [place for place, identity in places.items() if identity in found]
    if several:
        raise InputError(f"{option} {wanted}: loops of {len(several)} files start there: {', '.join(several)}")
    near = _near(wanted, list(places), ids)
    offer = f"; did you mean {', '.join(near)}?" if near else ""
    raise InputError(f"{option} {wanted}: no loop starts there{offer}")


def _forms(wanted: str) -> Iterator[str]:
    """As typed; with the path as reports show it; without the column that `-f concise` prints."""
    yield wanted
    match = _PLACE.match(wanted)
    if match is not None:
        same = shown(match["path"])
        yield same + match["rest"]
        if match["column"] is not None:
            yield f"{same}:{match['rest'].split(':')[1]}"


def may_mean(wanted: str, identity: str, path: str, line: int) -> bool:
    """Whether `wanted` names this loop, or another one of a file that is called alike."""
    match = _PLACE.match(wanted)
    if wanted == identity or match is None:
        return wanted in (identity, str(line))
    lines = {match["rest"], f":{match['rest'].split(':')[1]}"}
    return names_file(match["path"], path) and bool(lines & {f":{line}", identity.removeprefix(path)})


def _near(wanted: str, places: list[str], ids: list[str]) -> list[str]:
    """The nearest lines of the file that was meant, else names that look alike (ids have more colons than places)."""
    path, _, line = wanted.rpartition(":")
    here = [place for place in places if place.rpartition(":")[0].endswith(path)]
    if line.isdigit() and ":" not in path and here:
        return sorted(here, key=lambda place: abs(int(place.rpartition(":")[2]) - int(line)))[:MOST]
    return difflib.get_close_matches(wanted, ids if ":" in path else places, n=MOST, cutoff=0.3)
