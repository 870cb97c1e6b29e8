"""The mappings of a parallel nest to the threads of a device: which loops become threads, and which stay inside one."""

from .kernels import mappings

__all__ = ["mappings"]
