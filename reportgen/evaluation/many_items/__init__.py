"""Evaluations of hundreds of items, with the statistics of `reportgen.evaluation` by item in long tables."""
