"""The program as a whole: all functions of a run linked, its loops with how often they run, and where each runs best.

reading    IR of a function -> outline: loops, calls, memory by where it is from
linking    whom each call means, over all files; what calls itself; where the program starts
expansion  every call followed, with the sizes and the memory that are passed -> loops in order, with executions
memory     which memory is one array
times      what the models say of each loop, at the sizes of its call
placing    the program for `models.placement`
answer     places, copies, totals as values for the report
lives      where the arrays of the program are used, line by line of the functions that have them
groups     what has to be moved together, by the time it saves
"""

from .answer import Answer, Copied, NoAnswer, Placed, answer
from .groups import Group, groups
from .lives import Life, lives
from .outline import Outline
from .reading import outlines

__all__ = [
    "Answer",
    "Copied",
    "Group",
    "Life",
    "NoAnswer",
    "Outline",
    "Placed",
    "answer",
    "groups",
    "lives",
    "outlines",
]
