"""Draw charts (see `reportgen.results.chart`) as SVG, as Plotly figures, and as tables."""
