"""`boathull COMMAND` in this process."""

import json

import pytest

from models.cli import main


def ran(command: str, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    code = main((command, *arguments))
    output = capsys.readouterr()
    return code, output.out, output.err


def document(command: str, capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:  # type: ignore[type-arg]
    """The JSON of a run without an error."""
    code, out, err = ran(command, capsys, *arguments, "-f", "json")
    assert (code, err) == (0, "")
    return json.loads(out)  # type: ignore[no-any-return]
