"""Answers in the words of the protocol: diagnostics, code lenses, hovers and code actions."""

from collections.abc import Mapping

from lsprotocol import types

from ..report.markdown import escaped
from .answers import Answer, Fix, Remark, ShownLoop
from .open_texts import Version
from .positions import Position, Span

SOURCE = "boathull"
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
_FENCE = "```"


def diagnostics(answer: Answer, uri: str, pages: Mapping[str, str]) -> list[types.Diagnostic]:
    """The findings of the text at `uri`; `pages`: what a rule links to."""
    return [_diagnostic(remark, uri, pages) for remark in answer.remarks]


def _diagnostic(remark: Remark, uri: str, pages: Mapping[str, str]) -> types.Diagnostic:
    page = pages.get(remark.rule or "")
    related = [
        types.DiagnosticRelatedInformation(types.Location(uri, _range(r.span)), r.message) for r in remark.related
    ]
    return types.Diagnostic(
        range=_range(remark.span),
        message=remark.message,
        severity=_SEVERITIES[remark.level],
        code=remark.rule,
        code_description=None if page is None else types.CodeDescription(page),
        source=SOURCE,
        related_information=related or None,
    )


def lenses(answer: Answer) -> list[types.CodeLens]:
    """The verdict above each loop. Its command is none: there is nothing to run."""
    return [types.CodeLens(_range(loop.span), types.Command(loop.verdict, "")) for loop in answer.loops]


def hover(answer: Answer, at: types.Position, markdown: bool) -> types.Hover | None:
    """What is known of the loop on a line: of several the one that begins last before the place. None where no loop
    begins on it."""
    here = Position(at.line, at.character)
    loops = sorted((loop for loop in answer.loops if loop.begins_on(at.line, at.line)), key=lambda loop: loop.span)
    if not loops:
        return None
    loop = [one for one in loops if one.span.begin <= here][-1:] or loops[:1]
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    return types.Hover(types.MarkupContent(kind, _page(loop[0], markdown)), _range(loop[0].span))


def _page(loop: ShownLoop, markdown: bool) -> str:
    lines = "\n".join(loop.details)
    if not markdown:
        return f"{loop.verdict} ({loop.heading})\n\n{lines}"
    head = f"**{escaped(loop.verdict)}** ({escaped(loop.heading)})"
    return f"{head}\n\n{_FENCE}text\n{lines.replace(_FENCE, '')}\n{_FENCE}"


def actions(
    found: Version[Answer], uri: str, params: types.CodeActionParams, pages: Mapping[str, str], *, versioned: bool
) -> list[types.CodeAction]:
    """The changes of loops that begin on the lines that are asked about. `versioned`: the client takes changes of a
    text as it was at a version, and of no other."""
    only = params.context.only
    if only is not None and not any(_holds(kind, types.CodeActionKind.QuickFix) for kind in only):
        return []
    first, last = params.range.start.line, params.range.end.line
    answer = found.answer
    loops = (loop for loop in answer.loops if loop.begins_on(first, last))
    return [
        types.CodeAction(
            title=fix.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[_diagnostic(r, uri, pages) for r in answer.remarks if r.span == loop.span] or None,
            is_preferred=True,
            edit=_edit(fix, uri, found.number, versioned),
        )
        for loop in loops
        if (fix := loop.fix) is not None
    ]


def _holds(kind: str, other: str) -> bool:
    """Whether a kind of actions is another one, or holds it: `quickfix` has `quickfix.loop`, and "" all."""
    return kind in ("", other) or other.startswith(f"{kind}.")


def _edit(fix: Fix, uri: str, version: int | None, versioned: bool) -> types.WorkspaceEdit:
    edits = [types.TextEdit(_range(e.span), e.text) for e in fix.edits]
    if not versioned:
        return types.WorkspaceEdit(changes={uri: edits})
    document = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, list(edits))])


def _range(span: Span) -> types.Range:
    return types.Range(_position(span.begin), _position(span.end))


def _position(position: Position) -> types.Position:
    return types.Position(position.line, position.character)
