"""The options of a request: how they are read, and which rows they let through."""
