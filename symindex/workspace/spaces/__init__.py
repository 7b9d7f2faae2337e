"""The façade: roots, freshness, repair."""
