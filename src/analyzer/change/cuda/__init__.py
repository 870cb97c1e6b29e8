"""Kernels of CUDA in place of loops: a file beside the source, and calls in it.

`header`: how a loop counts. `definitions`: what the code needs of its file. `kernel`: the text of a kernel. `prelude`:
what each file begins with. `starter`: one loop, from its answer to a kernel and the call.
"""

from .starter import file_of_kernels, kernels_path, started

__all__ = ["file_of_kernels", "kernels_path", "started"]
