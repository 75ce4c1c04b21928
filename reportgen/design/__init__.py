"""Find out what each column contains, once, from names, contents, and settings; prompt if it is unclear."""
