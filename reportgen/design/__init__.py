"""What the columns of a file mean, decided once from names, contents, and settings; or one question."""
