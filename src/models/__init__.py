"""Performance models: a class of algorithm, its complexity and a device give a time. Nothing here knows C."""
