"""Placements held against every possible one, executed: `python -m tests.models.placement.campaign -n 1000`."""

import argparse
import random
import sys
import time

import numpy as np

from models.placement import Machine, Place, Plan, Program, place, tasks

from .executed import all_placements, costs
from .programs import random_program

TOLERANCE = 1e-9


class DiffersError(AssertionError):
    """A claim that execution does not bear out."""


def judge(program: Program, places: tuple[Place, ...]) -> tuple[Plan, float]:
    """The plan of a program and how much cheaper the best placement is, every claim checked against all placements.

    DiffersError says which claim is wrong."""
    plan = place(program, places)
    listed = list(tasks(program.body))
    placed = all_placements(program, places, listed)
    truth = costs(program, places, listed, placed)
    names = [p.name for p in places]
    chosen = [names.index(d.place) for d in plan.decisions]
    (column,) = (np.array(chosen) == placed.T).all(axis=1).nonzero()[0]
    best = truth.min()
    _require(_close(plan.after_s, truth[column]), f"after_s {plan.after_s}, executed {truth[column]}")
    listed_s = sum(c.seconds for c in plan.copies) + sum(d.time_s for d in plan.decisions)
    _require(_close(listed_s, truth[column]), f"copies and times add up to {listed_s}, executed {truth[column]}")
    _require(_close(plan.before_s, truth[(placed == 0).all(axis=0).argmax()]), f"before_s {plan.before_s}")
    _require(plan.lower_s <= best * (1 + TOLERANCE), f"lower bound {plan.lower_s}, cheapest {best}")
    if plan.optimal:
        _require(_close(plan.after_s, best), f"claims the optimum with {plan.after_s}, cheapest {best}")
    some = random.Random(placed.shape[1]).randrange(placed.shape[1])
    cost = Machine(program, places).cost(placed[:, some].tolist())
    _require(_close(cost, truth[some]), f"the machine says {cost} of a placement, executed {truth[some]}")
    return plan, 0.0 if plan.after_s == 0 else max(0.0, float(1 - best / plan.after_s))


def _close(left: float, right: float) -> bool:
    return abs(left - right) <= TOLERANCE * max(1.0, abs(right))


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise DiffersError(message)


def main() -> int:
    top = argparse.ArgumentParser(description=__doc__)
    top.add_argument("-n", type=int, default=1000, help="programs (default: 1000)")
    top.add_argument("--seed", type=int, default=1)
    top.add_argument("--tasks", type=int, default=14, help="most loops of a program (default: 14)")
    top.add_argument("--accelerators", type=int, default=1, choices=(1, 2))
    chosen = top.parse_args()
    links = (Place("host"), Place("d1", 1.0, 1.5, 3.0), Place("d2", 2.0, 0.5, 1.0))
    places = links[: chosen.accelerators + 1]
    started, claimed, wrong, moved, gaps, missed = time.process_time(), 0, 0, 0, [0.0], [0.0]
    for k in range(chosen.n):
        program = random_program(random.Random(f"{chosen.seed}/{k}"), chosen.tasks, len(places))
        try:
            plan, excess = judge(program, places)
        except DiffersError as difference:
            wrong += 1
            print(f"program {k} of seed {chosen.seed}: {difference}\n{program}", file=sys.stderr)
            continue
        claimed += plan.optimal
        moved += 0 < sum(d.place != "host" for d in plan.decisions) < len(plan.decisions)
        gaps.append(plan.gap)
        missed.append(excess)
    took = time.process_time() - started
    print(
        f"{chosen.n} programs: {wrong} wrong, {claimed} claimed optimal, largest gap {max(gaps):.1%}, "
        f"at most {max(missed):.1%} from the best, {moved} split between places; {took:.0f} s of CPU"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
