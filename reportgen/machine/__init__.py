"""What a run asks of its machine: memory, processes, signals, temporary files, and the lines that say how far it is."""
