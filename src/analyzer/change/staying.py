"""The directives that keep arrays on the device between statements, and that copy them where the host uses them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, TypeVar

from .directive import Directive
from .edits import Edit, comment
from .form import Form, family
from .stays import Stay, Update
from .text import Text

Place = TypeVar("Place", int, tuple[int, int])


def around(text: Text, found: Sequence[Stay], form: Form) -> tuple[list[Edit], list[Edit]]:
    """For the arrays that stay: the lines in front of statements, and those behind, in their order."""
    before, behind, whole = list[Edit](), list[Edit](), list[Edit]()
    for (first, stop), several in _by_place(found, lambda stay: [(stay.first, stay.stop)]):
        remarks = [*map(comment, _assumed(several))]
        if text.after(first) == stop:  # stands right in front of its statement
            whole.append(_in_front(text, first, remarks, _whole(several, form)))
        else:
            before.append(_in_front(text, first, remarks, _enter(several, form)))
            behind.append(_at_end(text, stop, _leave(several, form), first))
    for first, several in _by_place(found, lambda stay: [u.first for u in stay.updates if u.fetches and not u.bare]):
        before.append(_in_front(text, first, [], _update("from", several, form)))
    for (first, stop), several in _by_place(found, lambda stay: _sent(stay.updates)):
        behind.insert(0, _at_end(text, stop, _update("to", several, form), first))
    for (first, stop), several in _by_place(found, lambda stay: [(u.first, u.stop) for u in stay.updates if u.bare]):
        before += _in_braces(text, first, stop, several, form)
    return [*before, *whole], behind


def _sent(updates: Iterable[Update]) -> Iterator[tuple[int, int]]:
    return ((u.first, u.stop) for u in updates if u.sends and not u.bare)


def _in_braces(text: Text, first: int, stop: int, several: Sequence[Stay], form: Form) -> Iterator[Edit]:
    """A branch without braces, with copies in front of it and behind it."""
    begin, end = text.tokens[first].begin, text.tokens[stop - 1].end
    outer = text.indentation(text.tokens[first - 1].begin)
    pad = text.indentation(begin) if text.begins_line(begin) else f"{outer}    "
    of_this = [(stay, u) for stay in several for u in stay.updates if u.first == first]
    fetched, sent = [stay for stay, u in of_this if u.fetches], [stay for stay, u in of_this if u.sends]
    head = _update("from", fetched, form).lines(pad) if fetched else []
    tail = _update("to", sent, form).lines(pad) if sent else []
    yield Edit(text.tokens[first - 1].end, begin, text.newline.join([" {", *head, pad]))
    yield Edit(end, end, text.newline.join(["", *tail, f"{outer}}}"]))


def _by_place(found: Iterable[Stay], places: Callable[[Stay], Iterable[Place]]) -> Iterator[tuple[Place, list[Stay]]]:
    known: dict[Place, list[Stay]] = {}
    for stay in found:
        for place in places(stay):
            known.setdefault(place, []).append(stay)
    yield from sorted(known.items())


def _in_front(text: Text, first: int, remarks: Sequence[str], directive: Directive) -> Edit:
    begin = text.tokens[first].begin
    pad = text.indentation(begin)
    lines = [*(f"{pad}{remark}" for remark in remarks), *directive.lines(pad)]
    return Edit(begin - len(pad), begin - len(pad), "".join(f"{line}{text.newline}" for line in lines))


def _at_end(text: Text, stop: int, directive: Directive, first: int) -> Edit:
    """Behind the line of what ends before token `stop`, as far in as what begins with token `first`."""
    end = text.tokens[stop - 1].end
    end += len(text.text[end:].partition("\n")[0].removesuffix("\r"))
    pad = text.indentation(text.tokens[first].begin)
    return Edit(end, end, "".join(f"{text.newline}{line}" for line in directive.lines(pad)))


def _assumed(several: Iterable[Stay]) -> Iterator[str]:
    given = dict.fromkeys(stay.life.given_by for stay in several if stay.life.given_by is not None)
    if given:
        yield f"Assumes: nothing else leads to what {' and '.join(f'{name}()' for name in given)} returns."


def _whole(several: Iterable[Stay], form: Form) -> Directive:
    """For one statement."""
    ways = {(True, True): "tofrom", (True, False): "to", (False, True): "from", (False, False): "alloc"}
    maps = tuple((ways[stay.comes, stay.goes], stay.item) for stay in several)
    return Directive("data" if form == "openacc" else "target data", family=family(form), maps=maps)


def _enter(several: Iterable[Stay], form: Form) -> Directive:
    maps = tuple(("to" if stay.comes else "alloc", stay.item) for stay in several)
    return Directive("enter data" if form == "openacc" else "target enter data", family=family(form), maps=maps)


def _leave(several: Iterable[Stay], form: Form) -> Directive:
    maps = tuple(("from" if stay.goes else "release", stay.item) for stay in several)
    return Directive("exit data" if form == "openacc" else "target exit data", family=family(form), maps=maps)


def _update(way: Literal["from", "to"], several: Iterable[Stay], form: Form) -> Directive:
    word = {"from": "self", "to": "device"}[way] if form == "openacc" else way
    construct = "update" if form == "openacc" else "target update"
    return Directive(construct, family=family(form), updates=tuple((word, stay.item) for stay in several))
