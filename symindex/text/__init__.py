"""What is done with strings: case folding, whole words, edited buffers, token budgets, what does not show as itself."""
