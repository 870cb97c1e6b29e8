"""Which memory an object is: points-to, aliases, escapes, tables of pointers."""
