"""What loop analysis knows of a loop: no device, no time. Stages fill one value each; `LoopFacts` joins them."""

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from models.expr import Expr

from ..base.places import Place
from ..ir.nodes import Declared, Function, Loop, Object, Variable
from ..ir.reasons import AssumptionKind, ReasonCode
from ..source.inputs import Inputs
from ..source.unit import Diagnostic, Directive
from .directives import CheckedDirective
from .network import Network

if TYPE_CHECKING:
    from models.classes import AlgorithmClass
    from models.incore import Body
    from models.notation import Species


class Verdict(Enum):
    """Whether the iterations may run in any order (definitions.md): CONDITIONAL under conditions that a program can
    test. UNKNOWN is the conservative answer."""

    YES = "yes"
    CONDITIONAL = "conditional"
    NO = "no"
    UNKNOWN = "unknown"


class Assumption(Struct, frozen=True, order=True):
    """Something an answer rests on."""

    kind: AssumptionKind
    text: str
    line: int

    def __str__(self) -> str:
        return f"{self.kind}({self.text})"


class Tested(Struct, frozen=True):
    """A condition of an answer; `check`: C that is true where the loop begins only if it holds, None where nothing
    tests it beforehand."""

    kind: AssumptionKind
    text: str
    line: int
    check: str | None


class Reason(Struct, frozen=True):
    """Why an answer is no or unknown; `accesses` the two C texts that conflict, `access_lines` where they stand,
    `distance` in iterations of the loop (text: a number, `*`, or a formula)."""

    code: ReasonCode
    message: str
    line: int
    accesses: tuple[str, str] | None = None
    distance: str | None = None
    access_lines: tuple[int, int] | None = None


class Reduction(Struct, frozen=True):
    """`operator`: + * min max & | ^ && || ; `array`: accumulates into elements of an array through a subscript."""

    variable: str
    operator: str
    reorders_fp: bool
    array: bool = False


class Separated(Struct, frozen=True):
    """How one variable, or one object in memory, is separated between the iterations. `role`: a copy per iteration that
    begins with nothing (`private`), with the old value (`first`), whose last one remains (`last`), or both; partial
    results (`reduction`); a variable that steps evenly, or holds a value of the iteration before, which each iteration
    works out (`counter`); memory that stays shared, as all who store there store the same (`same`); one of a best value
    and its position, of which threads find their own (`best`); a variable of which each thread has one, and that of the
    thread which comes to the loop is meant (`of_one`). `text`: what the reports of the analysis call it. `live`: of a
    counter, whether somebody may read it after the loop. `part`: of an object of which the loop uses other places,
    too."""

    role: Literal["private", "first", "last", "first_last", "reduction", "counter", "same", "best", "of_one"]
    target: Variable | Object
    text: str
    operator: str = ""
    array: bool = False
    live: bool = False
    part: bool = False
    reorders_fp: bool = False

    def is_of(self, object_: Object) -> bool:
        """Whether it is the object, or the variable that is declared as this object."""
        return self.target == object_ or (isinstance(object_, Declared) and self.target == object_.variable)


class Parallelism(Struct, frozen=True):
    """The answer for one loop. `assumptions` are those the answer needs (empty: it needs none); `separated`: what each
    iteration gets a copy of, by variable and object."""

    verdict: Verdict
    assumptions: tuple[Assumption, ...] = ()
    reason: Reason | None = None
    separated: tuple[Separated, ...] = ()
    conditions: tuple[Assumption, ...] = ()
    """Under which the answer is yes: never empty where it is CONDITIONAL, and else always."""
    held: tuple[Assumption, ...] = ()
    """Conditions that it needs, and of which the user says that they hold: among the assumptions."""

    @property
    def is_parallel(self) -> bool:
        """Whether the iterations may run in any order, be it under conditions."""
        return self.verdict in (Verdict.YES, Verdict.CONDITIONAL)

    @property
    def is_known_parallel(self) -> bool:
        """Whether that rests on no function that this file alone does not show: its work is not known, and a program
        may have it."""
        unseen = (AssumptionKind.PURE, AssumptionKind.INDEPENDENT)
        return self.is_parallel and all(condition.kind not in unseen for condition in (*self.conditions, *self.held))

    @property
    def reductions(self) -> tuple[Reduction, ...]:
        found = (s for s in self.separated if s.role == "reduction")
        return tuple(dict.fromkeys(Reduction(s.text, s.operator, s.reorders_fp, s.array) for s in found))

    @property
    def private(self) -> tuple[str, ...]:
        return self._named("private")

    @property
    def last_private(self) -> tuple[str, ...]:
        return self._named("last", "first_last")

    @property
    def first_private(self) -> tuple[str, ...]:
        """Copies that begin with the value from before the loop; of those in `last_private`, too, the last remains."""
        return self._named("first", "first_last")

    def _named(self, *roles: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(s.text for s in self.separated if s.role in roles))

    def is_private(self, object_: Object) -> bool:
        """Whether each iteration has a copy of the object that begins with nothing, and that nobody reads later."""
        return any(s.role == "private" and not s.part and s.is_of(object_) for s in self.separated)


class ClosedForm(Struct, frozen=True):
    """An induction variable as C: `start` before the loop, `step` per iteration, `value` as the body begins, `after`
    the loop (None: nobody reads it). In `value` and `after` the variable's own name stands for `start`, and the counter
    of a loop with the rewrite `canonical-loop` for the number of the iteration. None: no C text is known for it."""

    variable: str
    start: str | None
    step: str | None
    value: str | None
    after: str | None
    type: str | None = None


class Rewrite(Struct, frozen=True):
    """What no clause can do. `kind` of the closed list of docs/json.md, `object` in C, `text` an instruction to follow;
    the rest says the same to programs, and is None or empty where the kind has no use for it."""

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
    pointers: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()


class Changed(Struct, frozen=True):
    """What a change makes of nests, for the models: `nests` one after the other, the outermost loop of each first, in
    place of those of the loops `replaced`, by key."""

    replaced: tuple[int, ...]
    nests: tuple[tuple["LoopFacts", ...], ...]


class Plan(Struct, frozen=True):
    """Where a form of a nest is written: its loops, the one that becomes the innermost first (`interchange`), or in
    their order (`fusion`); `cuts`: lines that the pieces behind the first begin with. `expanded`: name and type of
    scalars that become arrays of `count` elements (C in front of the loop), one for each value of the variable
    `index`. `assumptions`: what the form rests on."""

    loops: tuple[Place, ...]
    assumptions: tuple[Assumption, ...] = ()
    cuts: tuple[int, ...] = ()
    expanded: tuple[tuple[str, str], ...] = ()
    index: str | None = None
    count: str | None = None


class Alternative(Struct, frozen=True):
    """What an expert does with a loop whose iterations have an order, or waste what memory delivers. `kind`: of the
    closed list of docs/json.md; `text`: an instruction; `legality`: why the program stays equal, what has to hold for
    that, or what changes; `code`: C to write, line by line; empty where words say it; `changed`: None where no time is
    predicted; `plan`: None where it is no form of a nest."""

    kind: str
    text: str
    legality: str
    code: tuple[str, ...] = ()
    changed: Changed | None = None
    plan: Plan | None = None


class Unset(Struct, frozen=True):
    """A variable of which compilers do not see that it has a value where threads get it. `declared`: where, without a
    value; None: it has one before the loop, which each thread's copy may begin with."""

    variable: str
    declared: Place | None


class Clauses(Struct, frozen=True):
    """What a person writes to run the iterations at once: names that OpenMP takes in these clauses at the loop, closed
    forms, and rewrites."""

    private: tuple[str, ...] = ()
    first_private: tuple[str, ...] = ()
    last_private: tuple[str, ...] = ()
    reductions: tuple[Reduction, ...] = ()
    inductions: tuple[ClosedForm, ...] = ()
    rewrites: tuple[Rewrite, ...] = ()
    schedule: tuple[str, ...] = ()
    """None or one; none where the compiler's own choice is as good."""
    pointers: tuple[str, ...] = ()
    """Those that the iterations follow, where they add up: each thread wants its own if vectors do that."""
    unlike_gcc: tuple[str, ...] = ()
    """Why the compiler of the file, or another one, makes no vectors of what the iterations add up, where gcc does;
    `unlike_gcc_divided`: where threads divide them."""
    unlike_gcc_divided: tuple[str, ...] = ()
    unset: tuple[Unset, ...] = ()


class Count(Struct, frozen=True):
    """A symbolic count. `exact` is false for a bound or an assumed branch weight; then `low` and `high` bound it.
    `expr` None: nothing is known."""

    expr: Expr | None
    low: Expr | None = None
    high: Expr | None = None
    exact: bool = True
    assumptions: tuple[str, ...] = ()


class Condition(Struct, frozen=True):
    """A data-dependent branch of the loop: its line and assumed weight."""

    line: int
    weight: float
    source: str = "assumed"


class Idiom(Struct, frozen=True):
    """One idiom at one line, with the code text (Table I of the paper). `idioms.IDIOMS` has their names; the paper has
    those of `models.pmac.curves` alone."""

    idiom: str
    line: int
    code: str


class ArrayFacts(Struct, frozen=True):
    """One array as one loop uses it, in bytes. `coalescing` along the innermost parallel loop: unit, strided(k),
    broadcast or irregular. `walk`: the same along the innermost loop around its accesses, the one with key
    `walked_by` (None: there is none), as one thread goes through it, at `walks` places at once."""

    name: str
    element_type: str
    element_bytes: int
    access: str
    coalescing: str
    contiguous: bool
    read_footprint: Count
    write_footprint: Count
    footprint: Count
    transfer_in: Count
    transfer_out: Count
    accesses: Expr | None = None
    """Loads and stores; an element that one iteration accesses several times counts once."""
    walk: str = "unit"
    walked_by: int | None = None
    walks: int = 1
    walking: Expr | None = None
    """Of the accesses those that go as `walk` says; others go through it in a better way. Of irregular ones, the lines
    of 64 bytes that they fetch (`counts.far_places`)."""
    sectors: Expr | None = None
    """Sectors of a GPU's memory that the accesses are in whose neighbours, along the innermost parallel loop, lie apart
    (`counts.paces`); None where there are none, or that is not known."""
    stores_apart: Expr | None = None
    """How many of those accesses store."""


class Counts(Struct, frozen=True):
    """The counts of definitions.md for one entry of the loop; None where nothing can be said."""

    trip_count: Count | None = None
    executions: Count | None = None
    iterations: Count | None = None
    flops_fp32: Count | None = None
    flops_fp64: Count | None = None
    fma_fp32: Count | None = None
    fma_fp64: Count | None = None
    fp_other: Count | None = None
    int_ops: Count | None = None
    loads: Count | None = None
    stores: Count | None = None
    bytes_loaded: Count | None = None
    bytes_stored: Count | None = None
    footprint: Count | None = None
    read_footprint: Count | None = None
    write_footprint: Count | None = None
    transfer_in: Count | None = None
    transfer_out: Count | None = None
    complexity: Count | None = None
    operational_intensity: Count | None = None


    @property
    def formulas(self) -> Iterator[Expr]:
        """Those of the counts that are known."""
        for name in self.__struct_fields__:
            count = getattr(self, name)
            if count is not None and count.expr is not None:
                yield count.expr



NO_COUNTS = Counts()
"""Of a loop of which nothing is counted."""


class LoopFacts(Struct, frozen=True):
    """Everything known of one loop. `parent`/`nest`/`parallel_loops` are loop ids; `algorithm` and `species` the class
    in both notations, None when the loop has none; `unclassified`: why a parallel loop has none. What has a default is
    not said of a loop that could not be lowered, or is too large to count."""

    id: str
    function: str
    place: Place
    end_line: int
    parent: str | None
    depth: int
    nest: tuple[str, ...]
    parallel_loops: tuple[str, ...]
    loop: Loop
    lower: str | None
    upper: str | None
    step: str | None
    parallelism: Parallelism
    algorithm: "AlgorithmClass | None" = None
    species: "Species | None" = None
    idioms: tuple[Idiom, ...] = ()
    arrays: tuple[ArrayFacts, ...] = ()
    conditions: tuple[Condition, ...] = ()
    tested: tuple[Tested, ...] = ()
    """The conditions of its answer."""
    counts: Counts = Counts()
    unclassified: Reason | None = None
    network: Network | None = None
    clauses: Clauses = Clauses()
    alternatives: tuple[Alternative, ...] = ()
    """Of a loop that is not parallel, and of the outermost of a nest that another form makes faster."""
    outermost: Loop | None = None
    """The loop of the nest that is in no other; None where that is this loop."""
    changing: frozenset[str] = frozenset()
    """The names in its formulas that the loops around change: their variables, and what is read or computed in them.
    Nobody can give them a value."""
    longest_trip: "Expr | None" = None
    """In the mean entry of a loop whose trip count changes with the loops around, and that steps from row to row: the
    most iterations that an entry has."""
    supposing: bool = False
    """Whether it was found in the function as it is under conditions."""
    bodies: "tuple[Body, ...] | None" = None
    """What each loop of its nest does in a core, in an outline, which has no code to work that out from."""
    inlined: tuple["LoopFacts", ...] = ()
    """Loops in it, but in no other one that is listed, of functions that it calls: they are listed where they are
    defined. What models need of them (`driver.inlined_loops`); empty where that is too much work."""
    mappings: tuple[tuple[tuple["Kernel", ...], ...], ...] = ()
    """Legal ways to map the nest of an outermost parallel loop to the threads of a device: each is kernels one after
    the other, each of them in one of several forms. Empty where there is only the loop as it is written."""


def with_inlined(nest: Iterable[LoopFacts]) -> tuple[LoopFacts, ...]:
    """The loops of a nest, and those in it of functions that are called."""
    listed = tuple(nest)
    return (*listed, *(inner for loop in listed for inner in loop.inlined))


class Kernel(Struct, frozen=True):
    """One way to run a nest, or a part of it, as a kernel of a device. `facts`: the nest in the order that the kernel
    has, its arrays with the coalescing along neighbouring threads; `threads`: how many there are for one entry;
    `accesses`: loads and stores that are left where a thread keeps in a register what its inner loops do not change
    the place of. `text`: an instruction."""

    facts: LoopFacts
    threads: Expr
    accesses: Expr
    text: str
    side: int = 1
    """Elements of a thread along each side of what it computes."""
    staged: tuple[str, ...] = ()
    """Arrays that go through tiles in shared memory, so that neighbours access neighbouring elements."""
    outermost: int | None = None
    """Of the nest as it is written: how many of its outermost loops are threads."""


class Communication(Struct, frozen=True):
    """What one call of a function sends to other processes, computes (flops), and reads and writes (bytes)."""

    network: Network
    flops: Count | None
    memory: Count | None


class FunctionFacts(Struct, frozen=True):
    """A function and what is known of its loops. `supposed`: the function as it is under conditions, where some of the
    loops were found in that."""

    function: Function
    loops: tuple[LoopFacts, ...]
    communication: Communication | None = None
    supposed: Function | None = None

    def around(self, loop: LoopFacts) -> Function:
        """The function that a loop of it was found in."""
        return self.supposed if loop.supposing and self.supposed is not None else self.function


class SizeSymbol(Struct, frozen=True):
    """Of the formulas: `scope` is its function (or `file` for a macro), `source` macro, constant or unknown."""

    name: str
    scope: str
    value: int | None
    source: str


class FileFacts(Struct, frozen=True):
    """One file after loop analysis. `functions_analyzed`: those with every statement in the IR."""

    path: str
    functions_total: int
    functions_analyzed: int
    diagnostics: tuple[Diagnostic, ...]
    directives: tuple[Directive, ...]
    functions: tuple[FunctionFacts, ...]
    symbols: tuple[SizeSymbol, ...]
    source_text: str
    headers: tuple["FileFacts", ...] = ()
    """Project headers that define functions: each is reported once, under its own path, whoever includes it."""
    failed: bool = False
    """An error of ours lost part of the file (exit code 3)."""
    inputs: Inputs = Inputs()
    checked: tuple[CheckedDirective, ...] = ()
    """The directives of the file, and what is found of them."""
