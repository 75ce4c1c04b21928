"""How values, names and lists are put into words."""
