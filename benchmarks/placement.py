"""Time to place a program of many loops: `python benchmarks/placement.py [LOOPS ...]` (default: 500 1000 2000 4000).

The program looks like a simulation: phases of loops over a window of arrays, time steps, branches, partial writes, and
now and then something that only the host can do. CPU seconds of one process, the import of networkx included once."""

import random
import sys
import time

from models.placement import Array, Branch, Node, Place, Program, Repeat, Task, Use, place


def program(loops: int, seed: int = 1) -> Program:
    """Example: `program(2000)` has 400 arrays, 100 time-step loops and 2000 tasks."""
    rng = random.Random(seed)
    arrays = tuple(Array(f"a{k}", rng.randint(10**5, 10**9), at_end=rng.random() < 0.3) for k in range(loops // 5))
    made = 0

    def task() -> Task:
        nonlocal made
        window = made * len(arrays) // loops
        names = {rng.randint(max(0, window - 4), min(len(arrays) - 1, window + 4)) for _ in range(rng.randint(2, 5))}
        uses = []
        for k, name in enumerate(sorted(names)):
            array = arrays[name]
            writes = rng.choice(("part", "whole", "whole")) if k == 0 else "no"
            reads = array.bytes if rng.random() < 0.7 else array.bytes // 3
            uses.append(Use(array.name, 0 if writes == "whole" else reads, writes))
        made += 1
        host_s = 10 ** rng.uniform(-5, 0)
        device_s = None if rng.random() < 0.2 else host_s / rng.uniform(1, 40) + 1e-5
        return Task(f"t{made}", (host_s, device_s), tuple(uses))

    body: list[Node] = []
    while made < loops:
        step: list[Node] = [task() for _ in range(rng.randint(3, 10))]
        step.append(Branch(0.1, (task(),)))
        phase: list[Node] = [task() for _ in range(rng.randint(1, 10))]
        body += [*phase, Repeat(rng.choice((10, 1000, 10**6)), tuple(step))]
    return Program(arrays, tuple(body))


def main() -> None:
    places = (Place("host"), Place("device", 25e9, 25e9))
    import networkx  # noqa: F401

    for loops in [int(text) for text in sys.argv[1:]] or [500, 1000, 2000, 4000]:
        made = program(loops)
        started = time.process_time()
        plan = place(made, places)
        took = time.process_time() - started
        moved = sum(d.place != "host" for d in plan.decisions)
        print(
            f"{len(plan.decisions)} loops, {len(made.arrays)} arrays: {took:.2f} s of CPU; {moved} on the device, "
            f"{len(plan.copies)} copies, {plan.speedup:.1f} times faster, gap {plan.gap:.1%}"
        )


if __name__ == "__main__":
    main()
