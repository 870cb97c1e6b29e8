"""`--suggest loops`: nests in the form that is likely faster, written into the source.

*Decides*: for every loop with a form that pays (`report.loop_entries.AlternativeEntry.plan`), the one that gains most,
and what changes in the text: headers trade places, bodies are divided, or put together. *Refuses* text that macros,
directives or `#if` have a part in, and names that would mean something else.
"""

from .rearranged import rearranged as rearranged
