"""Files to symbols: walk the tree, tell the language, parse, and say what each file defines."""
