"""Sources of scores: files, databases, frames and outputs of judges, read as columns or in batches."""
