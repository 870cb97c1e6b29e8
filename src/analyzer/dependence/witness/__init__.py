"""Proofs that a dependence exists: sizes and contents of memory for which two iterations certainly meet."""
