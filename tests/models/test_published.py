"""The files of printed figures: complete, with units and sources; what breaks their rules is refused."""

from pathlib import Path

import pytest

from models.errors import InputError
from models.published import read_tables, tables

GOOD = 'source = "s"\nkind = "published"\nunits = { t = "us" }\n'


@pytest.mark.parametrize("name", ["perdome", "communication", "dnn"])
def test_shipped_files_keep_the_rules(name: str) -> None:
    for table in tables(name).values():
        assert table.source
        assert table.rows


def test_numbers_are_in_si() -> None:
    assert tables("perdome")["processors"].row(id="gtx750")["flop_time"] == pytest.approx(1.9e-12)
    assert tables("communication")["systems"].row(id="jetstream")["network"] == pytest.approx(0.34e9)


def test_a_row_that_is_not_there() -> None:
    with pytest.raises(InputError, match="Table 1 has no rows for id gtx470; it has gtx750; gtxtitan; i3-2100t"):
        tables("perdome")["processors"].row(id="gtx470")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[a]\n" + GOOD + 'rows = [{ t = "fast" }]', None),
        ("[a]\n" + GOOD + "rows = [{ t = nan }]", "no finite number"),
        ("[a]\n" + GOOD + "rows = [{ t = true }]", "neither text nor a number"),
        ("[a]\n" + GOOD + "rows = [{ t = 1, u = 2 }]", "u: 2 is neither text nor a number with a unit"),
        ("[a]\n" + GOOD + "rows = [{ t = 1 }, { u = 1 }]", "row 2 must have the columns t"),
        ("[a]\n" + GOOD + 'rows = []\nextra = "x"', "nothing else"),
        ("[a]\n" + GOOD.replace("us", "fortnights") + "rows = [{ t = 1 }]", "unknown unit 'fortnights'"),
        ("[a]\n" + GOOD.replace("published", "guessed") + "rows = [{ t = 1 }]", "kind is 'guessed'"),
        ("[a]\nrows = [{ t = 1 }]", "needs source"),
        ("a = 1", "needs source"),
        ("a = ", "a.toml"),
    ],
)
def test_refusals(text: str, reason: str | None, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=reason or "neither text nor a number"):
        read_tables(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.toml"):
        read_tables(tmp_path / "none.toml")
