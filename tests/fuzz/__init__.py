"""Hostile input of every kind, made from sound input by chance that a seed decides; see ``fuzz.__main__``."""
