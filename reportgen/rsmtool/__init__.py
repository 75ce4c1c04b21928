"""Drop-in for RSMTool: its configurations in, its folder layout and tables out, cell for cell.

Names of files, rows and columns here are RSMTool's (Apache-2.0, Educational Testing Service), so
that what reads its output reads ours.
"""
