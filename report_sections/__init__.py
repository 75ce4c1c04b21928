"""Provide the built-in sections as an ordinary plugin package in the same wheel."""
