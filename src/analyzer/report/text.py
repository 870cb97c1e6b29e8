"""The report on a terminal: per loop where it is, what to do, why; its class, counts and times; then what to do next.

At most 80 columns wide where the words allow it. A loop that moves with the one around it takes one line. Of many loops
only those worth a decision are listed, unless all are asked for (`overview`).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..base.amounts import amount as count
from ..base.amounts import factor, span, time
from ..ir.reasons import ReasonCode
from ..rules.catalogue import BY_CODE
from . import amounts
from .answer import answer
from .conditions import condition_words
from .directives import answers
from .document import DiagnosticEntry, Document, FileEntry, LoopEntry, PredictionEntry, RangeEntry, SweepEntry
from .findings import ignored, is_shown
from .next_step import next_step
from .overview import MOST_OF_PROGRAM, MOST_REASONS, is_short_enough, overview
from .program import MOST_LINES, program_text
from .terminal import COLORS, UNBROKEN, Style, labelled, wrapped
from .top import top_text
from .verdict_words import Placement, counted, files, headline, placements, totals
from .wording import gained, heading, induction, mappings, place, settled_sizes, timed


def render(document: Document, style: Style | None = None) -> str:
    """The whole report, with a final newline."""
    style = style or Style()
    if style.much == "totals":
        return "\n".join((*wrapped("", answer(document), style), *_totals(document, style, MOST_REASONS))) + "\n"
    lines = [_head(document)]
    everything = style.much == "all" or is_short_enough(document)
    if document.options.top is not None:
        lines += ["", *_labels(top_text(document, document.options.top), style)]
    elif everything:
        lines += _all_loops(document, style)
    else:
        lines += ["", *wrapped("", answer(document), style), *overview(document, style)]
    lines += _whole_program(document, style, MOST_LINES if everything else MOST_OF_PROGRAM)
    if document.projection is not None:
        from .projection import lines as projected

        lines += ["", *projected(document.projection, document.options)]
    lines += ["", *_totals(document, style, None if everything else MOST_REASONS)]
    return "\n".join(lines) + "\n"


def _head(document: Document) -> str:
    targets = ", ".join(document.targets) or "none"
    counted = document.options.count_as
    said = f" · counted as {counted}" if counted != "definitions" else ""
    said += " · data on the target, nothing is copied" if document.options.resident else ""
    said += " · nests mapped as they are written" if document.options.mapping == "naive" else ""
    said += f" · host code compiled with {document.options.cflags}" if document.options.cflags else ""
    return f"host {document.host} · target {targets} · model {document.options.model}{said}"


def _all_loops(document: Document, style: Style) -> Iterator[str]:
    placed, settled = placements(document.program), settled_sizes(document)
    for file in document.files:
        shown = list(_file(file, placed, settled, style))
        if shown:
            yield from ("", style.paint(file.path, "1"), *shown)


# --- one file


def _file(
    file: FileEntry, placed: Mapping[str, Placement], settled: Mapping[tuple[str, str], str], style: Style
) -> Iterator[str]:
    for first, *more in _alike(file):
        place = f"{first.header}:{first.line}" if first.header else str(first.line)
        place += f":{first.column}" if first.column else ""
        also = f", and {len(more)} more place{'s'[: len(more) > 1]}" if more else ""
        yield from wrapped(f"  {place:<7} ", f"{first.level}: {first.message} [{first.rule}]{also}", style)
    function = None
    by_id = {loop.id: loop for loop in file.loops}
    for loop in file.loops:
        if loop.unlisted is not None:
            continue
        if loop.function != function:
            function = loop.function
            yield from ("", f"  {style.paint(function + '()', '1')}")
            known = settled.get((file.path, function))
            yield from labelled("sizes", known, style) if known else ()
        said = folded(loop, by_id, placed)
        if said:
            yield from _headed(loop, said, style)
        else:
            yield from _loop(loop, placed.get(loop.id), style)
            yield from _ignored(file, loop, style)
    for entry in file.communication:
        from .network import communication_line

        yield from ("", f"  {style.paint(entry.function + '()', '1')} and what it calls")
        yield from labelled("network", communication_line(entry), style)


def _alike(file: FileEntry) -> Iterable[list[DiagnosticEntry]]:
    """The diagnostics to show, those that say the same of several places together."""
    found: dict[tuple[str, str], list[DiagnosticEntry]] = {}
    for d in file.diagnostics:
        if is_shown(file, d):
            found.setdefault((d.rule, d.message), []).append(d)
    return found.values()


def _ignored(file: FileEntry, loop: LoopEntry, style: Style) -> Iterator[str]:
    """Says that the source asks for no finding about this loop, and why."""
    rule = BY_CODE.get(loop.recommendation.reason.code)
    reason = ignored(file, loop.line, rule.id) if rule else None
    if rule is not None and reason is not None:
        yield from labelled("ignored", rule.id + (f": {reason}" if reason else ""), style)


def folded(loop: LoopEntry, by_id: Mapping[str, LoopEntry], placed: Mapping[str, Placement]) -> str | None:
    """What to say in place of the details of a loop whose answer is that of the loop around it."""
    r = loop.recommendation
    parent = by_id.get(loop.parent or "")
    around_it = (placed.get(one.id) for one in _around(loop, by_id))
    if r.reason.code == ReasonCode.PARENT_BETTER or any(p is not None and p.moves for p in around_it):
        return "moves with the loop around it"
    around = parent.recommendation if parent else None
    if around and around.verdict == r.verdict == "depends" and around.reason.code == ReasonCode.UNKNOWN_SIZE:
        return "depends as the loop around it does"
    if r.reason.code == ReasonCode.TOO_SMALL and loop.is_parallel:
        while parent is not None:
            if parent.is_parallel and parent.recommendation.reason.code != ReasonCode.TOO_SMALL:
                return "too small by itself"
            parent = by_id.get(parent.parent or "")
    return None


def _around(loop: LoopEntry, by_id: Mapping[str, LoopEntry]) -> Iterator[LoopEntry]:
    """The loops around it, the nearest first."""
    while (parent := by_id.get(loop.parent or "")) is not None:
        yield parent
        loop = parent


def _headed(loop: LoopEntry, said: str, style: Style, color: str = "0") -> Iterator[str]:
    """Where the loop is, what it is, and what is said of it: on a line of its own where there is no room."""
    head = f"  {_place(loop):<7} {'  ' * loop.depth}{heading(loop)}"
    if len(head) + 2 + len(said) <= style.width:
        yield f"{head}  {style.paint(said, color)}"
    else:
        yield head
        yield f"{'':10}{style.paint(said, color)}"


def _loop(loop: LoopEntry, placement: Placement | None, style: Style) -> Iterator[str]:
    r = loop.recommendation
    color = COLORS["offload" if placement is not None and placement.moves else r.verdict]
    yield from _headed(loop, headline(loop, placement), style, color)
    yield from details(loop, placement, style)


def details(loop: LoopEntry, placement: Placement | None, style: Style) -> Iterator[str]:
    """The lines below the one that says what kind of loop it is and what to do with it: why, class, counts, times."""
    r = loop.recommendation
    elsewhere = placement.reason if placement is not None else None
    if elsewhere is not None:
        yield from labelled("why", elsewhere, style)
    yield from labelled("why" if elsewhere is None else "alone", f"{r.reason.message} [{r.reason.code}]", style)
    for way in loop.alternatives or ():
        yield from labelled("instead", "; ".join((f"{way.text} ({way.legality})", *gained(way))), style)
        yield from (" " * 18 + row for row in way.code or ())
    if loop.class_ is not None:
        yield from labelled("class", _terms_whole(loop.class_, style), style)
    counts = _counts(loop)
    if counts:
        yield from labelled("counts", counts, style)
    if loop.network is not None:
        from .network import line

        text = line(loop.counts.network_bytes, loop.counts.communication_intensity, loop.network)
        yield from labelled("network", text, style)
    for label, times in _times(loop):
        yield from labelled(label, times, style)
    for mapping in mappings(loop):
        yield from labelled("mapping", mapping, style)
    effects = _effects(loop)
    if effects:
        yield from labelled("effects", effects, style)
    if loop.sweep is not None:
        yield from labelled("along", _along(loop.sweep), style)
    for condition in loop.requires:
        yield from labelled("if", condition_words(condition), style)
    if loop.is_parallel and (needs := _needs(loop)):
        yield from labelled("needs", needs, style)
    if loop.is_parallel:
        for rewrite in loop.rewrites:
            yield from labelled("needs", f"a rewrite: {rewrite.text}", style)
    if loop.is_parallel and (assumed := _assumed(loop)):
        yield from labelled("assumes", assumed, style)


MOST_ASSUMED = 6
"""Assumptions that are written out: ten pointers make 45 pairs."""


def _assumed(loop: LoopEntry) -> str:
    """What the answer rests on, and what the data to be sent does: rows that nobody declares."""
    named = [f"{a.kind}({a.text})" for a in loop.assumptions]
    sent = (loop.counts.transfer_in_bytes, loop.counts.transfer_out_bytes)
    named += [a for count in sent if count is not None for a in count.assumptions if a.startswith("in-bounds(")]
    said = list(dict.fromkeys(named))
    if len(said) > MOST_ASSUMED + 1:
        said = [*said[:MOST_ASSUMED], f"and {len(said) - MOST_ASSUMED} more, which -f json has"]
    return ", ".join(said)


def _terms_whole(text: str, style: Style) -> str:
    """A class whose lines are broken between its terms where a term fits into a line."""
    room = style.width - 20
    terms = re.split("( [→∧] )", text)
    return "".join(t if len(t) > room or i % 2 else t.replace(" ", UNBROKEN) for i, t in enumerate(terms))


def _place(loop: LoopEntry) -> str:
    return f"{loop.line}:{loop.column}"


def _counts(loop: LoopEntry) -> str:
    c = loop.counts
    inner = len(loop.nest) > 1
    parts = [
        amounts.count(c.iterations, "iterations") if inner else None,
        amounts.count(c.flops_fp64, "fp64 flop"),
        amounts.count(c.flops_fp32, "fp32 flop"),
        amounts.count(c.fp_other, "other fp op"),
        amounts.count(c.int_ops, "int op"),
        amounts.count(c.loads, "loads"),
        amounts.count(c.stores, "stores"),
    ]
    shown = [_listed(parts), _listed(_moved(loop)) if loop.is_parallel else ""]
    if set(shown) <= {"", amounts.TOO_LONG}:
        return "long formulas, which -f json --detail full has" if any(shown) else ""
    return "; ".join(s for s in shown if s)


def _moved(loop: LoopEntry) -> list[str | None]:
    """What goes to a device and back; of one of them alone, that the other is not known."""
    ways = (loop.counts.transfer_in_bytes, "in"), (loop.counts.transfer_out_bytes, "out")
    found = [amounts.data(*way) for way in ways]
    return [data or f"unknown B {what}" for data, (_, what) in zip(found, ways, strict=True)] if any(found) else []


def _listed(parts: Sequence[str | None]) -> str:
    """Parts with commas between them, none broken over two lines."""
    kept = [part.replace(" ", UNBROKEN) for part in parts if part and part != amounts.TOO_LONG]
    return ", ".join([*kept, "…"] if amounts.TOO_LONG in parts else kept)


def _times(loop: LoopEntry) -> Iterator[tuple[str, str]]:
    """Of a loop that is entered several times: of all its executions, then of one; alone it finds nothing in caches."""
    shown = timed(loop)
    whole = [(p, p.all_executions_s) for p in shown if p.all_executions_s is not None]
    often = None if loop.executions is None else loop.executions.value
    if whole and often == 0:
        yield "time", "it is never executed"
    elif whole and often is not None and often != 1:
        sign = "" if loop.executions is not None and loop.executions.exact else "about "
        together = _listed([_time(p, seconds, often) for p, seconds in whole])
        yield "time", f"in all {sign}{count(often)} executions: {together}"
        differ = any(p.one_execution_s is not None for p, _ in whole)
        reused = any(p.time_s is not None and seconds.likely < 0.99 * often * p.time_s.likely for p, seconds in whole)
        how = ["taken alone"] * reused + ["on average (least to most)"] * differ
        yield "each", (f"{', '.join(how)}: " if how else "") + _listed([_each(p) for p, _ in whole])
    elif times := _listed([_time(p, p.all_executions_s or p.time_s) for p in shown if p.time_s is not None]):
        yield "time", times


def _time(p: PredictionEntry, seconds: RangeEntry, often: float = 1) -> str:
    text = f"{place(p.device, p.candidate)} {amounts.times(seconds)}"
    return f"{text} with {time(often * p.transfer_s)} of transfer" if p.transfer_s else text


def _each(p: PredictionEntry) -> str:
    """One execution, the mean one where they differ: with the least and the most."""
    text = f"{place(p.device, p.candidate)} {time(p.time_s.likely)}" if p.time_s is not None else ""
    ends = p.one_execution_s
    wide = ends is not None and ends.high > amounts.NARROW * ends.low
    return f"{text} ({span(ends.low, ends.high)})" if ends is not None and wide and text else text


EFFECTS = {
    "launch": "starting it",
    "occupancy": "few work-units",
    "precision": "precision",
    "issue": "loads and stores",
    "sectors": "scattered accesses",
    "atomics": "shared updates",
    "caches": "caches",
    "link": "pageable copies",
}


def _effects(loop: LoopEntry) -> str:
    """What of the target's time is due to what, where that matters: `gtx470 few work-units 31 %, starting it 10 %`."""
    target = next((p for p in loop.predictions if p.candidate == "target" and p.effects), None)
    if target is None or target.effects is None or loop.recommendation.reason.code == ReasonCode.TOO_SMALL:
        return ""
    parts = [f"{EFFECTS.get(e.name, e.name)} {100 * e.share:+.0f} %" for e in target.effects]
    return f"{target.device}: {_listed(parts)}"


def _along(sweep: SweepEntry) -> str:
    """The gain of the fastest target over the host along a range of sizes."""
    host = next((t.seconds for t in sweep.times if t.candidate == "host"), None)
    others = [t for t in sweep.times if t.candidate != "host"]
    if host is None or not others:
        return ""
    parts = []
    for at, value in list(enumerate(sweep.values))[:: max(1, len(sweep.values) // 6)]:
        fitting = [t for t in others if t.fitting is None or at < t.fitting]
        if not fitting:
            continue
        best = min(fitting, key=lambda t: t.seconds[at])
        gain = factor(host[at] / best.seconds[at]) if best.seconds[at] else "-"
        parts.append(f"{sweep.symbol} = {count(value)}: {gain} {place(best.device, best.candidate)}")
    return _listed(parts)


def _needs(loop: LoopEntry) -> str:
    on_threads = loop.recommendation.candidate != "host-vector"  # one thread alone has no clauses for several
    parts = ["simd"] if loop.construct == "parallel for simd" else []
    parts += [f"reduction({r.operator}:{r.variable})" for r in loop.reductions]
    if loop.private:
        parts.append(f"private({', '.join(loop.private)})")
    if first := dict.fromkeys((*loop.first_private, *((loop.pointers or ()) if on_threads else ()))):
        parts.append(f"firstprivate({', '.join(first)})")
    if loop.last_private:
        parts.append(f"lastprivate({', '.join(loop.last_private)})")
    if loop.schedule is not None and on_threads:
        parts.append(f"schedule({loop.schedule})")
    clauses = " ".join(parts)
    formulas = "; ".join(filter(None, map(induction, loop.inductions)))
    return "; ".join(filter(None, (clauses, formulas)))


# --- the program as a whole


def _whole_program(document: Document, style: Style, most: int) -> list[str]:
    found = list(_labels(program_text(document, most), style)) if document.summary.loops_total else []
    return ["", *found] if found else []


def _labels(lines: Iterable[tuple[str, str]], style: Style) -> Iterator[str]:
    for label, text in lines:
        if text:
            yield from wrapped(f"{label:<11} " if label else " " * 6, text, style)
        else:
            yield label


# --- totals


def _totals(document: Document, style: Style, most: int | None) -> Iterator[str]:
    s = document.summary
    if s.loops_total == 0:
        yield "No loops found."
    else:
        yield from wrapped("Loops     ", totals(document), style)
    partial = s.functions_total - s.functions_analyzed
    whole = "all with loops analysed completely" if partial == 0 else f"{partial} not analysed completely"
    yield f"Functions {s.functions_total} in {files(document)}, {whole}"
    said = answers(document)
    if said:
        yield from wrapped("Pragmas   ", said, style)
    yield from _left_out(document, style)
    yield from _not_modelled(document, style, most)
    step = next_step(document)
    if step is not None:
        yield f"Next      {step.command}"  # never broken: it is there to be copied
        yield from wrapped(" " * 10, step.brings, style)


_CHOICES = {"baseline": "known from the baseline", "not-changed": "not changed", "not-selected": "not selected"}


def _left_out(document: Document, style: Style) -> Iterator[str]:
    """How many loops are not listed, by the choice that leaves them out."""
    why = Counter(loop.unlisted for file in document.files for loop in file.loops if loop.unlisted is not None)
    if why:
        parts = ", ".join(f"{n} {_CHOICES[name]}" for name, n in sorted(why.items()))
        yield from wrapped("Not shown ", f"{why.total()} loops: {parts}", style)


def _not_modelled(document: Document, style: Style, most: int | None) -> Iterator[str]:
    """The `most` frequent reasons (None: all) in their order, each with the first place."""
    places: dict[str, list[str]] = {}
    for file in document.files:
        for loop in file.loops:
            if loop.recommendation.verdict == "cannot-model":
                places.setdefault(loop.recommendation.reason.code, []).append(f"{file.path}:{loop.line}")
    if not places:
        return
    yield "cannot-model, by reason"
    for code, n in Counter({code: len(found) for code, found in places.items()}).most_common(most):
        first = places[code][0] + (", ..." if n > 1 else "")
        yield from wrapped(f"  {n:>5}   ", f"{code:<22} {first}", style)
    if most is not None and len(places) > most:
        yield f"{'':10}... and {counted('more reason', len(places) - most)}, which -v lists"
