"""The language server: the only folder that knows the protocol of editors."""
