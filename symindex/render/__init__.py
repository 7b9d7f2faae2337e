"""Writes answers: Markdown for agents, tables for terminals, files for other tools."""
