"""Runs set side by side: what changed from one to another, and how many of them compare."""
