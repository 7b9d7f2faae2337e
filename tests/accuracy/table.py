"""The data: `judges.toml` (who judges what, on which project) and `differences.toml` (what a
difference is)."""

import re
from typing import Literal

import msgspec

from tests.accuracy.places import HERE


class Judge(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One language's judge; the fields are explained at the head of `judges.toml`."""

    judge: str
    projects: list[str]
    run: list[str] = []
    build: list[str] = []
    debian: list[str] = []
    npm: list[str] = []
    pypi: list[str] = []
    limit: int = 600
    locals: bool = False
    only: str = ""
    leave: str = ""
    lists: str = ""
    kinds: dict[str, str] = {}
    containers: bool = True
    environment: dict[str, str] = {}

    def ours(self, kind: str) -> list[str]:
        """Our kinds that one of theirs may be; empty: not judged."""
        return self.kinds.get(kind, "").split()


class Difference(msgspec.Struct, forbid_unknown_fields=True, frozen=True, rename={"verdict": "is"}):
    """A class of differences: patterns, which must all be found, and what it is.

    kind, for a disagreement: theirs, `>`, ours. text: the line of the source. before: the line
    above it.
    """

    side: str
    verdict: Literal["theirs", "ours", "decision"]
    why: str
    kind: str = ""
    name: str = ""
    text: str = ""
    path: str = ""
    before: str = ""

    def fits(self, side: str, kind: str, name: str, text: str, path: str, before: str) -> bool:
        pairs = (
            (self.kind, kind),
            (self.name, name),
            (self.text, text),
            (self.path, path),
            (self.before, before),
        )
        return side in self.side.split() and all(
            not wanted or re.search(wanted, value) for wanted, value in pairs
        )


def read_judges() -> dict[str, Judge]:
    """By language. Raises msgspec.ValidationError that names the key that is wrong."""
    return msgspec.toml.decode((HERE / "judges.toml").read_bytes(), type=dict[str, Judge])


def read_differences() -> dict[str, list[Difference]]:
    """By language."""
    return msgspec.toml.decode(
        (HERE / "differences.toml").read_bytes(), type=dict[str, list[Difference]]
    )
