"""Real editors, run without a screen against `symindex lsp`; the scripts in this folder control
them."""
