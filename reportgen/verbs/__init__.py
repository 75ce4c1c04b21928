"""What reportgen does, as functions: a module for each family of verbs, told as stories."""
