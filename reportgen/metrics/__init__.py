"""Statistics of agreement, accuracy and true scores."""

from reportgen.metrics.catalogue import METRICS, Metric, Transform
from reportgen.metrics.contingency import cohen_kappa_gradient, cohen_kappa_of_tables

__all__ = ["METRICS", "Metric", "Transform", "cohen_kappa_gradient", "cohen_kappa_of_tables"]
