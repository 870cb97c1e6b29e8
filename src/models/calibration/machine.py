"""What Linux says of the machine's processors: cores, caches, memory, and how busy they are."""

import os
from pathlib import Path

from msgspec import Struct

from ..errors import InputError

_SYSTEM = Path("/sys/devices/system/cpu")
_NAMES = ("model name", "Model", "Hardware")


class Machine(Struct, frozen=True):
    """`cores` that this process may use, and their hardware `threads`; caches in bytes, of one core, `l3` in all; 0:
    there is none. `load`: processes that were waiting or running in the last minute."""

    name: str
    cores: int
    threads: int
    l1: int
    l2: int
    l3: int
    memory: int
    load: float

    @property
    def is_busy(self) -> bool:
        return self.load > 0.5 * self.cores


def this_machine(system: Path = _SYSTEM) -> Machine:
    """InputError where the system does not say what its caches are."""
    try:
        usable = sorted(os.sched_getaffinity(0))
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        load = os.getloadavg()[0]
    except (AttributeError, OSError, ValueError) as error:
        raise InputError(f"this system cannot be measured: {error} (only Linux can)") from error
    cores = {_core(system / f"cpu{number}", number) for number in usable}
    caches = _caches(system / f"cpu{usable[0]}" / "cache")
    if 1 not in caches:
        raise InputError(f"{system} does not say how large the first cache is: this machine cannot be measured")
    sizes = {level: size for level, (size, _) in caches.items()}
    groups = {_shared(system / f"cpu{number}" / "cache", 3) for number in usable}
    return Machine(
        name=_name(),
        cores=len(cores),
        threads=len(usable),
        l1=sizes[1],
        l2=sizes.get(2, 0),
        l3=sizes.get(3, 0) * len(groups),
        memory=memory,
        load=load,
    )


def _core(folder: Path, number: int) -> tuple[str, str]:
    """The same for hardware threads of one core."""
    topology = folder / "topology"
    return _text(topology / "physical_package_id"), _text(topology / "core_id") or str(number)


def _caches(folder: Path) -> dict[int, tuple[int, str]]:
    """Bytes of the data caches by level, and the processors that share each."""
    found = {}
    for entry in sorted(folder.glob("index*")):
        if _text(entry / "type") in ("Data", "Unified") and _text(entry / "level").isdecimal():
            shared = _text(entry / "shared_cpu_list")
            found[int(_text(entry / "level"))] = (_bytes(_text(entry / "size")), shared)
    return found


def _shared(folder: Path, level: int) -> str:
    return _caches(folder).get(level, (0, ""))[1]


def _bytes(text: str) -> int:
    """Example: `_bytes("32K")` is 32768."""
    unit = {"K": 2**10, "M": 2**20, "G": 2**30}.get(text[-1:], 1)
    digits = text.rstrip("KMG")
    return int(digits) * unit if digits.isdecimal() else 0


def _name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # no more than a name is missing
        lines = []
    pairs = (line.partition(":") for line in lines)
    named = {key.strip(): value.strip() for key, _, value in pairs}
    return next((named[key] for key in _NAMES if named.get(key)), "this machine")


def _text(path: Path) -> str:
    """What a file of the system says; nothing where there is no such file."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""
