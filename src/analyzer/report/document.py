"""The result of a run as immutable values: what every report renders, and field for field what JSON holds.

Names are those of the JSON (interface.md); where Python keeps a word for itself (`class`, `from`) the field ends in an
underscore and the JSON name has none. Places are lines and columns from 1; times are in seconds, sizes in bytes.
Reading a document back gives an equal value, so a saved report renders exactly like a fresh one.
"""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Number: TypeAlias = int | float
VerdictName: TypeAlias = Literal["offload", "host-parallel", "host", "depends", "cannot-model"]
LevelName: TypeAlias = Literal["note", "warning", "error"]

SCHEMA_VERSION = "1"


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Options:
    """The choices that change results, as they were made; `paths` as typed."""

    paths: tuple[str, ...]
    model: str
    assume: str
    strict_fp: bool
    count_as: str
    min_speedup: Number
    sizes: tuple[str, ...]
    defines: tuple[str, ...]
    undefines: tuple[str, ...]
    includes: tuple[str, ...]
    standard: str | None
    abi: str | None


@dataclass(frozen=True, slots=True)
class Figure:
    """One device figure that a prediction used. `confidence`: measured, vendor, estimated ..."""

    value: Number | str | None
    unit: str
    source: str
    confidence: str


@dataclass(frozen=True, slots=True)
class DeviceUsed:
    name: str
    kind: str
    figures: dict[str, Figure]


@dataclass(frozen=True, slots=True)
class SymbolEntry:
    """`scope` is `path` or `path:function`; `source`: macro, option, directive or unknown."""

    name: str
    scope: str
    value: Number | None
    source: str


@dataclass(frozen=True, slots=True)
class CountEntry:
    """A count: the formula, its value at the given sizes, and bounds of the value where it is not exact."""

    expr: str | None
    value: Number | None
    low: Number | None
    high: Number | None
    exact: bool
    assumptions: tuple[str, ...]
    low_expr: str | None
    high_expr: str | None


@dataclass(frozen=True, slots=True)
class AssumptionEntry:
    kind: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class ReductionEntry:
    variable: str
    operator: str
    reorders_fp: bool


@dataclass(frozen=True, slots=True)
class ReasonEntry:
    code: str
    message: str
    line: int
    accesses: tuple[str, ...] | None
    distance: str | None


@dataclass(frozen=True, slots=True)
class ExpansionEntry:
    macro: str
    line: int


@dataclass(frozen=True, slots=True)
class PragmaEntry:
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class IdiomEntry:
    idiom: str
    line: int
    code: str


@dataclass(frozen=True, slots=True)
class ArrayEntry:
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


@dataclass(frozen=True, slots=True)
class ConditionEntry:
    line: int
    weight: Number
    source: str


@dataclass(frozen=True, slots=True)
class CountsEntry:
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


@dataclass(frozen=True, slots=True)
class RangeEntry:
    low: Number
    likely: Number
    high: Number


@dataclass(frozen=True, slots=True)
class TermEntry:
    """One number of a prediction's arithmetic."""

    name: str
    expr: str | None
    value: Number | None
    unit: str
    source: str


@dataclass(frozen=True, slots=True)
class PredictionEntry:
    """`time_s` is null where a size is unknown; `formula` holds then. The parts are those of the likely time."""

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


@dataclass(frozen=True, slots=True)
class BreakEvenEntry:
    """The smallest value of the symbol from which the device wins: likely, and with every range against it."""

    symbol: str
    value_likely: Number | None
    value_safe: Number | None


@dataclass(frozen=True, slots=True)
class CodeEntry:
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class RecommendationEntry:
    verdict: VerdictName
    device: str | None
    candidate: str | None
    speedup: RangeEntry | None
    break_even: tuple[BreakEvenEntry, ...]
    reason: CodeEntry


@dataclass(frozen=True, slots=True)
class LoopEntry:
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
    parallel: Literal["yes", "no", "unknown"]
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
    idioms: tuple[IdiomEntry, ...]
    arrays: tuple[ArrayEntry, ...]
    conditions: tuple[ConditionEntry, ...]
    counts: CountsEntry
    predictions: tuple[PredictionEntry, ...]
    recommendation: RecommendationEntry

    def prediction(self, candidate: str) -> PredictionEntry | None:
        """The first prediction for a candidate: host, host-threads, target."""
        return next((p for p in self.predictions if p.candidate == candidate), None)


@dataclass(frozen=True, slots=True)
class DiagnosticEntry:
    rule: str
    level: LevelName
    message: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class FileEntry:
    path: str
    functions_total: int
    functions_analyzed: int
    loops_total: int
    diagnostics: tuple[DiagnosticEntry, ...]
    loops: tuple[LoopEntry, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """`verdicts` and `reasons` count loops by verdict, and by reason code where the verdict is cannot-model."""

    files: int
    functions_total: int
    functions_analyzed: int
    loops_total: int
    verdicts: dict[str, int]
    reasons: dict[str, int]
    diagnostics: dict[str, int]


@dataclass(frozen=True, slots=True)
class Document:
    schema_version: str
    tool: Tool
    options: Options
    host: str
    targets: tuple[str, ...]
    devices: dict[str, DeviceUsed]
    symbols: tuple[SymbolEntry, ...]
    sources: dict[str, str] | None = field(metadata={"left_out": True})
    """Text by path; the member is absent when source text is left out."""
    files: tuple[FileEntry, ...]
    program: None
    summary: Summary
