"""A client for tests: it starts the server as an editor does, and waits for what it says."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient

ROOT = Path(__file__).resolve().parents[3]
PATIENCE_S = 60
MOST = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(
        workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
        code_lens=types.CodeLensWorkspaceClientCapabilities(refresh_support=True),
    )
)


class Client:
    """One session. `published`: everything that was, in order; `logged`: messages for the log."""

    def __init__(self) -> None:
        self.language = LanguageClient("test", "1")
        self.published: list[types.PublishDiagnosticsParams] = []
        self.logged: list[str] = []
        self.renewed = 0
        self._news = asyncio.Event()
        feature = self.language.feature
        feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(partial(self._take))
        feature(types.WINDOW_LOG_MESSAGE)(lambda params: self.logged.append(params.message))
        feature(types.WORKSPACE_CODE_LENS_REFRESH)(partial(self._renew))

    def _take(self, params: types.PublishDiagnosticsParams) -> None:
        self.published.append(params)
        self._news.set()

    def _renew(self, _: object) -> None:
        self.renewed += 1

    def open(self, uri: str, text: str, version: int = 1) -> None:
        document = types.TextDocumentItem(uri, "c", version, text)
        self.language.text_document_did_open(types.DidOpenTextDocumentParams(document))

    def change(self, uri: str, text: str, version: int) -> None:
        document = types.VersionedTextDocumentIdentifier(version, uri)
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.language.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))

    def save(self, uri: str) -> None:
        document = types.TextDocumentIdentifier(uri)
        self.language.text_document_did_save(types.DidSaveTextDocumentParams(document))

    def close(self, uri: str) -> None:
        document = types.TextDocumentIdentifier(uri)
        self.language.text_document_did_close(types.DidCloseTextDocumentParams(document))

    async def diagnostics(self, uri: str, version: int | None, after: int = 0) -> list[types.Diagnostic]:
        """Of a version of a text, once they are there. `after`: so many were published before."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                for params in self.published[after:]:
                    if params.uri == uri and params.version == version:
                        return list(params.diagnostics)
                self._news.clear()
                await self._news.wait()

    async def lenses(self, uri: str) -> list[types.CodeLens]:
        document = types.TextDocumentIdentifier(uri)
        return list(await self.language.text_document_code_lens_async(types.CodeLensParams(document)) or [])

    async def hover(self, uri: str, line: int, character: int) -> types.Hover | None:
        document, place = types.TextDocumentIdentifier(uri), types.Position(line, character)
        return await self.language.text_document_hover_async(types.HoverParams(document, place))

    async def actions(self, uri: str, line: int, only: list[str] | None = None) -> list[types.CodeAction]:
        place = types.Position(line, 0)
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(uri), types.Range(place, place), types.CodeActionContext([], only)
        )
        found = await self.language.text_document_code_action_async(params) or []
        return [action for action in found if isinstance(action, types.CodeAction)]


def environment(cache: Path) -> dict[str, str]:
    sources = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
    return {**os.environ, "PYTHONPATH": sources, "XDG_CACHE_HOME": str(cache)}


@asynccontextmanager
async def session(
    folder: Path, *options: str, capabilities: types.ClientCapabilities = MOST
) -> AsyncIterator[Client]:
    """A client whose server runs in `folder`, shut down at the end as the protocol asks for; it must end well."""
    client = Client()
    command = [sys.executable, "-m", "analyzer", "--lsp", *options]
    await client.language.start_io(*command, cwd=str(folder), env=environment(folder / "cache"))
    parameters = types.InitializeParams(capabilities, process_id=os.getpid(), root_uri=folder.as_uri())
    await client.language.initialize_async(parameters)
    client.language.initialized(types.InitializedParams())
    try:
        yield client
    finally:
        process = client.language._server
        async with asyncio.timeout(PATIENCE_S):
            await client.language.shutdown_async(None)
            client.language.exit(None)
            code = await process.wait()
            await client.language.stop()
        assert code == 0
