"""Processes that work for this one: how they start, what they may use, how they end, and what they
do."""
