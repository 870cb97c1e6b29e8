"""Answers kept from earlier runs (docs/cache.md). An answer is used again only where everything that it was made from
is as it was: a stale answer is a wrong answer.

    replay     a whole run, answered before anything else of the program is loaded
    results    one file, where others of the run have changed
    facts      what an answer rests on: files, places where a header was looked for, questions asked of the machine
    gathering  how the facts of one file are found
    identity   what belongs to every key: this program, Python, libraries, environment
    store      the folder: one file an answer
    codec      values as JSON

The first three and the last but one are on the path of a run that is answered: they import nothing but the smallest
modules of Python itself (its own start is a third of what such a run may cost).
"""
