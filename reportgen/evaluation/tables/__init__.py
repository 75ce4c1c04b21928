"""The evaluation tables, one module per family; each function returns finished `Table`s."""
