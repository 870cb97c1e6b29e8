"""What a run is asked to do: options, the configuration file, which files are found."""
