"""Runs of the program's own text, through the functions that it calls: proofs that a dependence exists."""
