"""The command line, run in this process."""

from click.testing import CliRunner

from symindex.serve.cli import main as door


class Ran:
    """What a run gave. Run in this process, through the same `main` that a shell calls."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


def run(*arguments: str) -> Ran:
    result = CliRunner().invoke(_Main(), [*arguments])  # type: ignore[arg-type]
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


class _Main:
    """Lets click's runner, which catches the streams, call the door's own `main`."""

    name = "symindex"

    def main(self, args: list[str], prog_name: str, **_: object) -> None:
        door.main(list(args))
