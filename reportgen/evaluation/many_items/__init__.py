"""Evaluations of hundreds of items at once: the numbers of `reportgen.evaluation`, item by item, in long tables."""

from reportgen.evaluation.many_items.counted import ItemsStudy
from reportgen.evaluation.many_items.tables import LongTable, item_tables

__all__ = ["ItemsStudy", "LongTable", "item_tables"]
