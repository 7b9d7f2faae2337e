"""Answers as formats of other tools."""
