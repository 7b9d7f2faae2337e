"""Which symbol a name in a document likely means. Without types, the text and the distance decide."""

import re

from symindex.session.editor_positions import Match
from symindex.session.merged_view import Folder
from symindex.text.separators import IN_IMPORTS
from symindex.workers.document_messages import Word


def rank_candidates(matches: list[Match], place: tuple[Folder, str] | None, word: Word, text: str) -> list[Match]:
    """The symbols of a name, most likely first: those whose container is the written qualifier; then by distance: in the same
    file, in the same folder, in a file whose path is in the text, in the same root, elsewhere. Equal ones keep their order."""

    def distance(match: Match) -> tuple[int, int]:
        container = match.container.rpartition(".")[2]
        is_written = not word.qualifiers or container == word.qualifiers[-1]
        if place is None or match.folder is not place[0]:
            return (not is_written, 4)
        if match.path == place[1]:
            return (not is_written, 0)
        if match.path.rpartition("/")[0] == place[1].rpartition("/")[0]:
            return (not is_written, 1)
        return (not is_written, 2 if _is_written(match.path, text) else 3)

    return sorted(matches, key=distance)


def _is_written(path: str, text: str) -> bool:
    """Whether a text names a file or its folder as imports do: by two parts of the path with a separator between them."""
    *folders, name = path.split("/")
    parts = [*folders, name.partition(".")[0]]
    tails = [parts[-2:], parts[-3:-1]]
    return any(
        len(tail) == 2 and re.search(r"\b" + IN_IMPORTS.join(map(re.escape, tail)) + r"\b", text) is not None for tail in tails
    )
