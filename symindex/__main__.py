"""The command `symindex`, and `python -m symindex`: the command line."""

import os
import sys

from symindex.workers.isolation import leave_out_current_folder

leave_out_current_folder()  # before anything else is imported


def main() -> None:
    """Runs the command line and exits with its code."""
    # numpy's linear algebra, which nothing here needs, would start its threads: a sixth of the time of a search.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from symindex.session.early_walk import begin_walk, end_walk

        begin_walk(sys.argv[1:])
        from symindex.serve.cli.main import main as run  # here, because Ctrl-C may come while it is loaded
    except KeyboardInterrupt:
        sys.stderr.write("symindex: interrupted\n")
        sys.exit(130)
    except Exception as error:  # the command line, which reports errors, is not loaded yet
        from symindex.serve.faults import tell_fault

        sys.exit(tell_fault(error))
    try:
        run()
    finally:
        end_walk()


if __name__ == "__main__":
    main()
