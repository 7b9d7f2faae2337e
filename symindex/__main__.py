"""`python -m symindex`: the command line."""

from symindex.serve.cli import main

main()
