"""From C code to a recommendation per loop: what it does, where it could run, and how much faster."""

__version__ = "0.1.0"
