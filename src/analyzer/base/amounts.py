"""Numbers for people: three digits and an SI prefix. The program itself computes in SI units without prefixes."""

COUNTS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
BYTES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))
SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


def amount(value: float) -> str:
    """Example: `amount(1048576)` is `1.05 M`."""
    return _scaled(value, COUNTS).strip()


def size(value: float) -> str:
    """Bytes. Example: `size(4194304)` is `4.19 MB`."""
    return _scaled(value, BYTES)


def time(value: float) -> str:
    """Seconds. Example: `time(0.000711)` is `711 us`."""
    return _scaled(value, SECONDS)


def span(low: float, high: float) -> str:
    """Two times. Example: `span(44e-6, 711e-6)` is `44 to 711 us`."""
    first, last = time(low), time(high)
    return f"{first.split()[0] if first.split()[1] == last.split()[1] else first} to {last}"


def factor(value: float) -> str:
    """A ratio, with the digits that a model is good for. Examples: `1.5x`, `23x`, `0.04x`, `370x` of 373."""
    return f"{float(f'{value:.2g}'):.0f}x" if value >= 9.95 else f"{value:.2g}x"


def faster(speedup: float) -> str:
    """Of a whole program. Examples: `47x faster`, `less than 5 % faster`."""
    gain = factor(speedup)
    return "less than 5 % faster" if gain == "1x" else f"{gain} faster"


def threshold(value: int) -> str:
    """A size from which something holds, rounded up to the digits that a model is good for: it holds from there on.
    Example: `3200` of 3105."""
    unit = 10 ** max(0, len(str(value)) - 2)
    return str(-(-value // unit) * unit)


def _scaled(value: float, steps: tuple[tuple[float, str], ...]) -> str:
    """With the largest unit that leaves a whole part."""
    scale, unit = next((s for s in steps if abs(value) >= 0.9995 * s[0]), steps[-1])
    number = value / scale
    return f"{number:.0f} {unit}" if abs(number) >= 99.95 else f"{number:.3g} {unit}"
