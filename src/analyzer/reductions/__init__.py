"""Updates of accumulators: `s += x` in all its forms, through temporaries, with the position of an extremum."""
