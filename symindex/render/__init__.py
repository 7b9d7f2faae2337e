"""Answers to text: Markdown for agents, tables for terminals."""
