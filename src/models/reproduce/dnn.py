"""Tables 3.6 to 3.8 of Cardwell 2019 and the worked example of section 3.9."""

from collections.abc import Iterator

from ..accuracy import mape, percentage_error
from ..dnn import dense_bytes, network, predict, systems
from ..published import tables
from .line import Line

PAPER = "dnn"
BATCHES = (32, 64, 128)


def lines() -> Iterator[Line]:
    for system, table in (("carbonate", "Table 3.6"), ("bridges", "Table 3.7")):
        for batch in BATCHES:
            yield from _cells(system, table, batch)
    for system in ("carbonate", "bridges"):
        for batch in BATCHES:
            yield _mean(system, batch)
    yield from _example()


def _cells(system: str, table: str, batch: int) -> Iterator[Line]:
    for row in predict(network(), batch, systems()[system]):
        cell = tables("dnn")["results"].row(system=system, batch=batch, name=row.name)
        name = f"{system}, batch {batch}, {row.name}"
        published, computed = cell["predicted"] * 1e6, row.time * 1e6
        note = "printed without decimals" if row.kind != "dense" else ""
        yield Line(PAPER, table, name, "predicted", "us", round(published), computed, note)
        error = percentage_error(cell["measured"], row.time)
        note = "30 operations per sigmoid, which the errors imply" if row.kind == "sigmoid" else ""
        yield Line(PAPER, table, name, "error", "%", cell["error"], error, note)


def _mean(system: str, batch: int) -> Line:
    rows = predict(network(), batch, systems()[system])
    measured = [tables("dnn")["results"].row(system=system, batch=batch, name=row.name)["measured"] for row in rows]
    published = tables("dnn")["mape"].row(system=system, batch=batch)["mape"]
    computed = mape(measured, [row.time for row in rows])
    return Line(PAPER, "Table 3.8", f"{system}, batch {batch}", "MAPE", "%", published, computed)


def _example() -> Iterator[Line]:
    example = tables("dnn_example")["example"].rows[0]
    carbonate, table, name = systems()["carbonate"], "§3.9, example", "fc1, batch 128, carbonate"
    m, k, n = 128, 784, 50
    operations, moved = m * k * n, dense_bytes(m, k, n)
    rate, roof = carbonate.gemm(m, k, n), operations / moved * carbonate.memory
    yield Line(PAPER, table, name, "operations", "1", example["operations"], operations, "one per multiply-add")
    note = "the printed figure is ten times the quotient of its own numbers"
    yield Line(PAPER, table, name, "f", "GFLOP/s", example["rate"] / 1e9, rate / 1e9, note)
    note = "the printed intensity is per element of 4 bytes"
    yield Line(PAPER, table, name, "OI", "flop/B", example["intensity"], operations / moved, note)
    yield Line(PAPER, table, name, "OI per element", "1", example["intensity"], 4 * operations / moved)
    note = "from the intensity per byte; the choice of f is the same"
    yield Line(PAPER, table, name, "roof", "GFLOP/s", example["roof"] / 1e9, roof / 1e9, note)
