"""One search over what was added by hand and what was noted."""

from pathlib import Path
from typing import Any

from symindex.search.prose.answer import answer
from symindex.search.prose.contract import TextRequest, TextResponse, check_text_request
from symindex.search.prose.since import read_since
from symindex.session.content.content import Content, content_folder
from symindex.session.notes.notes import Notes


class Recall:
    """What a project's people and agents have added and noted. A context manager."""

    def __init__(self, root: Path) -> None:
        self._content, self._notes = Content(content_folder(root)), Notes(root)

    def __enter__(self) -> "Recall":
        return self

    def __exit__(self, *_: object) -> None:
        self._content.close()
        self._notes.close()

    def search(self, request: TextRequest | None = None, **given: Any) -> TextResponse:
        """Answers each question. request: or its fields as arguments. Raises RequestError for one that cannot be answered."""
        request = request if request is not None else TextRequest(**given)
        check_text_request(request)
        since_ms = read_since(request.since) if request.since else 0
        return answer(request, [each.collection(request, since_ms) for each in (self._content, self._notes)])
