"""Finished runs, of reportgen or of RSMTool: read from their folders into one form."""
