"""Where the benchmark keeps its files, and how much of it to run."""

import hashlib
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
REPOSITORY = HERE.parent.parent


class BenchError(Exception):
    """A measurement is impossible; the message is one line that says what to do."""


def default_folder() -> Path:
    """Returns the benchmark's own folder in the user's cache directory."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "symindex-bench"


@dataclass(frozen=True)
class Bench:
    """One run of the suite.

    folder: for downloads, corpora, other tools and scratch files. quick: whether to use the small
    corpora. rounds: how often each thing is timed. failures: what parts could not measure, although
    they continued.
    """

    folder: Path
    quick: bool = False
    rounds: int = 3
    failures: list[str] = field(default_factory=list, compare=False)

    @property
    def code(self) -> Path:
        """The corpus of real code: the root that is indexed."""
        return self.folder / ("code-quick" if self.quick else "code")

    @property
    def scratch(self) -> Path:
        """A folder for files that every run makes anew, separate for every checkout of the
        repository."""
        folder = self.folder / "scratch" / hashlib.sha256(str(REPOSITORY).encode()).hexdigest()[:12]
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def fail(self, what: str) -> None:
        """Reports what could not be measured, when the rest can be."""
        say(what)
        self.failures.append(what)


def say(text: str) -> None:
    """Reports progress on standard error."""
    print(f"bench: {text}", file=sys.stderr, flush=True)
