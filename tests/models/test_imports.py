"""models stands alone: it knows no C, and importing it costs little."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "module",
    [
        "models", "models.expr", "models.workload", "models.boathull", "models.table1", "models.catalogue",
        "models.cli", "models.documents",
    ],
)  # fmt: skip
def test_nothing_heavy_is_imported(module: str) -> None:
    script = (
        f"import sys, {module}; "
        "print(*sorted({'numpy', 'networkx', 'pycparser', 'analyzer', 'islpy', 'rich', 'jinja2'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
