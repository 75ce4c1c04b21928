"""Mergeable sufficient statistics, counted in one pass over the scores.

>>> import numpy as np
>>> tally = tally_of([4.2, 3.1, 2.4], [[4, 4], [3, np.nan], [2, 3]])
>>> tally.n, tally.raters
(3, 2)
>>> (tally + tally).n
6
"""

from reportgen.tally.cells import *
from reportgen.tally.clusters import *
from reportgen.tally.contingency_tables import *
from reportgen.tally.features import *
from reportgen.tally.intervals import *
from reportgen.tally.joint import *
from reportgen.tally.kernel import *
from reportgen.tally.left_out import *
from reportgen.tally.sums import *
