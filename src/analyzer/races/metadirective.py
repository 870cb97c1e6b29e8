"""The directive that a `metadirective` stands for.

*Decides*: which of its variants applies to a program on a host: the first one whose context may be that, else the
default (OpenMP 5.2 7.4). *Errs toward* that a context holds which is not known: a `condition` may be true.

    metadirective when(device={kind(gpu)}: teams loop) default(parallel for)                ->  parallel for
"""

from ..base.regex import regex
from .directive import Directive, read_directive

_OF_DEVICES = regex(r"\b(?:nohost|gpu|fpga|nvptx(?:64)?|nvidia|amdgcn|gcn)\b|\bcondition\s*\(\s*(?:0|false)\s*\)")
"""What stands in no context of a host."""


def meant(directive: Directive | None) -> Directive | None:
    """The directive itself, or the one that it stands for; None where it stands for none. Example: see the module."""
    if directive is None or directive.name != ("metadirective",):
        return directive
    contexts = (c for c in directive.named("when") if not _OF_DEVICES.search(c.modifier))
    chosen = next(contexts, None) or next(directive.named("default", "otherwise"), None)
    return None if chosen is None else read_directive(f"{directive.family} {chosen.rest}", directive.line)
