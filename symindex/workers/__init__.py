"""Processes that work for this one: how they start, what they may take, how they end, and what they
do."""
