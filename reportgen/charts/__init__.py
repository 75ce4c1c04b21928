"""A drawable chart: see `reportgen.charts.spec`."""
