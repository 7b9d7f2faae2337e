"""Tests of the packages that a project depends on."""
