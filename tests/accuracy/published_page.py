"""The page of times that others published and the program predicts: apart from that of own measurements."""

from collections.abc import Iterable, Iterator

from .join import Statistics, statistics
from .page import WORST, as_time
from .published import Judged

PAGE_NAME = "published.md"
PARTS = {"judge": "judged", "tune": "tuned on"}
BEFORE = {"judge": (74, 1.20, 2.62, 0.65, 0.65, 0.91), "tune": (86, 1.16, 3.16, 0.69, 0.58, 0.90)}
"""Of the same kernels and the measurements of then, before the model was mended: what this page is for."""

HEAD = """# Times of devices that others published

Made by `python -m tests.accuracy --published` from `validation/published/`: figures that others printed, each with
its source, and `validation/published/kernels.c`: what they timed, as plain C of our own. **None of this was measured
here**; own measurements are in [accuracy.md](accuracy.md). Predicted is the time of the kernel on the device with the
data there (`analyze -t DEVICE --resident --size ...`, model extended), with `--mapping naive` where the measured code
has a thread for each iteration as written, and `best` where it was tuned. No copies between host and device are among
them.

Whether a row is there to tune on or to judge on was decided by a hash of device and kernel before anyone looked
(`part` in `tests/accuracy/published.py`), so all sizes of one kernel on one device are in one part. Of those to judge
on only figures were looked at while the model was changed; causes were looked for afterwards. A kernel on other
devices, from the same source, may be in the other part: the parts are less apart than two sources would be.

At first three kernels were not what was timed: the 16 elements of a thread were in a loop, which a mapping divides
among threads, and products with one element for each thread counted as tuned. With those, 90 % were within 3.3
(judged) and 4.5 (tuned on). The figures "before" are of the same model with these mended.
"""

SOURCES = """## What the figures are, and are not

- No figure of a device's file may judge that device. So the triads and copies of BabelStream on K20X, its triads on K40
  and C2070 (large arrays) are not here: the coalesced rates are from there. Nor are gpu-stream's triad, scaled copy and
  sum where rates are from there, the 1 GB copies on V100, and the small arrays of gpu-small-kernels on A100, H200 and
  MI210: their starts of kernels come from those.
- Peaks and sizes of caches of the catalogue are a vendor's, and no measurement.
- V100-SXM2, A100-SXM4-40GB, RTX A6000 and RTX 2080 have published figures, and no entry in the catalogue.
- Sizes that a source does not print are said to be assumed below. Figures of blogs that no measurement seems to stand
  behind are left out.
- Sparse products, histograms and transfers are missing: no table with device, sizes and data was found.
- Causes with "probably" are not verified: nobody could run anything on these devices.
"""


def page(found: Iterable[Judged]) -> str:
    """Markdown: statistics of parts and of devices, the worst ten, all tables with their sources."""
    j = list(found)
    lines = (HEAD, *_parts(j), "", *_devices(j), "", *_worst(j), "", SOURCES, *_tables(j))
    return "\n".join(lines)


def _parts(found: list[Judged]) -> Iterator[str]:
    yield "| part | published | median error factor | 90 % within | within 1.6 | inside the range | tau |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for part, name in PARTS.items():
        yield _line(name, statistics(j.compared for j in found if j.compared.part == part))
    yield _line("all", statistics(j.compared for j in found))
    yield "| wanted | 100 | 1.25 | 1.6 | 90 % | 80 % | 0.9 |"
    for part, (number, factor, ninety, within, inside, tau) in BEFORE.items():
        yield _line(
            f"{PARTS[part]}, before the model was mended",
            Statistics(number, number, factor, ninety, within, inside, tau),
        )


def _line(name: str, s: Statistics) -> str:
    return (
        f"| {name} | {s.timed} | **{s.factor:.2f}** | {s.ninety:.2f} | {s.within:.0%} | {s.inside:.0%} | {s.tau:.2f} |"
    )


def _devices(found: list[Judged]) -> Iterator[str]:
    devices = sorted({j.row.device for j in found})
    yield f"## The {len(devices)} devices"
    yield ""
    yield "| device | published | kernels | median error factor | within 1.6 | inside the range | tau |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for device in devices:
        own = [j for j in found if j.row.device == device]
        s = statistics(j.compared for j in own)
        kernels = len({j.table.kernel for j in own})
        tau = f"{s.tau:.2f}" if len(own) > 2 else ""
        yield f"| {device} | {s.timed} | {kernels} | {s.factor:.2f} | {s.within:.0%} | {s.inside:.0%} | {tau} |"


def _worst(found: list[Judged]) -> Iterator[str]:
    yield f"## The worst {WORST}"
    yield ""
    yield "| device | kernel | sizes | published / likely | part | cause |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for j in worst(found):
        c = j.compared
        yield (
            f"| {_device(j)} | `{c.kernel}` | {_sizes(j)} | {c.ratio:.2f} | {PARTS[c.part]} | "
            f"{j.row.cause or 'not looked into'} |"
        )


def worst(found: Iterable[Judged]) -> list[Judged]:
    """The ten that are furthest off."""
    return sorted(found, key=lambda j: -j.compared.factor)[:WORST]


def _tables(found: list[Judged]) -> Iterator[str]:
    yield "## All"
    yield ""
    for table in dict.fromkeys(id(j.table) for j in found):
        own = [j for j in found if id(j.table) == table]
        yield from _table(own)


def _table(own: list[Judged]) -> Iterator[str]:
    t = own[0].table
    yield f"`{t.kernel}`, {t.precision}, mapping {t.mapping}. Timed: {t.code}."
    yield f"Source: {t.source}." + (f" Assumed: {t.assumed}." if t.assumed else "")
    yield ""
    yield f"| device | sizes | {t.unit} as printed | published | likely | low to high | published / likely | |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for j in own:
        c, p = j.compared, j.compared.predicted
        assert p is not None
        inside = "" if c.is_inside else "outside"
        yield (
            f"| {_device(j)} | {_sizes(j)} | {j.row.value:g} | {as_time(c.measured)} | {as_time(p.likely)} | "
            f"{as_time(p.low)} to {as_time(p.high)} | {c.ratio:.2f} | {inside} |"
        )
    yield ""


def _device(j: Judged) -> str:
    return f"{j.row.device} ({j.row.named})" if j.row.named else j.row.device


def _sizes(j: Judged) -> str:
    return ", ".join(f"{name} = {value}" for name, value in j.row.sizes.items())
