"""Loads C text as a unit."""

from collections.abc import Callable
from pathlib import Path

import pytest

from analyzer.settings.options import SourceOptions
from analyzer.source import load_unit
from analyzer.source.unit import Unit

Loader = Callable[..., Unit]


@pytest.fixture
def load(tmp_path: Path) -> Loader:
    """`load(text, "other.h"=text, ..., options=SourceOptions(...))` writes the files and loads the first as `t.c`."""

    def loaded(text: str | bytes, files: dict[str, str] | None = None, **options: object) -> Unit:
        for name, content in (files or {}).items():
            target = tmp_path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content)
        path = tmp_path / "t.c"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return load_unit(path, SourceOptions(**options), root=tmp_path)  # type: ignore[arg-type]

    return loaded
