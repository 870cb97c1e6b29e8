"""From advice to change: what the answers about loops ask for, written into the source.

`text`, `edits`, `names`: the text of a file, its tokens, and changes of it. `directive`: OpenMP's words. `loop_change`:
the edits for one loop. `chosen`: which loops, and when. `patch`: all of a run as a unified diff.
"""

from .patch import Patched, Refusal, entries, patched, unified

__all__ = ["Patched", "Refusal", "entries", "patched", "unified"]
