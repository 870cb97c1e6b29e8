"""One loop of a run as immutable values: its place, what was found out, its counts, predictions and recommendation.

Counts are those of one entry of the loop; times are in seconds, sizes in bytes.
"""

from typing import ClassVar, Literal, TypeAlias

from msgspec import Struct

from models.quantity import Range

from ..facts.on_device import Direction
from .formula import Formula
from .formula_entries import FormulasEntry

Number: TypeAlias = int | float
VerdictName: TypeAlias = Literal["offload", "host-parallel", "host", "depends", "cannot-model"]

ON_TARGETS = ("target", "split")
"""The candidates that run on a device."""


class AbridgedEntry(Struct, frozen=True):
    """What is known of a formula that is not written out: how many numbers and symbols it has, the first of the sizes
    it depends on, and how many more there are."""

    symbols: int
    sizes: tuple[str, ...]
    more_sizes: int


class CountEntry(Struct, frozen=True):
    """A count: the formula, its value at the given sizes, and bounds of the value where it is not exact. One that
    changes from execution to execution has no value: the bounds are those of any one execution. Bounds are left out
    where no data format is made, as are the counts that only those show. `abridged` (else absent): `expr` is but a name
    for a formula that is too long to read (`report.brief`)."""

    LEFT_OUT: ClassVar = frozenset({"abridged"})

    expr: Formula | None
    value: Number | None
    low: Number | None
    high: Number | None
    exact: bool
    assumptions: tuple[str, ...]
    low_expr: Formula | None
    high_expr: Formula | None
    abridged: AbridgedEntry | None = None


class AssumptionEntry(Struct, frozen=True):
    kind: str
    text: str
    line: int


class ReductionEntry(Struct, frozen=True):
    variable: str
    operator: str
    reorders_fp: bool


class InductionEntry(Struct, frozen=True):
    """A variable that steps evenly: C for its value before the loop, its step, its value as the body begins and after
    the loop. In the last two its own name stands for `start`. Null where no C text is known, or nobody reads it."""

    variable: str
    start: str | None
    step: str | None
    value: str | None
    after: str | None
    type: str | None


class PositionEntry(Struct, frozen=True):
    path: str
    line: int
    column: int


class UnsetEntry(Struct, frozen=True):
    """A variable of which compilers do not see that it has a value where threads get it: `declared` without one there
    (absent where it has one before the loop)."""

    LEFT_OUT: ClassVar = frozenset({"declared"})

    variable: str
    declared: PositionEntry | None = None


class RewriteEntry(Struct, frozen=True):
    """What no clause can do, as an instruction; the members behind `text` are absent where the kind has none."""

    LEFT_OUT: ClassVar = frozenset(
        {"clause", "operator", "type", "counter", "trip", "before", "extent", "pointers", "places"}
    )

    kind: str
    object: str
    text: str
    clause: str | None = None
    operator: str | None = None
    type: str | None = None
    counter: str | None = None
    trip: str | None = None
    before: str | None = None
    extent: str | None = None
    pointers: tuple[str, ...] | None = None
    places: tuple[PositionEntry, ...] | None = None


class EditEntry(Struct, frozen=True):
    """The text from a place to before another one becomes `text`; lines and columns from 1."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class AloneEntry(Struct, frozen=True):
    """What a directive does by itself where the verdict's time is of more: the loop runs at this place, in this
    time."""

    device: str
    candidate: str
    time_s: "RangeEntry"


class ChangeEntry(Struct, frozen=True):
    """What `--suggest` writes at a loop, in the `form` that its verdict asks for: the `directive` in one line, and all
    `edits` of its file, from the first one on. (Two loops of a file may ask for the same edit.) `unsaid` (absent where
    nothing is): the mapping of the predicted time, where that is more than the directive says. `alone`: what the
    directive does by itself (absent where that is what the verdict says, and where it is not known): there it runs
    as `unsaid` does not say, or at one place of two, since no directive divides a loop."""

    LEFT_OUT: ClassVar = frozenset({"alone", "unsaid"})

    form: Literal["openmp", "openmp-target"]
    directive: str
    edits: tuple[EditEntry, ...]
    alone: AloneEntry | None = None
    unsaid: str | None = None


class AsWrittenEntry(Struct, frozen=True):
    """The time of a nest in the order of the code, with so many of its outermost loops as threads."""

    threads: int
    time_s: "RangeEntry"


class MapEntry(Struct, frozen=True):
    """What a device needs of one object: `name` in C, and `length` elements of it from `first` on (absent: all of a
    variable). `direction`: of a map clause of OpenMP; `exact` is false where less may be used. `element` (absent where
    it has no plain name): the type of the elements."""

    LEFT_OUT: ClassVar = frozenset({"first", "length", "element"})

    name: str
    direction: Direction
    exact: bool
    first: str | None = None
    length: str | None = None
    element: str | None = None


class CalledEntry(Struct, frozen=True):
    """A function of the file that goes to the device, too: where its definition begins and ends."""

    name: str
    line: int
    column: int
    end_line: int


class OnDeviceEntry(Struct, frozen=True):
    """What a loop needs on a device with memory of its own. `variables`: how those are declared in C that it names.
    `positive`: C that is greater than 0 wherever the maps are what they say. `refused` (absent where the rest holds):
    why a person has to write it."""

    LEFT_OUT: ClassVar = frozenset({"refused"})

    maps: tuple[MapEntry, ...]
    variables: dict[str, str]
    functions: tuple[CalledEntry, ...]
    positive: tuple[str, ...]
    refused: str | None = None


class ReasonEntry(Struct, frozen=True):
    """`access_lines` (absent without accesses): where the two stand."""

    LEFT_OUT: ClassVar = frozenset({"access_lines"})

    code: str
    message: str
    line: int
    accesses: tuple[str, ...] | None
    distance: str | None
    access_lines: tuple[int, ...] | None = None


class ExpansionEntry(Struct, frozen=True):
    macro: str
    line: int


class PragmaEntry(Struct, frozen=True):
    line: int
    text: str


class IdiomEntry(Struct, frozen=True):
    idiom: str
    line: int
    code: str


class ArrayEntry(Struct, frozen=True):
    name: str
    element_type: str
    element_bytes: int
    access: str
    coalescing: str
    contiguous: bool
    read_footprint_bytes: CountEntry | None
    write_footprint_bytes: CountEntry | None
    footprint_bytes: CountEntry | None
    transfer_in_bytes: CountEntry | None
    transfer_out_bytes: CountEntry | None


class ConditionEntry(Struct, frozen=True):
    """Of an answer that is `conditional`: `kind` and `text`, and the `check` that tests it, None where nothing does
    before the loop runs. Of a branch on data: its `line`, how often it is taken (`weight`), and who says so."""

    LEFT_OUT: ClassVar = frozenset({"line", "weight", "source", "kind", "text"})

    line: int | None = None
    weight: Number | None = None
    source: str | None = None
    kind: str | None = None
    text: str | None = None
    check: str | None = None


class CountsEntry(Struct, frozen=True):
    iterations: CountEntry | None
    flops_fp32: CountEntry | None
    flops_fp64: CountEntry | None
    fma_fp32: CountEntry | None
    fma_fp64: CountEntry | None
    fp_other: CountEntry | None
    int_ops: CountEntry | None
    loads: CountEntry | None
    stores: CountEntry | None
    bytes_loaded: CountEntry | None
    bytes_stored: CountEntry | None
    footprint_bytes: CountEntry | None
    read_footprint_bytes: CountEntry | None
    write_footprint_bytes: CountEntry | None
    transfer_in_bytes: CountEntry | None
    transfer_out_bytes: CountEntry | None
    network_bytes: CountEntry | None
    complexity: CountEntry | None
    operational_intensity: CountEntry | None
    communication_intensity: CountEntry | None


class RangeEntry(Struct, frozen=True):
    low: Number
    likely: Number
    high: Number

    @classmethod
    def of(cls, value: Range) -> "RangeEntry":
        return cls(value.low, value.likely, value.high)


class GainEntry(Struct, frozen=True):
    """Seconds of all executions of the nests at one place (host, host-threads) as they are, and in the other form."""

    candidate: str
    before_s: RangeEntry
    after_s: RangeEntry
    speedup: RangeEntry


class ExpandedEntry(Struct, frozen=True):
    """A scalar that becomes an array, and the type of its elements."""

    name: str
    type: str


class PlanEntry(Struct, frozen=True):
    """Where a form of a nest is written: the loops that change, of which the first becomes the innermost
    (`interchange`) or holds all (`fusion`), the lines that the pieces of a divided loop begin with, but the first, and
    scalars that become arrays of `count` elements, one for each value of the variable `index`. `assumptions`: what it
    rests on."""

    LEFT_OUT: ClassVar = frozenset({"assumptions", "cuts", "expanded", "index", "count"})

    loops: tuple[PositionEntry, ...]
    assumptions: tuple[AssumptionEntry, ...] = ()
    cuts: tuple[int, ...] = ()
    expanded: tuple[ExpandedEntry, ...] = ()
    index: str | None = None
    count: str | None = None


class AlternativeEntry(Struct, frozen=True):
    """What an expert does with a loop whose iterations have an order, or waste what memory delivers; `code`: C to
    write, line by line, absent where words say it; `gains`: absent where no time is predicted; `plan`: where to write
    it, of a form that `--suggest loops` writes."""

    LEFT_OUT: ClassVar = frozenset({"code", "gains", "plan"})

    kind: str
    text: str
    legality: str
    code: tuple[str, ...] | None = None
    gains: tuple[GainEntry, ...] | None = None
    plan: PlanEntry | None = None


class SpanEntry(Struct, frozen=True):
    """What single executions of a loop have: no likely one is among them."""

    low: Number
    high: Number


class TermEntry(Struct, frozen=True):
    """One number of a prediction's arithmetic. `formula` (absent where no size matters): its value for other sizes,
    in which `#3` stands for the value of the fourth of these terms."""

    LEFT_OUT: ClassVar = frozenset({"formula"})

    name: str
    expr: str | None
    value: Number | None
    unit: str
    source: str
    formula: str | None = None


class EffectEntry(Struct, frozen=True):
    """An effect that the plain model leaves out, and its share of the likely time: 0.2 where it takes a fifth of it,
    -0.2 where it saves a fifth of what the time were without it."""

    name: str
    share: Number


class PredictionEntry(Struct, frozen=True):
    """`time_s` is null where a size is unknown; `formula` holds then. The parts are those of the likely time.
    `symbols`: sizes that are not known; `effects`: those of the extended model that matter. Formula and terms are left
    out where only text is made. `all_executions_s`: of a loop inside others, of which `time_s` is that of the mean
    execution; absent for others, and where a size is not known. `one_execution_s`: likely times of the executions that
    do least and most, of a loop whose executions do not do the same. `abridged` (absent: nothing): what was left out of
    its arithmetic, `terms` or formulas that are too long (`report.brief`). `mapping`: which loops of the nest become
    threads of the device, and how (absent: those of the loop as it is written); `as_written`: the times of the nest as
    it is written, beside those of a mapping."""

    LEFT_OUT: ClassVar = frozenset(
        {"symbols", "effects", "all_executions_s", "one_execution_s", "abridged", "mapping", "as_written"}
    )

    device: str
    model: str
    candidate: str
    time_s: RangeEntry | None
    compute_s: Number | None
    memory_s: Number | None
    transfer_s: Number | None
    launch_s: Number | None
    bound: str | None
    formula: str | None
    terms: tuple[TermEntry, ...]
    symbols: tuple[str, ...] | None
    effects: tuple[EffectEntry, ...] | None
    all_executions_s: RangeEntry | None = None
    one_execution_s: SpanEntry | None = None
    abridged: Literal["terms", "formulas"] | None = None
    mapping: str | None = None
    as_written: tuple[AsWrittenEntry, ...] | None = None


class BreakEvenEntry(Struct, frozen=True):
    """The smallest value of the symbol from which the device wins: likely, and with every range against it. `given`:
    what the other unknown sizes are taken as. `resident_likely`, `resident_safe`: without any transfer.
    `fastest_likely`: where it is also faster than other ways to run on the host only from a larger one on."""

    LEFT_OUT: ClassVar = frozenset({"given", "resident_likely", "resident_safe", "fastest_likely"})

    symbol: str
    value_likely: Number | None
    value_safe: Number | None
    given: dict[str, Number] | None
    resident_likely: Number | None
    resident_safe: Number | None
    fastest_likely: Number | None = None

    @property
    def fastest_from(self) -> Number | None:
        """From which value on the device is likely the fastest of all."""
        return self.fastest_likely or self.value_likely


class CodeEntry(Struct, frozen=True):
    code: str
    message: str


class RecommendationEntry(Struct, frozen=True):
    verdict: VerdictName
    device: str | None
    candidate: str | None
    speedup: RangeEntry | None
    break_even: tuple[BreakEvenEntry, ...]
    reason: CodeEntry


class ProfiledEntry(Struct, frozen=True):
    """What the runs of a profile counted: entries of the loop (null: not told), its iterations, their mean."""

    entries: int | None
    iterations: int
    trip_count: Number | None


class MessageEntry(Struct, frozen=True):
    """One call that sends: bytes for one entry of the loop as the model counts them (null: not known). `exact`: what a
    process sends is known for certain."""

    line: int
    call: str
    bytes: str | None
    exact: bool


class RoofEntry(Struct, frozen=True):
    """The communication-aware roofline of the busiest process; `limit`: compute, memory or network. `cai` is null where
    nothing is sent. Then the roofs, and beyond the paper's model: `messages` for which it waits one after the other,
    the `latency_s` of one of them where the system has it, and the time with it."""

    LEFT_OUT: ClassVar = frozenset(
        {
            *("peak_ops_per_s", "memory_bytes_per_s", "network_bytes_per_s", "without_network_time_s", "messages"),
            *("latency_s", "with_latency_time_s"),
        }
    )

    system: str
    limit: str
    oi: Number
    cai: Number | None
    attainable_ops_per_s: Number
    without_network_ops_per_s: Number
    time_s: Number
    peak_ops_per_s: Number | None = None
    memory_bytes_per_s: Number | None = None
    network_bytes_per_s: Number | None = None
    without_network_time_s: Number | None = None
    messages: Number | None = None
    latency_s: Number | None = None
    with_latency_time_s: Number | None = None


class NetworkEntry(Struct, frozen=True):
    """What each process sends, by rank, where their number and all sizes are known; `sent_exact`: that is certain, and
    no bound. `left_out`: calls whose bytes are not known, in words."""

    sent_by_rank: tuple[Number, ...] | None
    sent_exact: bool
    messages: tuple[MessageEntry, ...]
    left_out: tuple[str, ...]
    roof: RoofEntry | None
    why_no_roof: str | None


class CommunicationEntry(Struct, frozen=True):
    """One call of a function that calls MPI, what it calls included: flops, bytes read and written, network bytes."""

    function: str
    line: int
    flops: CountEntry | None
    memory_bytes: CountEntry | None
    network_bytes: CountEntry | None
    communication_intensity: CountEntry | None
    network: NetworkEntry


class SweepTimesEntry(Struct, frozen=True):
    """Likely seconds at each size of a sweep. `fitting` (absent where it always does): at so many of the sizes, the
    smallest ones, the data fits into the device."""

    LEFT_OUT: ClassVar = frozenset({"fitting"})

    device: str
    candidate: str
    seconds: tuple[Number, ...]
    fitting: int | None = None


class SweepEntry(Struct, frozen=True):
    """The times along a range of one size (`--size N=1e3..1e7`)."""

    symbol: str
    values: tuple[int, ...]
    times: tuple[SweepTimesEntry, ...]


class FlipEntry(Struct, frozen=True):
    """One figure which alone would change the verdict: what it is, its value now and the nearest one that does."""

    what: str
    now: str
    then: str
    verdict: str


class LoopEntry(Struct, frozen=True, rename={"class_": "class"}):
    """`reason`: why the loop is not parallel; `class_reason` (absent when there is none): why a parallel one has no
    class. `fingerprint`: the same after edits elsewhere in the file (`selection.fingerprints`). `unlisted` (absent when
    it is listed): which choice leaves it out of the findings (`selection.filters`); `unlisted_rules`: the same for some
    of its findings, by rule, while others are listed. `abridged` (absent when there are none): the members that hold
    less than what was found out (`report.brief`)."""

    LEFT_OUT: ClassVar = frozenset(
        {
            "abridged",
            "class_reason",
            "network",
            "profile",
            "fingerprint",
            "unlisted",
            "unlisted_rules",
            "sweep",
            "sensitivity",
            "formulas",
            "alternatives",
            "construct",
            "schedule",
            "pointers",
            "unset",
            "change",
            "on_device",
        }
    )

    id: str
    function: str
    line: int
    column: int
    end_line: int
    parent: str | None
    depth: int
    expansion: ExpansionEntry | None
    pragmas: tuple[PragmaEntry, ...]
    variable: str | None
    lower: str | None
    upper: str | None
    step: str | None
    trip_count: CountEntry | None
    executions: CountEntry | None
    parallel: Literal["yes", "conditional", "no", "unknown"]
    without_assumptions: bool
    assumptions: tuple[AssumptionEntry, ...]
    reductions: tuple[ReductionEntry, ...]
    private: tuple[str, ...]
    last_private: tuple[str, ...]
    reason: ReasonEntry | None
    nest: tuple[str, ...]
    parallel_loops: tuple[str, ...]
    class_: str | None
    species: str | None
    class_reason: ReasonEntry | None
    idioms: tuple[IdiomEntry, ...]
    arrays: tuple[ArrayEntry, ...]
    conditions: tuple[ConditionEntry, ...]
    counts: CountsEntry
    predictions: tuple[PredictionEntry, ...]
    recommendation: RecommendationEntry
    fingerprint: str | None = None
    network: NetworkEntry | None = None
    """Of loops that call MPI; absent elsewhere."""
    profile: ProfiledEntry | None = None
    """Absent without a profile that counts this loop."""
    unlisted: str | None = None
    unlisted_rules: dict[str, str] | None = None
    sweep: SweepEntry | None = None
    sensitivity: tuple[FlipEntry, ...] | None = None
    """Of the loop that `--why` asks about; the nearest first."""
    formulas: FormulasEntry | None = None
    """Absent where only text is made, and where no time is a formula."""
    first_private: tuple[str, ...] = ()
    inductions: tuple[InductionEntry, ...] = ()
    rewrites: tuple[RewriteEntry, ...] = ()
    abridged: tuple[str, ...] | None = None
    alternatives: tuple[AlternativeEntry, ...] | None = None
    """Absent where none is known."""
    construct: Literal["parallel for", "parallel for simd"] | None = None
    """Of OpenMP, which the clauses belong to: with `simd` where a sum has no vectors without it.
    Absent of a loop that is not parallel."""
    schedule: str | None = None
    """Absent where the compiler's own choice is as good."""
    pointers: tuple[str, ...] | None = None
    """Those that the iterations of a `parallel for simd` with sums follow: threads want them for themselves. Absent
    where there are none."""
    unset: tuple[UnsetEntry, ...] | None = None
    """Variables that compilers would warn of where threads get them. Absent where there are none."""
    change: ChangeEntry | None = None
    """Absent where nothing is suggested, and where no data format is made."""
    on_device: OnDeviceEntry | None = None
    """Absent of a loop that is not parallel and has no parallel one in it, and where no data format is made."""

    @property
    def is_parallel(self) -> bool:
        """Whether its iterations may run in any order, be it under conditions."""
        return self.parallel in ("yes", "conditional")

    @property
    def maps(self) -> tuple[MapEntry, ...]:
        """What a device needs of its memory, as far as that is known."""
        return () if self.on_device is None else self.on_device.maps

    @property
    def requires(self) -> tuple[ConditionEntry, ...]:
        """The conditions of a `conditional` answer."""
        return tuple(c for c in self.conditions if c.kind is not None)

    def prediction(self, candidate: str) -> PredictionEntry | None:
        """The first prediction for a candidate: host, host-threads, target."""
        return next((p for p in self.predictions if p.candidate == candidate), None)

    @property
    def advised(self) -> PredictionEntry | None:
        """The prediction for the place that the recommendation names."""
        r = self.recommendation
        return next((p for p in self.predictions if (p.device, p.candidate) == (r.device, r.candidate)), None)

    @property
    def today_s(self) -> float | None:
        """Likely seconds of one entry on the host as the recommendation takes it: within the loops around, where caches
        keep what entries before left; None where that is not known."""
        host = next((p for p in self.predictions if p.candidate == "host"), None)
        if host is None or host.time_s is None:
            return None
        inside = host.all_executions_s
        return host.time_s.likely if inside is None else inside.likely / self.entries

    @property
    def entries(self) -> Number:
        """How often one call of its function enters it; 1 where that is not known."""
        return 1 if self.executions is None or not self.executions.value else self.executions.value

    @property
    def alone(self) -> AloneEntry | None:
        """Of a loop that is best divided between a device and the threads of the host, the place where it is faster by
        itself; None for other loops."""
        r = self.recommendation
        if r.candidate != "split":
            return None
        target = (r.device, "target")
        places = (p for p in self.predictions if p.candidate == "host-threads" or (p.device, p.candidate) == target)
        found = [AloneEntry(p.device, p.candidate, p.time_s) for p in places if p.time_s is not None]
        return min(found, key=lambda one: one.time_s.likely, default=None)
