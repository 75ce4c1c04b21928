"""Completing a matrix of responses by raters from the ratings that were collected.

>>> import numpy as np
>>> ratings = np.array([[1.0, 1], [2, 2], [3, np.nan], [4, 4], [5, 5], [np.nan, 2]])
>>> completed = complete(ratings, "gaussian")
>>> np.round(completed.values[[2, 5]], 1).tolist()
[[3.0, 3.0], [2.0, 2.0]]
"""

from reportgen.studies.completion.low_rank import low_rank_ratio
from reportgen.studies.completion.methods import METHODS, Completed, complete
from reportgen.studies.completion.nuclear_norm import smallest_nuclear_norm

__all__ = ["METHODS", "Completed", "complete", "low_rank_ratio", "smallest_nuclear_norm"]
