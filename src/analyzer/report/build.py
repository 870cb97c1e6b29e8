"""From facts and advice to the document: every name of the JSON gets its value here, and nothing is decided."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias, assert_never

from msgspec.structs import replace

from models.catalogue import Device
from models.expr import Expr, evaluate, free_symbols, to_text
from models.prediction import Prediction
from models.quantity import Range, Sizes

from ..advise import Advice, Recommendation, Sweep
from ..advise.averages import Spans, execution_spans
from ..advise.likely import expr_of
from ..advise.together import WHOLE, in_all, share_of
from ..advise.ways import Way
from ..base.places import Place
from ..facts.loop import ArrayFacts, ClosedForm, Count, Counts, FileFacts, LoopFacts, Plan, Reason, Rewrite, Unset
from ..facts.on_device import OnDevice
from ..ir.formula_names import is_weight
from ..settings.options import Detail
from ..sizes.values import Size
from ..source.unit import Diagnostic
from .brief import LONGEST_TIMES, abridged, brief_formula, brief_terms
from .document import (
    AlternativeEntry,
    ArrayEntry,
    AssumptionEntry,
    AsWrittenEntry,
    BreakEvenEntry,
    CalledEntry,
    CodeEntry,
    ConditionEntry,
    CountEntry,
    CountsEntry,
    DeviceUsed,
    DiagnosticEntry,
    DirectiveEntry,
    EffectEntry,
    ExpandedEntry,
    ExpansionEntry,
    Figure,
    FileEntry,
    FlipEntry,
    GainEntry,
    IdiomEntry,
    InductionEntry,
    LoopEntry,
    MapEntry,
    NetworkEntry,
    Number,
    OnDeviceEntry,
    PlanEntry,
    PositionEntry,
    PragmaEntry,
    PredictionEntry,
    RangeEntry,
    ReasonEntry,
    RecommendationEntry,
    ReductionEntry,
    RewriteEntry,
    SpanEntry,
    Summary,
    SweepEntry,
    SweepTimesEntry,
    SymbolEntry,
    TermEntry,
    UnsetEntry,
)
from .formula import Formula
from .formulas import formulas_entry, term_formulas

# --- counts


def count_entry(
    count: Count | None, sizes: Sizes, spans: Spans | None = None, *, details: bool = True
) -> CountEntry | None:
    """The count with its values at `sizes`; the formula keeps its weights, the value has them at one half. One that
    changes from execution to execution of its loop has no value, but a least and a most (`spans`). `details`: with
    bounds, which only data formats have."""
    if count is None:
        return None
    value, expr = value_of(expr_of(count), sizes), _formula(count.expr)
    if not details:
        return CountEntry(expr, value, None, None, count.exact, count.assumptions, None, None)
    low, high = (value, value) if count.exact else (value_of(count.low, sizes), value_of(count.high, sizes))
    ends = spans(count) if spans is not None and value is None else None
    if ends is not None:
        low, high = (value_of(end, sizes) for end in ends)
    return CountEntry(
        expr=expr,
        value=value,
        low=low,
        high=high,
        exact=count.exact,
        assumptions=count.assumptions,
        low_expr=None if count.exact else _formula(count.low),
        high_expr=None if count.exact else _formula(count.high),
    )


def _formula(expr: Expr | None) -> Formula | None:
    return None if expr is None else Formula(expr)


def value_of(expr: Expr | None, sizes: Sizes) -> Number | None:
    """The value of a formula, an int where it is whole; None where a size is not known or it divides by zero."""
    if expr is None or not free_symbols(expr) <= set(sizes):
        return None
    try:
        value = evaluate(expr, sizes)
    except (ZeroDivisionError, OverflowError):
        return None
    return float(value) if isinstance(value, Fraction) else value


Communicated: TypeAlias = tuple[CountEntry, CountEntry | None, NetworkEntry]
"""Network bytes, communication intensity and the rest of what is said of communication."""


def _counts_entry(
    counts: Counts, sizes: Sizes, spans: Spans | None, network: Communicated | None, *, details: bool
) -> CountsEntry:
    def entry(count: Count | None) -> CountEntry | None:
        return count_entry(count, sizes, spans, details=details)

    def more(count: Count | None) -> CountEntry | None:
        return entry(count) if details else None

    return CountsEntry(
        iterations=entry(counts.iterations),
        flops_fp32=entry(counts.flops_fp32),
        flops_fp64=entry(counts.flops_fp64),
        fma_fp32=more(counts.fma_fp32),
        fma_fp64=more(counts.fma_fp64),
        fp_other=entry(counts.fp_other),
        int_ops=entry(counts.int_ops),
        loads=entry(counts.loads),
        stores=entry(counts.stores),
        bytes_loaded=more(counts.bytes_loaded),
        bytes_stored=more(counts.bytes_stored),
        footprint_bytes=entry(counts.footprint),
        read_footprint_bytes=more(counts.read_footprint),
        write_footprint_bytes=more(counts.write_footprint),
        transfer_in_bytes=entry(counts.transfer_in),
        transfer_out_bytes=entry(counts.transfer_out),
        network_bytes=None if network is None else network[0],
        complexity=more(counts.complexity),
        operational_intensity=entry(counts.operational_intensity),
        communication_intensity=None if network is None else network[1],
    )


def _array_entry(array: ArrayFacts, sizes: Sizes, spans: Spans | None, *, details: bool) -> ArrayEntry:
    def more(count: Count) -> CountEntry | None:
        return count_entry(count, sizes, spans) if details else None

    return ArrayEntry(
        name=array.name,
        element_type=array.element_type,
        element_bytes=array.element_bytes,
        access=array.access,
        coalescing=array.coalescing,
        contiguous=array.contiguous,
        read_footprint_bytes=more(array.read_footprint),
        write_footprint_bytes=more(array.write_footprint),
        footprint_bytes=more(array.footprint),
        transfer_in_bytes=more(array.transfer_in),
        transfer_out_bytes=more(array.transfer_out),
    )


# --- one loop


def loop_entry(
    loop: LoopFacts, advice: Advice, sizes: Sizes, network: Communicated | None = None, detail: Detail = "full"
) -> LoopEntry:
    """`detail`: `brief` leaves out what `brief` (the module) says."""
    found = _loop_entry(loop, advice, sizes, network, detail)
    if detail == "full":
        return found
    less = (
        ("predictions", any(p.abridged for p in found.predictions)),
        ("formulas", advice.formulas is not None and found.formulas is None),
    )
    return abridged(replace(found, abridged=tuple(name for name, is_less in less if is_less) or None))


def _loop_entry(
    loop: LoopFacts, advice: Advice, sizes: Sizes, network: Communicated | None, detail: Detail
) -> LoopEntry:
    ir, answer, clauses = loop.loop, loop.parallelism, loop.clauses
    assumptions = tuple(AssumptionEntry(a.kind, a.text, a.line) for a in answer.assumptions)
    open_ = {} if advice.formulas is None else {(p.device, p.candidate): p for p in advice.formulas.predictions}
    entries = None if loop.parent is None else value_of(expr_of(loop.counts.executions), sizes)
    spans = execution_spans(loop) if advice.details else None
    arithmetic: Arithmetic = "nothing"
    if advice.details:
        arithmetic = detail if detail == "full" or answer.is_parallel else "formula"
    longest = LONGEST_TIMES if detail == "brief" else None

    return LoopEntry(
        id=loop.id,
        function=loop.function,
        line=loop.place.line,
        column=loop.place.column,
        end_line=loop.end_line,
        parent=loop.parent,
        depth=loop.depth,
        expansion=ExpansionEntry(ir.macro, ir.macro_line) if ir.macro is not None else None,
        pragmas=tuple(PragmaEntry(line, text) for line, text in ir.pragmas),
        variable=ir.variable,
        lower=loop.lower,
        upper=loop.upper,
        step=loop.step,
        trip_count=count_entry(loop.counts.trip_count, sizes, spans, details=advice.details),
        executions=count_entry(loop.counts.executions, sizes, details=advice.details),
        parallel=answer.verdict.value,
        without_assumptions=not assumptions,
        assumptions=assumptions,
        reductions=tuple(ReductionEntry(r.variable, r.operator, r.reorders_fp) for r in clauses.reductions),
        private=clauses.private,
        last_private=clauses.last_private,
        reason=_reason_entry(answer.reason),
        nest=loop.nest,
        parallel_loops=loop.parallel_loops,
        class_=None if loop.algorithm is None else str(loop.algorithm),
        species=None if loop.species is None else str(loop.species),
        class_reason=_reason_entry(loop.unclassified),
        idioms=tuple(IdiomEntry(i.idiom, i.line, i.code) for i in loop.idioms),
        arrays=tuple(_array_entry(a, sizes, spans, details=advice.details) for a in loop.arrays),
        conditions=(
            *(ConditionEntry(c.line, kind=c.kind, text=c.text, check=c.check) for c in loop.tested),
            *(ConditionEntry(c.line, c.weight, c.source) for c in loop.conditions),
        ),
        counts=_counts_entry(loop.counts, sizes, spans, network, details=advice.details),
        predictions=tuple(
            prediction_entry(p, arithmetic, open_.get(key), entries, advice.executions.get(key), advice.share)
            for p in advice.predictions
            for key in ((p.device, p.candidate),)
        ),
        recommendation=_recommendation_entry(advice.recommendation),
        sweep=_sweep_entry(advice.sweep),
        sensitivity=tuple(FlipEntry(f.what, f.now, f.then, f.verdict) for f in advice.flips) or None,
        network=None if network is None else network[2],
        formulas=None if advice.formulas is None else formulas_entry(advice.formulas, longest),
        first_private=clauses.first_private,
        inductions=tuple(map(_induction_entry, clauses.inductions)),
        rewrites=tuple(map(_rewrite_entry, clauses.rewrites)),
        alternatives=tuple(map(_alternative_entry, advice.ways)) or None,
        construct=_construct(advice) if answer.is_parallel else None,
        schedule=next(iter(clauses.schedule), None),
        pointers=clauses.pointers if advice.simd and clauses.pointers else None,
        unset=tuple(map(_unset_entry, clauses.unset)) or None,
    )


def on_device_entry(found: OnDevice) -> OnDeviceEntry:
    """What a device needs to run a loop. Example: a map `a[0:n]`, copied in, of 8 bytes an element."""
    return OnDeviceEntry(
        tuple(MapEntry(m.name, m.direction, m.exact, m.first, m.length, m.element) for m in found.maps),
        dict(found.variables),
        tuple(CalledEntry(f.name, f.place.line, f.place.column, f.end_line) for f in found.functions),
        found.positive,
        found.refused or None,
    )


def _construct(advice: Advice) -> Literal["parallel for", "parallel for simd"]:
    return "parallel for simd" if advice.simd else "parallel for"


def _induction_entry(found: ClosedForm) -> InductionEntry:
    return InductionEntry(found.variable, found.start, found.step, found.value, found.after, found.type)


def _alternative_entry(way: Way) -> AlternativeEntry:
    found = way.alternative
    gains = tuple(GainEntry(g.candidate, *map(RangeEntry.of, (g.before, g.after, g.speedup))) for g in way.gains)
    plan = _plan_entry(found.plan)
    return AlternativeEntry(found.kind, found.text, found.legality, found.code or None, gains or None, plan)


def _plan_entry(plan: Plan | None) -> PlanEntry | None:
    if plan is None:
        return None
    loops = tuple(map(_position, plan.loops))
    expanded = tuple(ExpandedEntry(*each) for each in plan.expanded)
    assumed = tuple(AssumptionEntry(a.kind, a.text, a.line) for a in plan.assumptions)
    return PlanEntry(loops, assumed, plan.cuts, expanded, plan.index, plan.count)


def _unset_entry(found: Unset) -> UnsetEntry:
    return UnsetEntry(found.variable, None if found.declared is None else _position(found.declared))


def _position(place: Place) -> PositionEntry:
    return PositionEntry(place.path, place.line, place.column)


def _rewrite_entry(found: Rewrite) -> RewriteEntry:
    return RewriteEntry(
        found.kind,
        found.object,
        found.text,
        found.clause,
        found.operator,
        found.type,
        found.counter,
        found.trip,
        found.before,
        found.extent,
        found.pointers or None,
        tuple(map(_position, found.places)) or None,
    )


def _reason_entry(reason: Reason | None) -> ReasonEntry | None:
    if reason is None:
        return None
    return ReasonEntry(reason.code, reason.message, reason.line, reason.accesses, reason.distance, reason.access_lines)


Arithmetic: TypeAlias = Literal["nothing", "formula", "brief", "full"]
"""How much a prediction has of where its time comes from: that costs more than all the rest. `formula`: the formula of
the time alone; `brief`: and all terms, but no formula that nobody can read."""


def prediction_entry(
    p: Prediction,
    arithmetic: Arithmetic = "full",
    open_: Prediction | None = None,
    entries: Number | None = None,
    each: tuple[float, float] | None = None,
    share: Range = WHOLE,
) -> PredictionEntry:
    """`open_`: the same time with no size known; `entries`: executions of a loop inside others, `each`: seconds of the
    least and of the most, `share`: see `Advice`."""

    def likely(part: Range | None) -> float | None:
        return None if part is None else part.likely

    formula, terms, less = _arithmetic(p, open_, arithmetic)
    return PredictionEntry(
        device=p.device,
        model=p.model,
        candidate=p.candidate,
        time_s=_range_entry(p.time),
        compute_s=likely(p.compute),
        memory_s=likely(p.memory),
        transfer_s=likely(p.transfer),
        launch_s=likely(p.launch),
        bound=p.bound,
        formula=formula,
        terms=terms,
        symbols=tuple(sorted(p.symbols)) if p.time is None else None,
        effects=_effects(p),
        all_executions_s=None if entries is None else _in_all(p, entries, share),
        one_execution_s=None if each is None else SpanEntry(*each),
        abridged=less,
        mapping=p.mapping,
        as_written=tuple(AsWrittenEntry(w.threads, RangeEntry.of(w.time)) for w in p.as_written) or None,
    )


def _in_all(p: Prediction, executions: Number, share: Range) -> RangeEntry | None:
    return None if p.time is None else _range_entry(in_all(p.time, executions, share_of(p.candidate, share)))


def _arithmetic(
    p: Prediction, open_: Prediction | None, wanted: Arithmetic
) -> tuple[str | None, tuple[TermEntry, ...], Literal["terms", "formulas"] | None]:
    """The formula of a time, its terms, and what was left out of them."""
    match wanted:
        case "nothing":
            return None, (), None
        case "formula":
            return brief_formula(p), (), "terms"
        case "brief":
            formula, (terms, is_less) = brief_formula(p), brief_terms(_term_entries(p, open_, figures=False))
            return formula, terms, "formulas" if formula is None or is_less else None
        case "full":
            return to_text(p.formula), _term_entries(p, open_), None
        case _:
            assert_never(wanted)


def _term_entries(p: Prediction, open_: Prediction | None, *, figures: bool = True) -> tuple[TermEntry, ...]:
    """`figures`: with the source of each figure of a device, which the document has once for all loops."""
    shown = p.terms
    written = term_formulas(shown, () if open_ is None else shown if open_ is p else open_.terms)
    sources = (t.source if figures else t.figure or t.source for t in shown)
    return tuple(
        TermEntry(t.name, t.expr, t.value, t.unit, source, formula)
        for t, source, formula in zip(shown, sources, written, strict=True)
    )


def _effects(p: Prediction) -> tuple[EffectEntry, ...] | None:
    """Of devices that the loop could move to."""
    return tuple(EffectEntry(name, share) for name, share in p.effects) or None if p.candidate == "target" else None


def _range_entry(value: Range | None) -> RangeEntry | None:
    return None if value is None else RangeEntry.of(value)


def _sweep_entry(sweep: Sweep | None) -> SweepEntry | None:
    if sweep is None:
        return None
    times = tuple(SweepTimesEntry(t.device, t.candidate, t.seconds, t.fitting) for t in sweep.times)
    return SweepEntry(sweep.symbol, sweep.values, times)


def _recommendation_entry(r: Recommendation) -> RecommendationEntry:
    return RecommendationEntry(
        verdict=r.verdict,
        device=r.device,
        candidate=r.candidate,
        speedup=_range_entry(r.speedup),
        break_even=tuple(
            BreakEvenEntry(
                b.symbol, b.likely, b.safe, dict(b.given) or None, b.resident_likely, b.resident_safe, b.fastest_likely
            )
            for b in r.break_even
        ),
        reason=CodeEntry(r.code, r.message),
    )


# --- one file, and all of them


def diagnostic_entry(path: str, d: Diagnostic) -> DiagnosticEntry:
    """A diagnostic as the entry of the file at `path` lists it."""
    header = d.place.path if d.place.path != path else None
    return DiagnosticEntry(d.rule, d.level, d.message, d.place.line, d.place.column, header=header)


def file_entry(file: FileFacts, loops: Iterable[LoopEntry]) -> FileEntry:
    ordered = tuple(sorted(loops, key=lambda loop: (loop.line, loop.column, loop.id)))
    diagnostics = (diagnostic_entry(file.path, d) for d in file.diagnostics)
    return FileEntry(
        path=file.path,
        functions_total=file.functions_total,
        functions_analyzed=file.functions_analyzed,
        loops_total=len(ordered),
        diagnostics=tuple(sorted(diagnostics, key=lambda d: (d.line, d.column, d.rule, d.message))),
        loops=ordered,
        directives=tuple(
            DirectiveEntry(c.place.line, c.text, c.answer, c.message, c.accesses, c.missing) for c in file.checked
        ),
    )


def symbol_entries(file: FileFacts, sizes: Mapping[str, Mapping[str, Size]]) -> tuple[SymbolEntry, ...]:
    """The symbols of a file; `sizes`: the settings that hold, by function and symbol."""
    entries = []
    for symbol in file.symbols:
        if is_weight(symbol.name):
            continue  # a branch weight is no size; it is listed under `conditions`
        scope = file.path if symbol.scope == "file" else f"{file.path}:{symbol.scope}"
        setting = sizes.get(symbol.scope, {}).get(symbol.name)
        value, source = (symbol.value, symbol.source) if setting is None else (setting.value, setting.source)
        if setting is not None and setting.last is not None:
            value = None  # a range
        entries.append(SymbolEntry(symbol.name, scope, value, source))
    return tuple(entries)


def device_used(device: Device) -> DeviceUsed:
    figures = {key: Figure(f.value, f.unit, f.source, f.kind) for key, f in sorted(device.figures.items())}
    return DeviceUsed(device.name, device.kind, figures, device.fused_multiply_add)


def summary(files: Sequence[FileEntry]) -> Summary:
    functions, analyzed = 0, 0
    verdicts, reasons, diagnostics = Counter[str](), Counter[str](), Counter[str]()
    for file in files:
        functions += file.functions_total
        analyzed += file.functions_analyzed
        diagnostics.update(d.rule for d in file.diagnostics)
        for loop in file.loops:
            verdicts[loop.recommendation.verdict] += 1
            if loop.recommendation.verdict == "cannot-model":
                reasons[loop.recommendation.reason.code] += 1
    return Summary(
        files=len(files),
        functions_total=functions,
        functions_analyzed=analyzed,
        loops_total=verdicts.total(),
        verdicts=dict(sorted(verdicts.items())),
        reasons=dict(sorted(reasons.items())),
        diagnostics=dict(sorted(diagnostics.items())),
    )
