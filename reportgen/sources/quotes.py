"""Where the rows of delimited text end: line ends that stand in no quotes, found at nearly the speed of memory.

A quote opens a value only as its first character; inside, two quotes are one character, and a single one closes.
Any other quote is a character like others.  So wrote RFC 4180, and so reads pyarrow.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

QUOTE, NEWLINE, RETURN = b'"'[0], b"\n"[0], b"\r"[0]

_WORD = 64

Bits = NDArray[np.uint64]
"""One bit per byte of a block, the first the lowest of the first word."""


class RowEnds:
    r"""Follows quotes through a text that is given block by block.

    Parameters
    ----------
    delimiter
        What stands between two values; one byte.

    Examples
    --------
    The first line end below stands inside quotes:

    >>> RowEnds(",").last(b'1,"one\ntwo"\n3,"th')
    12
    """

    def __init__(self, delimiter: str) -> None:
        self._separators = (delimiter.encode()[0], NEWLINE, RETURN)
        self._starts_value = True
        self._closed = False
        self.inside = False
        """Whether the text so far ends inside quotes."""

    def last(self, block: bytes) -> int:
        """Return the position after the last line end outside quotes of the next block; 0 where there is none."""
        if not block:
            return 0
        if QUOTE in block:
            return self._last_among_quotes(block)
        self._starts_value, self._closed = not self.inside and block[-1] in self._separators, False
        return 0 if self.inside else block.rfind(b"\n") + 1

    def _last_among_quotes(self, block: bytes) -> int:
        """Return the same for a block that holds quotes."""
        text = np.frombuffer(block, np.uint8)
        quotes = _bits(text == QUOTE)
        inside = _inside(quotes, self.inside)
        if self._literal(text, quotes, inside):
            quotes = self._meant(block, np.flatnonzero(text == QUOTE).tolist())
            inside = _inside(quotes, self.inside)
        at = len(block) - 1
        closes, before = _bit(quotes & inside, at), _bit(inside, at)
        self._starts_value = not before and block[-1] in self._separators
        self._closed = closes
        self.inside = before ^ _bit(quotes, at)
        return _last(_bits(text == NEWLINE) & ~inside) + 1

    def _literal(self, text: NDArray[np.uint8], quotes: Bits, inside: Bits) -> bool:
        """Return whether some quote outside others neither begins a value nor follows one that has just closed."""
        starts = _bits(np.logical_or.reduce([text == separator for separator in self._separators]))
        allowed = (starts & ~inside) | (quotes & inside)
        follows = allowed << np.uint64(1)
        follows[1:] |= allowed[:-1] >> np.uint64(_WORD - 1)
        follows[0] |= np.uint64(self._starts_value or self._closed)
        return bool((quotes & ~inside & ~follows).any())

    def _meant(self, block: bytes, places: list[int]) -> Bits:
        """Return the quotes that open or close, one after the other: for text that has others too."""
        inside, closed = self.inside, -1 if self._closed else -2
        kept = np.zeros(len(block), bool)
        for place in places:
            if inside:
                inside, closed = False, place
            elif closed == place - 1 or (block[place - 1] in self._separators if place else self._starts_value):
                inside = True
            else:
                continue
            kept[place] = True
        return _bits(kept)


def _bits(mask: NDArray[np.bool_]) -> Bits:
    """Return truth values as bits of whole words."""
    packed = np.packbits(mask, bitorder="little")
    whole = np.zeros(-(-len(mask) // _WORD) * 8, np.uint8)
    whole[: len(packed)] = packed
    return whole.view("<u8").astype(np.uint64, copy=False)


def _inside(quotes: Bits, inside: bool) -> Bits:
    """Return where an odd number of quotes comes before, that of the text before the block counted in."""
    odd = quotes.copy()
    for shift in (1, 2, 4, 8, 16, 32):
        odd ^= odd << np.uint64(shift)
    before = np.zeros(len(odd), np.uint64)
    before[1:] = np.bitwise_xor.accumulate(odd >> np.uint64(_WORD - 1))[:-1]
    before ^= np.uint64(inside)
    return odd ^ quotes ^ (np.uint64(0) - before)


def _bit(bits: Bits, at: int) -> bool:
    """Return one bit."""
    return bool((int(bits[at // _WORD]) >> (at % _WORD)) & 1)


def _last(bits: Bits) -> int:
    """Return the position of the last bit that is set, -1 where none is."""
    words = np.flatnonzero(bits)
    return int(words[-1]) * _WORD + int(bits[words[-1]]).bit_length() - 1 if len(words) else -1
