"""Commands that are answered by a process that follows their tree already."""
