"""A question in words -> ranked chunks of prose, with the pieces of their texts that answer it."""
