"""The texts that are open in the editor: each is analysed a moment after it was changed, and only the newest counts.

*Decides*: what is shown is always of the text as it is now. A change stops the work on the text before it, so that its
answer can neither be shown nor keep the next one waiting. Whoever asks about a text waits for the answer to the newest.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Generic, TypeVar

from msgspec import Struct

Answer = TypeVar("Answer")
DELAY_S = 0.05
"""A text that is typed is left alone for so long before it is analysed."""


class Version(Struct, Generic[Answer], frozen=True):
    """An answer, and the number that the editor gave the text that it is about."""

    number: int | None
    answer: Answer


class OpenTexts(Generic[Answer]):
    """Texts by URI. `ask` works out an answer, and `show` takes each answer to a newest text. `most`: so many texts are
    worked on at a time."""

    def __init__(
        self,
        ask: Callable[[str, str], Awaitable[Answer]],
        show: Callable[[str, Version[Answer]], None],
        most: int = 2,
        delay_s: float = DELAY_S,
    ) -> None:
        self._ask, self._show, self._delay_s = ask, show, delay_s
        self._open: dict[str, _OpenText[Answer]] = {}
        self._turns = asyncio.Semaphore(most)

    def set(self, uri: str, number: int | None, text: str, *, typed: bool = False) -> None:
        """A text is open, or has changed. `typed`: it may change again in a moment."""
        one = self._open.get(uri)
        if one is None:
            one = self._open[uri] = _OpenText(asyncio.get_running_loop())
        one.begin(number, text, self._work(uri, one, number, text, self._delay_s if typed else 0))

    def close(self, uri: str) -> None:
        """Whoever waits for an answer gets none."""
        one = self._open.pop(uri, None)
        if one is not None:
            one.end()

    def again(self, *, but_working_on: str | None = None) -> None:
        """Everything that is open is analysed again, since something around it has changed; the text of one URI is left
        alone while it is worked on."""
        for uri, one in self._open.items():
            if uri != but_working_on or one.is_done:
                self.set(uri, one.number, one.text)

    async def newest(self, uri: str) -> Version[Answer] | None:
        """The answer to the text as it is now, waiting for it; None where the text is not open any more."""
        one = self._open.get(uri)
        return None if one is None else await asyncio.shield(one.answered)

    async def _work(self, uri: str, one: "_OpenText[Answer]", number: int | None, text: str, delay_s: float) -> None:
        await asyncio.sleep(delay_s)
        async with self._turns:
            answer = await self._ask(uri, text)
        version = Version(number, answer)
        one.answered.set_result(version)
        self._show(uri, version)


class _OpenText(Generic[Answer]):
    """`answered` with the answer to the newest text: one future for all that are replaced before they are answered."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.number: int | None = None
        self.text = ""
        self.answered: asyncio.Future[Version[Answer] | None] = loop.create_future()
        self._task: asyncio.Task[None] | None = None

    @property
    def is_done(self) -> bool:
        return self.answered.done()

    def begin(self, number: int | None, text: str, work: "Coroutine[None, None, None]") -> None:
        if self._task is not None:
            self._task.cancel()
        if self.answered.done():
            self.answered = self._loop.create_future()
        self.number, self.text = number, text
        self._task = asyncio.ensure_future(work)

    def end(self) -> None:
        if self._task is not None:
            self._task.cancel()
        if not self.answered.done():
            self.answered.set_result(None)
