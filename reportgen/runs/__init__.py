"""Read finished runs of reportgen or RSMTool into one form."""
