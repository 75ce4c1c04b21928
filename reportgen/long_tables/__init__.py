"""Long tables of many items."""
