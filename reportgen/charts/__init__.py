"""A drawable chart: see `reportgen.results.chart`."""
