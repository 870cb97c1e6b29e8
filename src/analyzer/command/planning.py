"""From settings to the plan of a run: devices, sizes, profiles and systems are looked up, and refused where there are
none of that name."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from models.catalogue import CatalogueError, Device, find_device
from models.overrides import overridden, parts_of

from ..advise import MODELS, Context
from ..advise.compiling import vectors_by_flags
from ..base.errors import InputError
from ..base.places import Place
from ..dependence.held_conditions import OF_LINES, condition, not_a_condition
from ..driver.run import Plan
from ..settings.config import Settings
from ..settings.facts import Fact, read_facts
from ..settings.options import AnalysisOptions, SourceOptions, check_macros
from ..sizes.values import parse_size, sizes_in

if TYPE_CHECKING:
    from models.communication.roofs import System

    from ..profiles.model import Profile


def from_entry(plan: Plan, entry: str | None, *, sizes_only: bool = False) -> Plan:
    """The plan with the sizes that the program fixes itself and, unless they are all that is wanted, with the program
    as a whole, where there is an accelerator that parts of it could run on."""
    has_choice = any(device.kind != "cpu" for device in plan.context.targets)
    if entry is not None and not has_choice:
        raise InputError(f"--entry {entry}: give an accelerator with --target, so that there is a choice")
    source = replace(plan.source, entry=entry or "main", sizes_only=sizes_only or not has_choice)
    return replace(plan, entry=entry, source=source)


def with_trees(plan: Plan) -> Plan:
    """The plan with the directories among its paths, in which headers are looked for."""
    trees = {os.path.realpath(path) for path in plan.paths if os.path.isdir(path)}
    return replace(plan, source=replace(plan.source, trees=tuple(sorted(trees))))


def _wants_details(chosen: Settings) -> bool:
    """Whether some output shows the arithmetic of all predictions, which is most of a run's work."""
    return _shows(chosen, "json", "jsonl", "html")


def _shows(chosen: Settings, *formats: str) -> bool:
    return any(item.partition("=")[0] in formats for item in chosen["format"])


def _refuse_idle(settings: Sequence[str], devices: Sequence[Device]) -> None:
    """InputError for a --set of a device that is not asked for."""
    known = [device.id for device in devices]
    for text in settings:
        if parts_of(text)[0] not in known:
            raise CatalogueError(f"--set {text}: no such device here; the host and targets are {', '.join(known)}")


def plan_of(chosen: Settings) -> Plan:
    """The plan that the settings ask for, without the program as a whole. InputError for what cannot be."""
    if chosen["model"] not in MODELS:
        raise InputError(f"unknown model {chosen['model']!r}; known: {', '.join(MODELS)}")
    if chosen["resident"] and not MODELS[chosen["model"]].without_copies:
        able = ", ".join(name for name, model in MODELS.items() if model.without_copies)
        raise InputError(f"--resident: the model {chosen['model']} has no times without copies; known for {able}")
    if not 0 < chosen["min-speedup"] < float("inf"):
        raise InputError("--min-speedup must be a number above 0")
    try:
        host = overridden(find_device(chosen["host"]), chosen["set"])
        targets = tuple(dict.fromkeys(chosen["target"]))
        devices = tuple(overridden(find_device(name), chosen["set"]) for name in targets)
        _refuse_idle(chosen["set"], (host, *devices))
    except CatalogueError as error:
        raise InputError(f"{error} (see --list-targets)") from None
    if host.kind != "cpu":
        raise InputError(f"--host {host.id}: the host runs C code today, so it must be a CPU")
    check_macros("-D", chosen["define"])
    check_macros("-U", chosen["undefine"])
    facts = _facts(chosen)
    return Plan(
        source=SourceOptions(
            defines=chosen["define"],
            undefines=chosen["undefine"],
            includes=chosen["include"],
            standard=chosen["std"],
            compiler=chosen["cc"],
            abi=chosen["abi"],
            build_dir=chosen["build-dir"],
            facts=facts,
        ),
        analysis=AnalysisOptions(
            chosen["assume"], chosen["strict-fp"], chosen["count-as"], mapped=any(d.kind == "gpu" for d in devices)
        ),
        context=Context(
            host,
            devices,
            chosen["model"],
            chosen["min-speedup"],
            _wants_details(chosen),
            count_as=chosen["count-as"],
            resident=chosen["resident"],
            mapping=chosen["mapping"],
            cflags=chosen["cflags"],
            compiled=vectors_by_flags(chosen["cflags"]),
        ),
        detail=chosen["detail"],
        changes=_shows(chosen, "text", "json", "jsonl", "html", "sarif"),
        sizes=(*sizes_in(facts), *(parse_size(text, _size_source(chosen)) for text in chosen["size"])),
        profile=_profile(chosen["profile"]),
        network=_network(chosen["network"]),
        ranks=_ranks(chosen["ranks"]),
    )


def _facts(chosen: Settings) -> tuple[Fact, ...]:
    """What facts files and options say. InputError, with its place, for what cannot be meant."""
    said = tuple(fact for name in chosen["facts"] for fact in read_facts(Path(name)))
    for fact in said:
        if fact.kind == "holds":
            _check_condition(fact)
    facts = (*said, *(Fact("alloc", name, Place("--alloc", 0)) for name in chosen["alloc"]))
    for fact in facts:
        if fact.kind == "alloc" and not fact.text.isidentifier():
            raise InputError(f"alloc {fact.text}: no name of a function", fact.said if fact.said.line else None)
    return facts


def _check_condition(fact: Fact) -> None:
    known = condition(fact.text)
    if known is None:
        raise InputError(not_a_condition(fact.text), fact.said)
    if known[0] in OF_LINES and fact.function is None:
        raise InputError(f"holds {fact.text}: {known[0]} needs the function that the line is in", fact.said)


def _size_source(chosen: Settings) -> str:
    return "option" if chosen.origin["size"] == "command line" else "configuration"


def _profile(names: tuple[str, ...]) -> "Profile | None":
    if not names:
        return None
    from ..profiles.reading import read_profiles

    return read_profiles(names)


def _network(name: str | None) -> "System | None":
    if name is None:
        return None
    from models.communication import system_named
    from models.errors import InputError as ModelInputError

    try:
        return system_named(name)
    except ModelInputError as error:
        raise InputError(f"--network {error}") from None


def _ranks(number: int | None) -> int | None:
    if number is not None and number < 1:
        raise InputError(f"--ranks {number}: a program has at least 1 process")
    return number
