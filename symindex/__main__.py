"""The command `symindex`, and `python -m symindex`: the command line."""

import sys


def main() -> None:
    """Runs the command line and exits with its code."""
    try:
        from symindex.serve.cli import main as run  # here, because Ctrl-C may come while it is loaded
    except KeyboardInterrupt:
        sys.stderr.write("symindex: interrupted\n")
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
