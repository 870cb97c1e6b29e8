"""The result of a run as immutable values: what every report renders, and field for field what JSON holds.

Names are those of the JSON (docs/json.md); where Python keeps a word for itself (`class`, `from`) the field ends in an
underscore and the JSON name has none. Places are lines and columns from 1; times are in seconds, sizes in bytes.
Reading a document back gives an equal value, so a saved report renders exactly like a fresh one.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal, TypeAlias

from msgspec import Struct

from ..facts.directives import RaceAnswer as RaceAnswer
from .formula_entries import FormulasEntry as FormulasEntry
from .formula_entries import HullEntry as HullEntry
from .formula_entries import PartsEntry as PartsEntry
from .formula_entries import RefusalEntry as RefusalEntry
from .formula_entries import TimeEntry as TimeEntry
from .loop_entries import AbridgedEntry as AbridgedEntry
from .loop_entries import AloneEntry as AloneEntry
from .loop_entries import AlternativeEntry as AlternativeEntry
from .loop_entries import ArrayEntry as ArrayEntry
from .loop_entries import AssumptionEntry as AssumptionEntry
from .loop_entries import AsWrittenEntry as AsWrittenEntry
from .loop_entries import BreakEvenEntry as BreakEvenEntry
from .loop_entries import CalledEntry as CalledEntry
from .loop_entries import ChangeEntry as ChangeEntry
from .loop_entries import CodeEntry as CodeEntry
from .loop_entries import CommunicationEntry as CommunicationEntry
from .loop_entries import ConditionEntry as ConditionEntry
from .loop_entries import CountEntry as CountEntry
from .loop_entries import CountsEntry as CountsEntry
from .loop_entries import EditEntry as EditEntry
from .loop_entries import EffectEntry as EffectEntry
from .loop_entries import ExpandedEntry as ExpandedEntry
from .loop_entries import ExpansionEntry as ExpansionEntry
from .loop_entries import FlipEntry as FlipEntry
from .loop_entries import GainEntry as GainEntry
from .loop_entries import IdiomEntry as IdiomEntry
from .loop_entries import InductionEntry as InductionEntry
from .loop_entries import LoopEntry as LoopEntry
from .loop_entries import MapEntry as MapEntry
from .loop_entries import MessageEntry as MessageEntry
from .loop_entries import NetworkEntry as NetworkEntry
from .loop_entries import Number as Number
from .loop_entries import OnDeviceEntry as OnDeviceEntry
from .loop_entries import PlanEntry as PlanEntry
from .loop_entries import PositionEntry as PositionEntry
from .loop_entries import PragmaEntry as PragmaEntry
from .loop_entries import PredictionEntry as PredictionEntry
from .loop_entries import ProfiledEntry as ProfiledEntry
from .loop_entries import RangeEntry as RangeEntry
from .loop_entries import ReasonEntry as ReasonEntry
from .loop_entries import RecommendationEntry as RecommendationEntry
from .loop_entries import ReductionEntry as ReductionEntry
from .loop_entries import RewriteEntry as RewriteEntry
from .loop_entries import RoofEntry as RoofEntry
from .loop_entries import SpanEntry as SpanEntry
from .loop_entries import SweepEntry as SweepEntry
from .loop_entries import SweepTimesEntry as SweepTimesEntry
from .loop_entries import TermEntry as TermEntry
from .loop_entries import UnsetEntry as UnsetEntry
from .loop_entries import VerdictName as VerdictName
from .program_entries import GroupEntry as GroupEntry
from .program_entries import LifeEntry as LifeEntry
from .program_entries import PatchEntry as PatchEntry
from .program_entries import PlacedEntry as PlacedEntry
from .program_entries import ProgramEntry as ProgramEntry
from .program_entries import TransferEntry as TransferEntry
from .program_entries import UseEntry as UseEntry

LevelName: TypeAlias = Literal["note", "warning", "error"]

SCHEMA_VERSION = "1"


class Tool(Struct, frozen=True):
    name: str
    version: str


class Options(Struct, frozen=True):
    """The choices that change results, as they were made; `paths` as typed. `entry`: where the program starts, `top`:
    how many loops to port first, `facts`: files with what is known of the program, `alloc`: functions that give new
    memory (absent when they were not given). `detail`: how much is held of each loop (absent in reports of versions
    that held all). `resident`: nothing is copied to the targets (absent where it is).
    `mapping`: `naive` where nests are mapped to devices as they are written (absent: as a porter would). `cflags`: how
    the host's code is compiled (absent: -O3 -march=native)."""

    LEFT_OUT: ClassVar = frozenset({"entry", "top", "facts", "alloc", "detail", "resident", "mapping", "cflags"})

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
    network: str | None = None
    ranks: int | None = None
    entry: str | None = None
    top: int | None = None
    facts: tuple[str, ...] | None = None
    alloc: tuple[str, ...] | None = None
    detail: str | None = None
    resident: bool | None = None
    mapping: str | None = None
    cflags: str | None = None


class Figure(Struct, frozen=True):
    """One device figure that a prediction used. `confidence`: measured, vendor, estimated ..."""

    value: Number | str | None
    unit: str
    source: str
    confidence: str


class DeviceUsed(Struct, frozen=True):
    """`fused_multiply_add`: its compute rates count a multiply-add as two operations."""

    LEFT_OUT: ClassVar = frozenset({"fused_multiply_add"})

    name: str
    kind: str
    figures: dict[str, Figure]
    fused_multiply_add: bool | None = None


ASSIGNED, PASSED = "assigned once at", "passed by each call, as at"
SETTLED = (ASSIGNED, PASSED)
"""How a source begins that is a place of the program itself."""


class SymbolEntry(Struct, frozen=True):
    """`scope` is `path` or `path:function`; `source`: macro, option, configuration, directive, profile,
    `assigned once at FILE:LINE`, `passed by each call, as at FILE:LINE` (of a parameter) or unknown."""

    name: str
    scope: str
    value: Number | None
    source: str


class DiagnosticEntry(Struct, frozen=True):
    """`unlisted` (absent when it is listed): which choice leaves it out of the findings (`selection.filters`). `header`
    (absent when it is the file itself): the path of the included file that the line is in."""

    LEFT_OUT: ClassVar = frozenset({"unlisted", "header"})

    rule: str
    level: LevelName
    message: str
    line: int
    column: int
    unlisted: str | None = None
    header: str | None = None


class DirectiveEntry(Struct, frozen=True):
    """A directive of OpenMP or OpenACC that the file has, and whether two threads that it lets run may be at one place
    at once, one of them to store there. `accesses`: these two, as the program writes them; `missing`: clauses that
    mend it; `message`: why, or on what the answer rests."""

    line: int
    text: str
    answer: RaceAnswer
    message: str
    accesses: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


class IgnoreEntry(Struct, frozen=True):
    """`// analyze: ignore[RULE] reason`: findings of the rule (or family of rules) on this line are not listed."""

    line: int
    rule: str
    reason: str


class FileEntry(Struct, frozen=True):
    path: str
    functions_total: int
    functions_analyzed: int
    loops_total: int
    diagnostics: tuple[DiagnosticEntry, ...]
    loops: tuple[LoopEntry, ...]
    ignored: tuple[IgnoreEntry, ...] = ()
    communication: tuple[CommunicationEntry, ...] = ()
    directives: tuple[DirectiveEntry, ...] = ()


class Summary(Struct, frozen=True):
    """`verdicts` and `reasons` count loops by verdict, and by reason code where the verdict is cannot-model."""

    files: int
    functions_total: int
    functions_analyzed: int
    loops_total: int
    verdicts: dict[str, int]
    reasons: dict[str, int]
    diagnostics: dict[str, int]


class IdiomGain(Struct, frozen=True):
    """All blocks of one idiom: their share of the time, and the speedup by device (`all threads`: of the host)."""

    idiom: str
    blocks: int
    coverage: Number
    speedups: dict[str, Number]


class BlockEntry(Struct, frozen=True):
    """One block of loops, its share of the time, and the best of host, all threads and devices for it."""

    loop: str
    idiom: str
    coverage: Number
    device: str
    speedup: Number
    speedups: dict[str, Number]


class FunctionShare(Struct, frozen=True):
    """A function's share of the time, of which nobody knows whose loop's it is."""

    path: str
    function: str
    coverage: Number


class ProjectionEntry(Struct, frozen=True):
    """The application once every block runs at its best place. `measured`: shares are a profile's, else predicted;
    `covered`: share of all blocks; `remaining`: new time over old; `functions` (absent: none): time of functions that
    none of their loops was given."""

    LEFT_OUT: ClassVar = frozenset({"functions"})

    measured: bool
    covered: Number
    blocks: tuple[BlockEntry, ...]
    idioms: tuple[IdiomGain, ...]
    remaining: Number
    speedup: Number | None
    functions: tuple[FunctionShare, ...] | None = None


class RepositoryEntry(Struct, frozen=True):
    """`root`: the top of the repository, seen from the working directory (`..`); `directory`: the working directory,
    seen from there (`src`)."""

    root: str
    directory: str


class RevisionEntry(Struct, frozen=True):
    """The commit that the analysed files are of. `changed`: those of them that are not as it has them, by path."""

    commit: str
    changed: tuple[str, ...]


class Document(Struct, frozen=True):
    """Paths are relative to the working directory; `repository`: what makes them relative to the repository
    (`paths.in_repository`; absent where that is the same). `answer`: the run in one sentence or two (absent in reports
    of versions that did not have it)."""

    schema_version: str
    tool: Tool
    options: Options
    host: str
    targets: tuple[str, ...]
    answer: str | None
    devices: dict[str, DeviceUsed]
    symbols: tuple[SymbolEntry, ...]
    sources: dict[str, str] | None
    LEFT_OUT: ClassVar = frozenset({"answer", "sources", "projection", "no_program", "repository", "revision"})
    """Text by path; the member is absent when source text is left out."""
    files: Sequence[FileEntry]
    program: ProgramEntry | None
    summary: Summary
    projection: ProjectionEntry | None = None
    no_program: str | None = None
    """Why there is no program as a whole, where there could be one."""
    repository: RepositoryEntry | None = None
    revision: RevisionEntry | None = None
