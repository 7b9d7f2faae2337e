"""Binds uses of names to symbols: by scopes, imports, members and the types of receivers."""
