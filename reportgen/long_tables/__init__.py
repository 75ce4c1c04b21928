"""Tables of many items: what one pass over the responses counts, what is evaluated of it, and the long tables made."""
