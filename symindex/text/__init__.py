"""Operations on strings: folding, words and stems, snippets, versions, escaping, token budgets."""
