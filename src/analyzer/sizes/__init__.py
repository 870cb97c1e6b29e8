"""Values of size symbols: typed on the command line, written in comments, known from the code."""
