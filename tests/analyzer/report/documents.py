"""What tests of reports share: fixtures analysed once for all formats, and the schemas that hold of reports."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jsonschema_rs

from analyzer.advise import Context
from analyzer.driver.run import Input, Plan, document, run
from analyzer.report.document import Document
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.catalogue import find_device

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = sorted((ROOT / "fixtures" / "c").glob("*.c"))
SCHEMA = ROOT / "src" / "analyzer" / "report" / "schema.json"
SARIF_SCHEMA = ROOT / "tests" / "facts" / "sarif-schema-2.1.0.json"


@cache
def schema() -> dict[str, Any]:
    """The shipped schema, with unknown members refused: readers must accept them, we must not write them."""
    content: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for part in (content, *content["$defs"].values()):
        if "properties" in part:
            part["additionalProperties"] = False
    jsonschema_rs.meta.validate(content)
    return content


@cache
def validator() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(schema())


@cache
def sarif_validator() -> Any:
    return jsonschema_rs.Draft4Validator(json.loads(SARIF_SCHEMA.read_text(encoding="utf-8")))


def sarif_run(text: str) -> Any:
    """The one run of a SARIF log that the official schema takes."""
    log = json.loads(text)
    sarif_validator().validate(log)
    (found,) = log["runs"]
    return found


@cache
def analysed(path: Path) -> Document:
    """The document of one fixture; what it is made from is kept, for `kept`."""
    plan = _plan()
    return document(run([Input(path)], plan, folder=_answers().name), plan, keep_sources=True)


def kept(path: Path) -> Document:
    """The document from what an earlier analysis of the fixture left in the cache."""
    plan = _plan()
    analysed(path)
    (result,) = run([Input(path)], plan, folder=_answers().name)
    assert result.kept is not None
    assert result.kept.from_cache
    return document([result], plan, keep_sources=True)


def _plan() -> Plan:
    context = Context(find_device("xeon6248"), tuple(map(find_device, ("gtx470", "q8300", "h200"))))
    return Plan(SourceOptions(entry="main"), AnalysisOptions(), context, root=ROOT)


@cache
def _answers() -> TemporaryDirectory[str]:
    """Deleted when the process ends."""
    return TemporaryDirectory(prefix="answers-")
