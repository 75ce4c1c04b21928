"""Where the responses of one file stand in another, by their ids."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.sources.bridge import to_numpy


def positions_of(wanted: Any, known: Any) -> NDArray[np.intp]:
    """Return for every wanted id its place among the known ones, -1 where it is not there.

    Parameters
    ----------
    wanted, known
        Arrow arrays of strings.

    Examples
    --------
    >>> import pyarrow as pa
    >>> positions_of(pa.array(["b", "x", "a"]), pa.array(["a", "b"])).tolist()
    [1, -1, 0]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.index_in(pc.cast(wanted, pa.string()), value_set=pc.cast(known, pa.string()))
    return to_numpy(found, np.int64, -1).astype(np.intp)
