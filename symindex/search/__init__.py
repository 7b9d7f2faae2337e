"""A query to hits to a page."""
