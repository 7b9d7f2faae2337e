"""From a file's bytes to the text that is parsed."""
