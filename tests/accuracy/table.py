"""Reads the data: `judges.toml` (which judge and projects a language has) and `differences.toml`
(what each difference is)."""

import re
from typing import Literal

import msgspec

from tests.accuracy.places import HERE


class Judge(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A language's judge; the head of `judges.toml` explains the fields."""

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
        """Returns the kinds of ours that a kind of theirs may be; empty if it is not judged."""
        return self.kinds.get(kind, "").split()


class Difference(msgspec.Struct, forbid_unknown_fields=True, frozen=True, rename={"verdict": "is"}):
    """A class of differences: patterns that must all match, and the verdict.

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
    """Returns the judges by language. Raises msgspec.ValidationError with the name of a wrong
    key."""
    return msgspec.toml.decode((HERE / "judges.toml").read_bytes(), type=dict[str, Judge])


def read_differences() -> dict[str, list[Difference]]:
    """Returns the classes of differences by language."""
    return msgspec.toml.decode(
        (HERE / "differences.toml").read_bytes(), type=dict[str, list[Difference]]
    )
