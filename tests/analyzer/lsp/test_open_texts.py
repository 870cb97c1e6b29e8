"""Only the newest text counts: what is shown, what is waited for, and what is worked on."""

import asyncio
from collections.abc import Callable, Coroutine

from analyzer.lsp.open_texts import OpenTexts, Version

URI = "file:///a.c"


class Desk:
    """Answers are the texts in capitals, each once it is let go; `stopped`: texts whose work was cancelled."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.stopped: list[str] = []
        self.shown: list[tuple[str, int | None, str]] = []
        self.gates: dict[str, asyncio.Event] = {}
        self.texts: OpenTexts[str] = OpenTexts(self.ask, self.show, most=2, delay_s=0)

    async def ask(self, uri: str, text: str) -> str:
        self.begun.append(text)
        try:
            await self.gates.setdefault(text, asyncio.Event()).wait()
        except asyncio.CancelledError:
            self.stopped.append(text)
            raise
        return text.upper()

    def show(self, uri: str, version: Version[str]) -> None:
        self.shown.append((uri, version.number, version.answer))

    def let(self, text: str) -> None:
        self.gates.setdefault(text, asyncio.Event()).set()

    async def until(self, text: str) -> None:
        while text not in self.begun:
            await asyncio.sleep(0)


def run(scenario: Callable[[Desk], Coroutine[None, None, None]]) -> Desk:
    async def all_of_it() -> Desk:
        desk = Desk()
        async with asyncio.timeout(10):
            await scenario(desk)
        return desk

    return asyncio.run(all_of_it())


def test_an_answer_to_an_older_text_is_never_shown() -> None:
    async def scenario(desk: Desk) -> None:
        desk.texts.set(URI, 1, "one")
        await desk.until("one")
        desk.let("one")  # its answer is ready, and a newer text comes before anybody has looked
        desk.texts.set(URI, 2, "two")
        await desk.until("two")
        desk.let("two")
        await desk.texts.newest(URI)

    desk = run(scenario)
    assert desk.shown == [(URI, 2, "TWO")]
    assert desk.stopped == ["one"]


def test_whoever_waits_gets_the_answer_to_the_newest_text() -> None:
    async def scenario(desk: Desk) -> None:
        desk.texts.set(URI, 1, "one")
        waiting = asyncio.ensure_future(desk.texts.newest(URI))
        await desk.until("one")
        desk.texts.set(URI, 2, "two", typed=True)
        desk.let("two")
        found = await waiting
        assert found is not None
        assert (found.number, found.answer) == (2, "TWO")

    run(scenario)


def test_who_stops_waiting_does_not_stop_the_work() -> None:
    async def scenario(desk: Desk) -> None:
        desk.texts.set(URI, 1, "one")
        waiting = asyncio.ensure_future(desk.texts.newest(URI))
        await desk.until("one")
        waiting.cancel()
        desk.let("one")
        assert await desk.texts.newest(URI) == Version(1, "ONE")

    assert run(scenario).stopped == []


def test_a_text_that_is_closed_has_no_answer() -> None:
    async def scenario(desk: Desk) -> None:
        desk.texts.set(URI, 1, "one")
        waiting = asyncio.ensure_future(desk.texts.newest(URI))
        await desk.until("one")
        desk.texts.close(URI)
        assert await waiting is None
        assert await desk.texts.newest(URI) is None
        desk.texts.close(URI)

    desk = run(scenario)
    assert desk.shown == []
    assert desk.stopped == ["one"]


def test_so_many_texts_are_worked_on_at_a_time() -> None:
    async def scenario(desk: Desk) -> None:
        for number in range(4):
            desk.texts.set(f"file:///{number}.c", 1, f"text{number}")
        await desk.until("text1")
        for _ in range(20):
            await asyncio.sleep(0)
        assert len(desk.begun) == 2
        for number in range(4):
            desk.let(f"text{number}")
        for number in range(4):
            await desk.texts.newest(f"file:///{number}.c")

    assert len(run(scenario).shown) == 4


def test_all_is_analysed_again_but_what_is_worked_on() -> None:
    async def scenario(desk: Desk) -> None:
        other = "file:///b.c"
        desk.texts.set(URI, 1, "one")
        desk.texts.set(other, 7, "other")
        desk.let("other")
        await desk.texts.newest(other)
        desk.texts.again(but_working_on=URI)
        desk.let("one")
        await desk.texts.newest(URI)
        await desk.texts.newest(other)
        assert desk.begun == ["one", "other", "other"]
        desk.texts.again(but_working_on=URI)
        await desk.texts.newest(URI)

    desk = run(scenario)
    assert desk.begun.count("one") == 2
    assert desk.stopped == []
