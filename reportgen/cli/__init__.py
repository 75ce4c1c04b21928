"""The command line: a module for each family of commands, and `app`, which puts them together."""
