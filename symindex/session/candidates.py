"""Which of the symbols of a name is likely meant where that stands: without types, by what is written and what is near."""

import re

from symindex.session.editor_positions import Match
from symindex.session.merged_view import Folder
from symindex.text.separators import IN_IMPORTS
from symindex.workers.document_messages import Word


def rank_candidates(matches: list[Match], place: tuple[Folder, str] | None, word: Word, text: str) -> list[Match]:
    """The symbols of a name in the order in which they are likely meant: where the container is the one that is written; in the
    same file, in the same folder, in one whose path is written in the text, elsewhere; then as they were."""

    def distance(match: Match) -> tuple[int, int]:
        container = match.hit.container.rpartition(".")[2]
        is_written = not word.qualifiers or container == word.qualifiers[-1]
        if place is None or match.folder is not place[0]:
            return (not is_written, 4)
        if match.hit.path == place[1]:
            return (not is_written, 0)
        if match.hit.path.rpartition("/")[0] == place[1].rpartition("/")[0]:
            return (not is_written, 1)
        return (not is_written, 2 if _is_written(match.hit.path, text) else 3)

    return sorted(matches, key=distance)


def _is_written(path: str, text: str) -> bool:
    """Whether a text names a file or its folder as imports do: two parts of its path and what languages write between them."""
    *folders, name = path.split("/")
    parts = [*folders, name.partition(".")[0]]
    tails = [parts[-2:], parts[-3:-1]]
    return any(
        len(tail) == 2 and re.search(r"\b" + IN_IMPORTS.join(map(re.escape, tail)) + r"\b", text) is not None for tail in tails
    )
