"""Finds the packages of a project and their files, in every ecosystem."""
