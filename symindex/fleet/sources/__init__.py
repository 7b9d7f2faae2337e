"""Brings the files of repositories up to date in a folder of ours."""
