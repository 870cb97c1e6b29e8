"""How near predicted times are to measured ones (make accuracy)."""
