"""Tables of the evaluation, one module per family."""
