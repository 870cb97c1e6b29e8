"""The rules that findings carry: one per reason worth telling, identifiers never reused.

A rule's page (`--explain RULE`) says what it means, why that matters and what to do about it.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from ..ir.reasons import ReasonCode

Level: TypeAlias = Literal["note", "warning", "error"]
LEVELS: tuple[Level, ...] = ("note", "warning", "error")


class Rule(Struct, frozen=True):
    """`code`: the reason that it stands for, None for findings of the front end."""

    id: str
    level: Level
    title: str
    code: ReasonCode | None
    why: str
    fix: str


def _blocks(number: int, code: ReasonCode, title: str, why: str, fix: str) -> Rule:
    return Rule(f"DEP{number:03d}", "note", title, code, why, fix)


def _source(number: int, level: Level, title: str, why: str, fix: str) -> Rule:
    return Rule(f"SRC{number:03d}", level, title, None, why, fix)


RULES: tuple[Rule, ...] = (
    Rule(
        "OFF001",
        "warning",
        "a loop is worth moving to the target",
        ReasonCode.FASTER_ON_TARGET,
        "The likely time on the target, transfers included, beats the host by --min-speedup, and even the ranges' "
        "worst ends do not lose.",
        "Offload the loop (OpenMP target, OpenACC, CUDA ...). `--why FILE:LINE` shows the arithmetic.",
    ),
    Rule(
        "OFF002",
        "note",
        "the answer depends on a size that is not known",
        ReasonCode.UNKNOWN_SIZE,
        "Times are formulas in the sizes. With one unknown size the break-even is solved exactly.",
        "Give the size: `--size n=1000000`, or `// analyze: size n=1000000` in the source.",
    ),
    Rule(
        "OFF003",
        "note",
        "the ranges of host and target overlap",
        ReasonCode.UNCERTAIN,
        "The model's floors (scattered accesses, no fused multiply-add) or an uncertain device figure decide.",
        "Look at the term that the message names; a measured device file narrows its range.",
    ),
    Rule(
        "OFF004",
        "note",
        "moving the data takes too long",
        ReasonCode.TRANSFER_BOUND,
        "The kernel would win, but copying its data to the target and back takes longer than what is saved.",
        "Keep the data on the device over several loops, or move a loop further out.",
    ),
    Rule(
        "OFF005",
        "note",
        "starting the kernel takes too long",
        ReasonCode.LAUNCH_BOUND,
        "The latency of the launch is more than what is saved.",
        "Merge the loop with its neighbours, or move a loop further out.",
    ),
    Rule(
        "OFF006",
        "note",
        "too little work to move",
        ReasonCode.TOO_SMALL,
        "Starting the loop elsewhere takes longer than the host needs for all of it.",
        "Nothing; or give a larger size with -D or --size if this one is not typical.",
    ),
    Rule(
        "OFF007",
        "note",
        "the host is as fast",
        ReasonCode.HOST_FASTER,
        "No other place reaches --min-speedup.",
        "Nothing.",
    ),
    Rule(
        "OFF008",
        "note",
        "the target lacks the precision",
        ReasonCode.UNSUPPORTED_PRECISION,
        "The loop computes with an element type that the device has no arithmetic for.",
        "Choose another target, or a narrower type if the algorithm allows it.",
    ),
    Rule(
        "OFF009",
        "note",
        "a device figure is missing",
        ReasonCode.NO_DEVICE_FIGURE,
        "The model needs a number that the device's file does not hold; none is made up.",
        "Give a device file with the figure: `--target my_device.toml`.",
    ),
    Rule(
        "OFF010",
        "note",
        "the data do not fit on the target",
        ReasonCode.EXCEEDS_MEMORY,
        "What the loop touches is larger than the device's memory.",
        "Split the loop into parts that fit, or choose another target.",
    ),
    Rule(
        "PAR001",
        "warning",
        "a loop is worth dividing among the host's threads",
        ReasonCode.FASTER_ON_HOST_THREADS,
        "All threads of the host beat one by --min-speedup, and no target does better.",
        "`#pragma omp parallel for` with the listed reductions and private variables.",
    ),
    _blocks(
        1,
        ReasonCode.CARRIED_DEPENDENCE,
        "an iteration needs a result of an earlier one",
        "The two accesses that the message names touch the same memory in different iterations.",
        "A recurrence may have a parallel form (scan, wavefront, red-black); else move a loop around or inside.",
    ),
    _blocks(
        2,
        ReasonCode.FP_ORDER,
        "a sum of floats must keep its order",
        "Floating addition is not associative, and --strict-fp asks for the exact order.",
        "Leave out --strict-fp if a different rounding is acceptable.",
    ),
    _blocks(
        3,
        ReasonCode.MAY_ALIAS,
        "two pointers may overlap",
        "If they do, iterations touch each other's data.",
        "Declare them `restrict` where they never overlap.",
    ),
    _blocks(
        4,
        ReasonCode.UNKNOWN_CALL,
        "a function without a visible body is called",
        "It may do anything: print, keep state, write to memory that other iterations read.",
        "Make its body visible (same file or header), or say `// analyze: independent`.",
    ),
    _blocks(
        5,
        ReasonCode.SIDE_EFFECT,
        "an effect whose order matters",
        "Input, output and the like must happen in the order of the iterations.",
        "Move the effect out of the loop.",
    ),
    _blocks(
        6,
        ReasonCode.EARLY_EXIT,
        "the loop may be left early",
        "Whether an iteration runs at all depends on the ones before it.",
        "Compute a mask or a minimum index instead, and leave after the loop.",
    ),
    _blocks(
        7,
        ReasonCode.IRREGULAR_CONTROL_FLOW,
        "jumps that loops cannot describe",
        "goto, switch into a loop, setjmp: the iterations are not known.",
        "Write the control flow with structured loops and branches.",
    ),
    _blocks(
        8,
        ReasonCode.VOLATILE,
        "volatile or atomic accesses",
        "Their number and order are part of the program's meaning.",
        "Use plain objects inside the loop.",
    ),
    _blocks(9, ReasonCode.INLINE_ASM, "inline assembly", "What it does is not read.", "Use plain C or an intrinsic."),
    _blocks(
        10,
        ReasonCode.NON_AFFINE_ACCESS,
        "a subscript that is no linear formula of the loops",
        "Which elements are touched, and whether twice, depends on data.",
        "If the indices are distinct, say `// analyze: independent`.",
    ),
    _blocks(
        11,
        ReasonCode.UNKNOWN_TRIP_COUNT,
        "how often the loop runs is not known when it starts",
        "Without it there are no counts, and so no times.",
        "Write it as a counting loop where it is one.",
    ),
    _blocks(
        12,
        ReasonCode.TOO_COMPLEX,
        "the analysis gave up",
        "The exact question was too expensive or outside of what is modelled.",
        "Split the nest; please report loops of a common form.",
    ),
    _blocks(
        13,
        ReasonCode.DEEP_COPY,
        "the data are linked by pointers",
        "They cannot be copied to a device as one section.",
        "Store them in arrays.",
    ),
    Rule(
        "MEM001",
        "note",
        "neighbouring iterations touch memory far apart",
        None,
        "A device fetches memory in sectors of 32 bytes or more. Where the work-units that run together use one "
        "element of each sector, most of what is fetched is thrown away, and the time of the memory grows by as much.",
        "Exchange loops so that the innermost parallel one runs along the rows, or store the members of structures in "
        "arrays of their own.",
    ),
    Rule(
        "MEM002",
        "note",
        "neighbouring iterations touch memory anywhere",
        None,
        "Through an index array, or pointers to rows, each access of a work-unit fetches a sector of its own.",
        "Sort the indices, gather once into an array in the order of use, or store rows in one block.",
    ),
    Rule(
        "RAC001",
        "warning",
        "a race under a directive",
        None,
        "Two threads may be at one place in memory at once, one of them to store there: the result is that of whoever "
        "comes last, or none at all (C11 5.1.2.4p25).",
        "Give each thread a variable of its own (`private`, `firstprivate`, `lastprivate`), let partial results be "
        "merged (`reduction`), or let one thread at a time do it (`atomic`, `critical`, `taskwait`, a barrier). Where "
        "an iteration needs what another one stores, the loop is not parallel as it stands.",
    ),
    Rule(
        "RAC002",
        "warning",
        "a copy without a value, or whose value is lost",
        None,
        "A variable in a `private` clause begins with no value, whatever the variable outside has, and what is left in "
        "it is gone after the construct (OpenMP 5.2 5.4.3).",
        "`firstprivate` copies the value in, `lastprivate` copies that of the last iteration out.",
    ),
    Rule(
        "RAC003",
        "warning",
        "data that the device lacks, or that do not come back",
        None,
        "A construct on a device uses memory of its own: what no clause copies there has no values, and what none "
        "copies back is lost (OpenMP 5.2 5.8).",
        "`map(to: a[0:n])` copies to the device, `map(from: ...)` back, `map(tofrom: ...)` both.",
    ),
    Rule(
        "RAC004",
        "note",
        "threads that wait for each other",
        None,
        "Threads that take turns in one critical section are as fast as one thread, and a line of the cache that "
        "several threads store to goes from one to the other with each store.",
        "Let each thread work on a variable of its own, and merge the results (`reduction`); keep in the critical "
        "section only what is shared; put elements of different threads 64 bytes apart.",
    ),
    _source(
        1,
        "warning",
        "code that cannot be parsed",
        "A declaration or function that does not follow the grammar is left out, with all of its loops; the rest of "
        "the file is kept.",
        "Mend the place that the message names. Code that a compiler takes and this does not is worth a report.",
    ),
    _source(
        2,
        "warning",
        "a type that nothing declares",
        "It is taken as one type of unknown size, so that what is stored through it has no size and no layout.",
        "Add `-I` for the header that declares it, or `-p` for the folder of compile_commands.json.",
    ),
    _source(
        3,
        "warning",
        "a header that is nowhere",
        "An empty one stands in for it: names that it would define become symbols, and its types are not known.",
        "Add `-I` for its folder, or `-p` for the folder of compile_commands.json.",
    ),
    _source(
        4,
        "note",
        "a header that was searched for",
        "No option says where it is; one of this name was found in the project, or comes with the analyzer. The build "
        "may use another.",
        "Add `-I` for its folder, or `-p` for the folder of compile_commands.json.",
    ),
    _source(
        5,
        "note",
        "a build option that is not passed on",
        "compile_commands.json may come with code that is not trusted: only options that define, undefine and find are "
        "taken from it.",
        "Where the option changes what the code means, give it on the command line.",
    ),
    _source(
        6,
        "warning",
        "an error of the preprocessor",
        "What follows the error may be missing from what is analysed.",
        "Do what the message says; a macro that the build defines is given with `-D`.",
    ),
    _source(
        7,
        "warning",
        "a limit was reached",
        "Preprocessing and parsing have limits of time, memory and depth. What lies beyond is not analysed.",
        "Look for a macro or an #include that multiplies; split functions that are nested this deep.",
    ),
    _source(
        8,
        "note",
        "no C compiler was found",
        "The built-in preprocessor and headers were used: the answers are the same for code that needs no more than "
        "the C library.",
        "Install gcc or clang, or name one with `--cc`.",
    ),
    _source(
        9,
        "note",
        "a construct replaced by a guess",
        "Some extensions of compilers have no meaning in the grammar. What is put in their place may differ, and "
        "answers that rest on it say so.",
        "Use standard C where the answer matters.",
    ),
    _source(
        10,
        "error",
        "a file that cannot be read",
        "It is left out.",
        "Check its path and permissions, and that it is text.",
    ),
    Rule(
        "SRC011",
        "warning",
        "a comment for analyze that changes nothing",
        None,
        "It names no rule, stands above no loop, or is misspelt; a fact names what is not there, no answer needs it, "
        "or the code says otherwise.",
        "`// analyze: ignore[DEP001] reason`, `// analyze: independent`, `// analyze: holds injective(idx)`, "
        "`// analyze: size n=4096`.",
    ),
    Rule(
        "SRC900",
        "error",
        "an error of ours",
        ReasonCode.INTERNAL_ERROR,
        "One function is lost; the rest of the run is kept, and the exit code is 3.",
        "Please report it, with the function if you may.",
    ),
)

BY_ID = {rule.id: rule for rule in RULES}
BY_CODE: dict[str, Rule] = {rule.code: rule for rule in RULES if rule.code is not None}
FAMILIES = frozenset(rule.id.rstrip("0123456789") for rule in RULES)
UNREADABLE = "SRC010"
DISOBEYED = "SRC011"
INTERNAL_ERROR = "SRC900"


def explain(rule: Rule) -> str:
    """The page of a rule: what, why, how to fix, a bad and a good example, limits, models used."""
    from textwrap import fill, indent

    from .pages import catalogue, page_of

    def said(label: str, text: str) -> str:
        return fill(text, 100, initial_indent=f"{label:<8}", subsequent_indent=" " * 8, break_on_hyphens=False)

    page = page_of(rule.id)
    reason = f"  (reason code {rule.code})" if rule.code else ""
    parts = [f"{rule.id}  {rule.title}  [{rule.level}]{reason}", "", said("Why", rule.why), said("Fix", rule.fix)]
    more = (("Limits", page.limits), ("Models", page.models), ("See", catalogue(page.also)))
    parts += [said(label, text) for label, text in more if text]
    for label, code in (("Bad", page.bad), ("Good", page.good)):
        options = f" (analyze example.c {page.options})" if page.options else ""
        parts += ["", label + options, "", indent(code, "    ")] if code else []
    return "\n".join(parts) + "\n"
