"""Modules that a copy's interpreter loads. They import nothing of the tests: the copy may be of any
project."""
