"""What lives long: trees that are followed, documents that are open, several roots seen as one."""
