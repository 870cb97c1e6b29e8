"""What a core does in one iteration of each loop of a nest: for the models of processors."""
