"""The loop IR: its nodes, polynomials over its symbols, C's arithmetic types and library functions, and questions about
one node."""
