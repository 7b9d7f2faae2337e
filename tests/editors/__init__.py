"""Real editors, run without a screen against `symindex lsp`: what they are told to do is in the
scripts beside this file."""
