"""The history of files: blame, commits of lines, files in commits."""
