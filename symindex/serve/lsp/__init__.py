"""The language server. No other package knows the Language Server Protocol."""
