"""Lets a process that already follows a source tree answer commands about it."""
