"""Reports of many programs, kept, and compared with those of another tree: what a redesign must not change.

    python -m tests.frozen.reports save FOLDER [NAME=DIR ...]        the reports of the fixtures and of these programs
    python -m tests.frozen.reports compare FOLDER [NAME=DIR ...]     which fields of which loops have changed since

A report is the JSON Lines of one run with two targets, without a cache, from inside the folder of the program, so that
paths in it are the same everywhere. Everything in it counts but the version of the tool. Exit status 1 where
something differs. Other programs (PolyBench/C, NPB, TSVC) are not part of this repository: name their folders.
"""

import argparse
import gzip
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "c"
COMMAND = (sys.executable, "-c", "import sys; from analyzer.command.cli import main; sys.exit(main(sys.argv[1:]))")
OPTIONS = ("-t", "h200", "-t", "gtx470", "-f", "jsonl", "--no-cache", "--fail-on", "never")
MOST_PRINTED = 40

Lines = Mapping[str, Any]


def report(folder: Path) -> str:
    """The report of all C files below a folder. RuntimeError where the run ended in an error of ours."""
    done = subprocess.run([*COMMAND, ".", *OPTIONS], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        raise RuntimeError(f"{folder}: exit {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def entries(text: str) -> dict[str, Lines]:
    """The lines of a report by what they are of: a loop, a diagnostic, the run, the summary."""
    found: dict[str, Lines] = {}
    for line in text.splitlines():
        value = json.loads(line)
        value.pop("tool", None)
        kind = value["kind"]
        name = value["id"] if kind == "loop" else kind
        if kind == "diagnostic":
            name = f"{value['path']}:{value['line']}:{value['column']}: {value['rule']} {value['message']}"
        while name in found:
            name += " again"
        found[name] = value
    return found


def differences(old: Any, new: Any, at: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Where two JSON values differ: the field (without positions in lists), the old value, the new one.

    Example: `list(differences({"a": 1}, {"a": 2})) == [("a", 1, 2)]`."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            yield from differences(old.get(key), new.get(key), f"{at}.{key}".lstrip("."))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for a, b in zip(old, new, strict=True):
            yield from differences(a, b, f"{at}[]")
    elif old != new or type(old) is not type(new):
        yield at, old, new


def compared(name: str, old: str, new: str) -> tuple[list[str], Counter[str]]:
    """One line of text per difference, and how often each field differs."""
    before, after = entries(old), entries(new)
    said = [f"{name}: {key}: gone" for key in before if key not in after]
    said += [f"{name}: {key}: new" for key in after if key not in before]
    fields = Counter({"(gone)": len(before.keys() - after.keys()), "(new)": len(after.keys() - before.keys())})
    for key in before.keys() & after.keys():
        for field, a, b in differences(before[key], after[key]):
            fields[field] += 1
            said.append(f"{name}: {key}: {field}: {_short(a)} -> {_short(b)}")
    return sorted(said), +fields


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else text[:157] + "..."


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="frozen", description=__doc__)
    parser.add_argument("what", choices=("save", "compare"))
    parser.add_argument("folder", type=Path, help="where the reports are")
    parser.add_argument("programs", nargs="*", metavar="NAME=DIR", help="programs beside the fixtures")
    parser.add_argument("--all", action="store_true", help="print all differences")
    chosen = parser.parse_args(arguments)
    programs = {"fixtures": FIXTURES} | {n: Path(d) for n, _, d in (p.partition("=") for p in chosen.programs)}
    chosen.folder.mkdir(parents=True, exist_ok=True)
    different = 0
    for name, folder in programs.items():
        kept, text = chosen.folder / f"{name}.jsonl.gz", report(folder)
        if chosen.what == "save":
            kept.write_bytes(gzip.compress(text.encode(), mtime=0))
            print(f"{name}: {len(entries(text))} lines")
            continue
        said, fields = compared(name, gzip.decompress(kept.read_bytes()).decode(), text)
        different += len(said)
        print(f"{name}: {len(entries(text))} lines, {len(said)} differences")
        for field, times in fields.most_common():
            print(f"  {times:6}  {field}")
        for line in said if chosen.all else said[:MOST_PRINTED]:
            print(f"  {line}")
    return int(bool(different))


if __name__ == "__main__":
    sys.exit(main())
