"""Accesses of a loop in context: iteration domains, subscripts and their delinearisation, data flow of scalars."""
