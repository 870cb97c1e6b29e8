"""Which iterations of a loop depend on each other: parallel yes, no or unknown, and what that rests on."""

from .parallel import parallelism

__all__ = ["parallelism"]
