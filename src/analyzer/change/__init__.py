"""From advice to change: what the answers about loops ask for, written into the source.

`text`, `edits`, `names`: the text of a file, its tokens, and changes of it. `form`, `directive`: in which words.
`chosen`, `conditions`, `collapsing`, `wanted`: which loops, when, and what is asked for. `loop_change`: the edits for
one loop; `device_writer`, `onto_device`: on a device; `cuda`: as a kernel; `writing`: one of these. `regions`: where
data stays on the device around a loop; `stays`, `extents`, `resident`: around calls. `nests`: other forms of nests.
`files`: the changes of all files; `patch`: those of a run as a unified diff.
"""

from .files import Patched, Refusal
from .nests import rearranged
from .patch import ADVISED, entries, patched, unified, written

__all__ = ["ADVISED", "Patched", "Refusal", "entries", "patched", "rearranged", "unified", "written"]
