"""Readers of the files that LLM judges leave."""
