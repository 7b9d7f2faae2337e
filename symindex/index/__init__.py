"""Builds, stores and updates the immutable index of symbols, and reads it."""
