"""Replace RSMTool: read its configurations, and write its folder layout and its tables, cell for cell.

Names of files, rows, and columns are RSMTool's (Apache-2.0, Educational Testing Service), so that programs that read
its output can read ours.
"""
