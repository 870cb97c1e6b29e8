"""JSON: the shipped schema describes all of it, every value reads back, clear words for what is no report. That the
reports of all fixtures are valid is in `test_fixture_reports`."""

import json
import re
from pathlib import Path
from typing import get_args

import pytest
from jsonschema_rs import Draft202012Validator
from msgspec import Struct
from msgspec.structs import replace

from analyzer.base.errors import InputError
from analyzer.idioms import IDIOMS
from analyzer.ir.reasons import ReasonCode
from analyzer.report import document as entries
from analyzer.report.codec import from_json, plain, to_json
from analyzer.report.document import CountEntry
from analyzer.report.formats import RENDERERS, render
from analyzer.report.formula import Formula
from models.prediction import RefusalCode

from .documents import FIXTURES, analysed, schema


def test_the_schema_describes_every_member() -> None:
    described = {**schema()["$defs"], "Document": schema()}
    for name, part in described.items():
        if "properties" in part:
            members = getattr(entries, name).__struct_fields__
            left_out = getattr(getattr(entries, name), "LEFT_OUT", ())
            assert list(part["properties"]) == [field.rstrip("_") for field in members], name
            always = [field.rstrip("_") for field in members if field not in left_out]
            assert list(part["required"]) == always, name
    own = {name: value for name, value in vars(entries).items() if isinstance(value, type) and value is not Struct}
    assert {name for name, value in own.items() if issubclass(value, Struct)} <= set(described)


def test_reason_codes_are_those_of_the_schema() -> None:
    listed = schema()["$defs"]["ReasonCode"]["enum"]
    assert listed == [code.value for code in ReasonCode], "ReasonCode in report/schema.json"
    assert set(get_args(RefusalCode)) <= set(ReasonCode)


def test_idioms_are_those_of_the_schema() -> None:
    listed = schema()["$defs"]["IdiomEntry"]["properties"]["idiom"]["enum"]
    assert set(listed) == {"stream", *(name for name, _ in IDIOMS)}, "the idioms in report/schema.json"


@pytest.mark.parametrize("format_", RENDERERS)
def test_a_reason_code_of_a_later_version_is_shown(format_: str) -> None:
    data = json.loads(to_json(analysed(FIXTURES[0])))
    for loop in data["files"][0]["loops"]:
        loop["recommendation"]["reason"]["code"] = "of-a-later-version"
    assert render(from_json(json.dumps(data), "saved"), format_)


@pytest.mark.parametrize(("value", "written"), [(2**53, 2**53), (2**53 + 1, str(2**53 + 1)), (-(2**60), str(-(2**60)))])
def test_integers_that_other_readers_would_round_are_strings(value: int, written: object) -> None:
    count = CountEntry(Formula("n"), value, None, None, True, (), None, None)
    assert plain(count)["value"] == written
    assert not list(
        Draft202012Validator(schema()["$defs"]["CountEntry"] | {"$defs": schema()["$defs"]}).iter_errors(plain(count))
    )


def test_large_integers_read_back() -> None:
    made = analysed(FIXTURES[0])
    loop = made.files[0].loops[0]
    huge = replace(loop, trip_count=CountEntry(Formula("n"), 3**60, 3**60, 3**60, True, (), None, None))
    changed = replace(made, files=(replace(made.files[0], loops=(huge,)),))
    assert from_json(to_json(changed), "saved") == changed


def test_lists_that_earlier_reports_lack_are_empty() -> None:
    made = analysed(FIXTURES[0])
    data = json.loads(to_json(made))
    for loop in data["files"][0]["loops"]:
        for name in ("first_private", "inductions", "rewrites"):
            del loop[name]
    read = from_json(json.dumps(data), "saved")
    assert all((one.first_private, one.inductions, one.rewrites) == ((), (), ()) for one in read.files[0].loops)


def test_members_of_a_later_version_are_ignored() -> None:
    made = analysed(FIXTURES[0])
    data = json.loads(to_json(made))
    data["new"] = {"a": 1}
    data["files"][0]["new"] = 2
    assert from_json(json.dumps(data), "saved") == made


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[]", 'schema_version "1", found none'),
        ('{"schema_version": "2"}', "found '2'"),
        ('{"schema_version": "1"}', "report.tool is missing"),
        ('{"schema_version": "1", "tool": 3}', "report.tool cannot be 3"),
    ],
)
def test_what_is_no_report_is_said(text: str, said: str) -> None:
    with pytest.raises(InputError, match=r"saved\.json") as caught:
        from_json(text, "saved.json")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("files/0/loops/0/parallel", "maybe", 'report.files[0].loops[0].parallel cannot be "maybe"'),
        ("files/0/loops/0/line", True, "report.files[0].loops[0].line cannot be true"),
        ("files/0/loops/0/counts/loads/exact", None, "report.files[0].loops[0].counts.loads.exact cannot be null"),
        ("summary/verdicts", {"host": "x"}, 'report.summary.verdicts.host cannot be "x"'),
        ("targets", {}, "report.targets cannot be {}"),
    ],
)
def test_the_place_of_what_is_wrong_is_named(path: str, value: object, said: str) -> None:
    sample = Path(__file__).parents[3] / "reports" / "perdome.json"
    data = json.loads(sample.read_text(encoding="utf-8"))
    *parents, last = path.split("/")
    part = data
    for name in parents:
        part = part[int(name)] if name.isdigit() else part[name]
    part[last] = value
    with pytest.raises(InputError) as caught:
        from_json(json.dumps(data), "saved.json")
    assert str(caught.value) == f"saved.json: {said}"


def test_a_count_and_a_term_stand_on_a_line_each() -> None:
    text = (Path(__file__).parents[3] / "reports" / "perdome.json").read_text(encoding="utf-8")
    assert to_json(from_json(text, "perdome.json")) == text
    assert re.search(r'^ +"loads": \{"expr": .*\},$', text, re.M)
    assert re.search(r'^ +\{"name": "w", "expr": .*\},$', text, re.M)
