"""Which loops and findings of a run are shown: changed lines, baselines, filters."""
