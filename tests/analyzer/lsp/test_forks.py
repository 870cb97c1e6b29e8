"""Work in copies of a process: answered, stopped, lost. In a process of its own, since a copy is made before there are
threads."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="there is no fork")
SOURCES = Path(__file__).resolve().parents[3] / "src"

HEAD = """
import asyncio, os, sys, time
from analyzer.lsp.forks import Forks, LostError

def work(question):
    kind, value = question
    if kind == "die":
        os._exit(9)
    if kind == "sleep":
        open(value, "w").close()
        time.sleep(0.5)
        os.rename(value, value + ".done")
    if kind == "print":
        print("this is no message of the protocol")
        return sys.stdin.read()
    return value, os.getpid()

forks = Forks(work, ("colorsys", "there.is.no.such.module"))
"""


def ran(code: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", HEAD + code],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PYTHONPATH": str(SOURCES), "PATH": "/usr/bin:/bin"},
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout


def test_each_question_has_a_process_of_its_own(tmp_path: Path) -> None:
    out = ran(
        """
async def main():
    many = await asyncio.gather(*(forks.ask(("say", "x" * n)) for n in (1, 2, 300_000)))
    return [len(text) for text, _ in many], len({pid for _, pid in many} | {os.getpid()})
print(asyncio.run(main()))
""",
        tmp_path,
    )
    assert out == "([1, 2, 300000], 4)\n"


def test_what_it_prints_does_not_reach_standard_output(tmp_path: Path) -> None:
    assert ran('print(repr(asyncio.run(forks.ask(("print", None)))))', tmp_path) == "''\n"


def test_a_process_that_dies_costs_one_answer(tmp_path: Path) -> None:
    out = ran(
        """
async def main():
    try:
        await forks.ask(("die", None))
    except LostError as error:
        print(error)
    print((await forks.ask(("say", "well")))[0])
asyncio.run(main())
""",
        tmp_path,
    )
    assert out == "the process that analysed this text ended before it was done\nwell\n"


def test_work_that_nobody_waits_for_is_stopped(tmp_path: Path) -> None:
    ran(
        f"""
async def main():
    task = asyncio.ensure_future(forks.ask(("sleep", {str(tmp_path / "begun")!r})))
    while not os.path.exists({str(tmp_path / "begun")!r}):
        await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.sleep(1)
    await forks.ask(("say", "well"))
asyncio.run(main())
""",
        tmp_path,
    )
    assert [path.name for path in tmp_path.iterdir()] == ["begun"]


def test_without_fork_work_is_done_in_a_thread(tmp_path: Path) -> None:
    out = ran(
        """
del os.fork
other = Forks(work)
value, pid = asyncio.run(other.ask(("say", "well")))
other.close()
print(value, pid == os.getpid())
""",
        tmp_path,
    )
    assert out == "well True\n"


def test_nothing_can_be_asked_after_the_end(tmp_path: Path) -> None:
    out = ran(
        """
forks.close()
try:
    asyncio.run(forks.ask(("say", "x")))
except LostError as error:
    print(error)
""",
        tmp_path,
    )
    assert out == "the process that answers is gone; start the server again\n"
