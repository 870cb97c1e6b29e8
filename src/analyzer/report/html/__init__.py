"""The report as one HTML file that needs no network: summary, table of all loops, a view of each loop with its charts.

    page        the document as a page: shell, content security policy, data blocks
    summary     what stands on top, ready to be read without a script
    rows        one short row per loop, for the table
    blocks      data inside a page: harmless JSON, packed chunks
    listing     source text by kind of token, for highlighting
    *.js        in the order of `page.SCRIPTS`: formulas, charts, verdicts, table, loop view

The page is made from the document alone. Scripts put text in place as text, never as HTML, and write out what cannot be
seen; times, charts and verdicts at other sizes are computed in the page from the document's formulas.
"""

from .page import render

__all__ = ["render"]
