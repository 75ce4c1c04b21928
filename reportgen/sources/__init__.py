"""Read files, databases, frames, and judge outputs as columns, whole or in batches."""
