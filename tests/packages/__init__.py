"""Tests of what a project depends on."""
