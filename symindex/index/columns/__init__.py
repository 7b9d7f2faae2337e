"""The columns of an index, in memory and on the disk."""
