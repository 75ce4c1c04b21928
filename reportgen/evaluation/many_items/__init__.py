"""Evaluations of hundreds of items, with the statistics of `reportgen.evaluation` by item in long tables."""

from reportgen.evaluation.many_items.counted import ItemsStudy
from reportgen.evaluation.many_items.tables import LongTable, item_tables

__all__ = ["ItemsStudy", "LongTable", "item_tables"]
