"""The server: an editor tells of its texts, and is told what to show of them, on standard input and output.

*Answers* `didOpen`, `didChange`, `didSave`, `didClose` and `didChangeWatchedFiles` with diagnostics, and requests for
code lenses, hovers and code actions once the newest text is analysed.
*Survives* whatever happens to a text: an error of ours is a message in the log and a finding where the text begins.
"""

import gc
import logging
import os
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlparse

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from ..rules.catalogue import INTERNAL_ERROR
from . import messages, rule_pages
from .answers import Answer, Asked, Remembered, Reply, trouble
from .forks import Forks, LostError
from .open_texts import OpenTexts, Version
from .positions import Encoding

UNNAMED = "untitled.c"
"""A text that is in no file yet is taken for one of this name in the working directory."""
WATCHED = ("**/*.h", "**/compile_commands.json", "**/analyze.toml", "**/analyze-facts.toml", "**/pyproject.toml")
"""What answers depend on besides the texts that are open."""
MOST_REMEMBERED = 200
"""Texts whose answers are at hand: those of the last minutes, to which undoing and redoing lead."""
_ENCODINGS: dict[str, Encoding] = {"utf-8": "utf-8", "utf-32": "utf-32"}


def serve(forks: Forks[Asked, Reply], version: str) -> int:
    """Talks to one client until it leaves, and gives the exit code that the protocol asks for: 1 where it did not say
    before that it would."""
    logging.getLogger("pygls").addHandler(logging.NullHandler())  # standard error is shown to the user
    gc.enable()  # a run of the command ends before that is worth the while
    with TemporaryDirectory(prefix="boathull-rules-") as folder:
        session = _Session(forks, version, rule_pages.write(folder))
        session.server.start_io()
    forks.close()
    return int(session.left and not session.was_shut_down)


class _Session:
    """One client, from the first message to the last."""

    def __init__(self, forks: Forks[Asked, Reply], version: str, pages: Mapping[str, str]) -> None:
        self.forks, self.pages = forks, pages
        self.left = self.was_shut_down = False
        self.said: set[str] = set()
        self.remembered: dict[tuple[str, str], tuple[Answer, dict[str, Any]]] = {}
        """Answers of before, those not used for longest first, and what each rests on."""
        self.worked_out: dict[str, Remembered] = {}
        """What was, for the functions of the texts that are open."""
        self.shown: dict[str, int | None] = {}
        # All of a text with each change: what changes the client's lines would be counted in others than ours
        # where a text has form feeds or other line ends of Unicode.
        self.server = LanguageServer("boathull", version, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.texts: OpenTexts[Answer] | None = None
        self._listen()

    def _listen(self) -> None:
        handlers: dict[str, Callable[..., object]] = {
            types.INITIALIZED: self.initialized,
            types.TEXT_DOCUMENT_DID_OPEN: self.opened,
            types.TEXT_DOCUMENT_DID_CHANGE: self.changed,
            types.TEXT_DOCUMENT_DID_SAVE: self.saved,
            types.TEXT_DOCUMENT_DID_CLOSE: self.closed,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: self.watched,
            types.TEXT_DOCUMENT_CODE_LENS: self.lenses,
            types.TEXT_DOCUMENT_HOVER: self.hover,
            types.TEXT_DOCUMENT_CODE_ACTION: self.actions,
            types.SHUTDOWN: self.shut_down,
            types.EXIT: self.exit,
        }
        kinds = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
        for name, handler in handlers.items():
            options = kinds if name == types.TEXT_DOCUMENT_CODE_ACTION else None
            self.server.feature(name, options)(partial(handler))  # it takes a mark, which a bound method does not

    # --- what the editor tells

    async def initialized(self, _: types.InitializedParams) -> None:
        workspace = self.server.client_capabilities.workspace
        files = workspace.did_change_watched_files if workspace is not None else None
        if files is None or not files.dynamic_registration:
            return
        watchers = [types.FileSystemWatcher(pattern) for pattern in WATCHED]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        wanted = types.Registration("watched", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        await self.server.client_register_capability_async(types.RegistrationParams([wanted]))

    def opened(self, params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        self._texts().set(document.uri, document.version, document.text)

    def changed(self, params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        text = self.server.workspace.get_text_document(uri).source
        self._texts().set(uri, params.text_document.version, text, typed=True)

    def saved(self, params: types.DidSaveTextDocumentParams) -> None:
        """Other texts may include what was saved."""
        self._texts().again(but_working_on=params.text_document.uri)

    def closed(self, params: types.DidCloseTextDocumentParams) -> None:
        self._texts().close(params.text_document.uri)
        self.shown.pop(params.text_document.uri, None)
        self.worked_out.pop(params.text_document.uri, None)
        self._publish(params.text_document.uri, None, Answer())

    def watched(self, _: types.DidChangeWatchedFilesParams) -> None:
        self._texts().again()

    def shut_down(self, _: object) -> None:
        self.was_shut_down = True

    def exit(self, _: object) -> None:
        self.left = True

    # --- what the editor asks

    async def lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        found = await self._texts().newest(params.text_document.uri)
        return [] if found is None else messages.lenses(found.answer)

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        found = await self._texts().newest(params.text_document.uri)
        return None if found is None else messages.hover(found.answer, params.position, self._takes_markdown())

    async def actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        found = await self._texts().newest(uri)
        if found is None:
            return []
        versioned = self._takes_versions()
        return messages.actions(found, uri, params, self.pages, versioned=versioned)

    def _takes_markdown(self) -> bool:
        texts = self.server.client_capabilities.text_document
        formats = texts.hover.content_format if texts is not None and texts.hover is not None else None
        return formats is None or types.MarkupKind.Markdown in formats

    def _takes_versions(self) -> bool:
        workspace = self.server.client_capabilities.workspace
        edits = workspace.workspace_edit if workspace is not None else None
        return edits is not None and bool(edits.document_changes)

    # --- what becomes of a text

    def _texts(self) -> OpenTexts[Answer]:
        """Made in the loop that all is worked on in."""
        if self.texts is None:
            self.texts = OpenTexts(self._ask, self._show, most=os.cpu_count() or 1)
        return self.texts

    async def _ask(self, uri: str, text: str) -> Answer:
        before, rests_on = self.remembered.get((uri, text), (None, None))
        try:
            known = self.worked_out.get(uri, {})
            reply = await self.forks.ask(Asked(_path(uri), text, self._encoding(), rests_on, known))
        except LostError as error:
            return self._failed(uri, error)
        except Exception as error:
            return self._failed(uri, error, traceback.format_exc())
        answer = reply.answer or before or Answer()
        self.worked_out[uri] = reply.memory or known
        self._remember((uri, text), answer, reply.rests_on if reply.answer is not None else rests_on)
        return answer

    def _encoding(self) -> Encoding:
        """What the client and the library have agreed on."""
        agreed = types.PositionEncodingKind(self.server.workspace.position_encoding or "utf-16")
        return _ENCODINGS.get(agreed.value, "utf-16")

    def _remember(self, key: tuple[str, str], answer: Answer, rests_on: dict[str, Any] | None) -> None:
        self.remembered.pop(key, None)
        if rests_on is not None:
            self.remembered[key] = answer, rests_on
        for oldest in list(self.remembered)[:-MOST_REMEMBERED]:
            del self.remembered[oldest]

    def _failed(self, uri: str, error: Exception, details: str = "") -> Answer:
        self._log(f"{uri}: {details or error}", types.MessageType.Error)
        said = str(error) if not details else f"internal error ({type(error).__name__}: {error}); please report it"
        return trouble(said, INTERNAL_ERROR)

    def _show(self, uri: str, version: Version[Answer]) -> None:
        try:
            self._tell(uri, version)
        except Exception:
            self._log(f"{uri}: {traceback.format_exc()}", types.MessageType.Error)

    def _tell(self, uri: str, version: Version[Answer]) -> None:
        is_ours = any(remark.rule == INTERNAL_ERROR for remark in version.answer.remarks)
        for message in version.answer.said:
            if message not in self.said:  # it is the same at each key
                self.said.add(message)
                self._log(message, types.MessageType.Error if is_ours else types.MessageType.Info)
        self._publish(uri, version.number, version.answer)
        if uri in self.shown and self.shown[uri] == version.number:
            self._renew_lenses()
        self.shown[uri] = version.number

    def _publish(self, uri: str, version: int | None, answer: Answer) -> None:
        found = messages.diagnostics(answer, uri, self.pages)
        self.server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    def _renew_lenses(self) -> None:
        """An editor asks for lenses when a text changes; this time it was something around it."""
        workspace = self.server.client_capabilities.workspace
        lens = workspace.code_lens if workspace is not None else None
        if lens is not None and lens.refresh_support:
            self.server.workspace_code_lens_refresh(None)

    def _log(self, message: str, kind: types.MessageType) -> None:
        self.server.window_log_message(types.LogMessageParams(kind, message))


def _path(uri: str) -> Path:
    """Of the file that a text is of, or would be."""
    found = to_fs_path(uri) if urlparse(uri).scheme == "file" else None
    return Path(found or UNNAMED)
