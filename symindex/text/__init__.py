"""Operations on strings: case folding, whole words, edited buffers, token budgets, escaping."""
