"""What stands in files, for a reader: the code of a symbol, outlines, references."""
