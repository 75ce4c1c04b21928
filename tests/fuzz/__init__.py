"""Generate hostile input from valid input with a seed; see ``fuzz.__main__``."""
