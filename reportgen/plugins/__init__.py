"""What other installed packages bring, and how their code is kept apart."""
