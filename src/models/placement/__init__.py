"""Where each loop of a program runs best, when data stays where it is until somebody elsewhere needs it.

program    arrays, tasks, loops and branches around them, places
machine    what a placement costs, by executing it on copies that are valid or not: the definition
segments   the same cost as a sum over writes and the reads until the next one
cut        the cheapest placement with one accelerator
search     several accelerators, too little memory: a search with a lower bound
plan       the answer: places, copies, totals, and why a loop is where it is
"""

from .machine import Machine
from .plan import Copy, Decision, Plan, place
from .program import HOST, Array, Branch, Node, Place, Program, Repeat, Task, Use, barrier, executions, tasks

__all__ = [
    "HOST", "Array", "Branch", "Copy", "Decision", "Machine", "Node", "Place", "Plan", "Program", "Repeat", "Task",
    "Use", "barrier", "executions", "place", "tasks",
]  # fmt: skip
