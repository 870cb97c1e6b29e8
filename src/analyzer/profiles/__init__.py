"""Profiles of real runs: trip counts, branch weights, executions, and where the time went.

    reading    which format a file has; several files are one profile
    gcov perf gprof
               one format each
    stale      whether the source is still the one that ran
    counted    what the lines say about loops and branches
    applied    facts with what the run counted in place of what was assumed
    coverage   the share of the time that loops and functions had

How to make one is in docs/profiles.md.
"""
