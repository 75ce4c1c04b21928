"""The built-in section plugins: an ordinary plugin package, shipped in the same wheel."""
