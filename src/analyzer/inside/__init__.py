"""A look inside: one nest as an expert of the polyhedral model would write it down, in isl syntax.

IR -> instances of statements and what they touch (`instances`), arrays with indices (`layout`), formulas over loop
variables and parameters (`affine`), dependences by isl (`dependences`), and the page (`page`). The dependences are
worked out by isl from the relations that are printed, and share nothing with `analyzer.dependence` but the IR: where
the two disagree, one of them is wrong.
"""

from .page import dump

__all__ = ["dump"]
