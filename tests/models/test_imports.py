"""models stands alone: it knows no C, and importing it costs little."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "module",
    [
        "models", "models.expr", "models.workload", "models.boathull", "models.table1", "models.catalogue",
        "models.cli", "models.documents", "models.rules", "models.systems", "models.reproduce",
    ],
)  # fmt: skip
def test_nothing_heavy_is_imported(module: str) -> None:
    script = (
        f"import sys, {module}; "
        "print(*sorted({'numpy', 'networkx', 'pycparser', 'analyzer', 'islpy', 'rich', 'jinja2'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_a_prediction_imports_no_other_command() -> None:
    script = (
        "import sys; from models.cli import main; "
        "main(['predict', '8|element -> 8|element', '--complexity', '1', '-t', 'gtx470']); "
        "print(*sorted(m for m in sys.modules if m.startswith(('models.commands.', 'models.reproduce'))))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].split() == ["models.commands.arguments", "models.commands.predict"]
