"""The names of fields in the options `fields` and `filters`, against what there is.

Items may have any field in their metadata. So a name is unknown only where neither the query
language knows it nor any item of the snapshot has it.
"""

from collections.abc import Collection, Sequence
from typing import Final

from symindex.errors import RequestError
from symindex.index.snapshot import Part
from symindex.search.answer.items import fields_of
from symindex.search.language.query import METADATA
from symindex.search.options.given import told
from symindex.text.escaping import shorten

_LONGEST_LIST: Final = 1_000
"""Characters of a list of fields in a message."""


def check_field_names(
    option: str, parts: Sequence[Part], wanted: Collection[str], known: Collection[str]
) -> None:
    """Raises RequestError, with a list of those there are, for a field that neither symbols have
    nor any item of a snapshot. known: those of the option itself."""
    unknown = [field for field in wanted if field not in known and field not in METADATA]
    if not unknown:
        return
    held = {name for part in parts for name in fields_of(part.index)}
    lower = {name.lower() for name in held}
    for field in unknown:
        if field not in lower:
            what = "neither symbols nor items have a field" if held else "symbols have no field"
            listed = ", ".join(sorted({*known, *METADATA, *held}))
            raise RequestError(
                f"{option}: {what} {told(field)}: expected one of {shorten(listed, _LONGEST_LIST)}"
            )
