"""Whether and how well a needle matches names: one name, and a million at once."""
