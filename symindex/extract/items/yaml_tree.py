"""Reads YAML into a tree of keys and values, from the parser's events alone, so that no tag makes
an object and no alias a loop.

Scalars are read as people write metadata: `yes`, `no`, `on`, `off`, dates and unusual numbers stay
text.
"""

from typing import Any, Final

from symindex.extract.items.keyed_tree import (
    MOST_DEPTH,
    MOST_NODES,
    Entry,
    FormatError,
    Mapping,
    Tree,
    number_of,
    too_deep,
    too_many,
)

_MERGE: Final = "<<"
_NULL: Final = frozenset({"", "~", "null", "Null", "NULL"})
_WORDS: Final[dict[str, bool]] = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}

_REMEDY: Final = (
    "write `key: value` lines, and put quotes around a value that contains `: ` or ` #`, or begins"
    " with a special character"
)


def parse_yaml(text: str) -> Tree:
    """Parses the first document. Raises FormatError."""
    import yaml  # imported here because most processes read no YAML

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    reader = _TreeBuilder()
    try:
        for event in yaml.parse(text, Loader=loader):
            if reader.take(event):
                break
    except FormatError:
        raise
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        line = (
            mark.line + 1
            if mark is not None
            else text.count("\n", 0, getattr(error, "position", 0)) + 1
        )
        reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "not YAML"
        raise FormatError(line, f"{' '.join(str(reason).split())}; {_REMEDY}") from None
    except (RecursionError, ValueError, OverflowError):
        raise FormatError(1, f"not YAML; {_REMEDY}") from None
    return reader.root


class _OpenCollection:
    """An open list or mapping. key: the key that waits for its value."""

    def __init__(self, is_mapping: bool, anchor: str | None, n_nodes: int) -> None:
        self.anchor, self.n_before = anchor, n_nodes
        self.items: list[Tree] = []
        self.entries: list[Entry] | None = [] if is_mapping else None
        self.merged: list[Mapping] = []
        self.key: tuple[str, int, int] | None = None


class _TreeBuilder:
    """Builds the tree from events, with a stack of its own. Records for each anchor how many values
    it contains."""

    def __init__(self) -> None:
        self.root: Tree = None
        self._stack: list[_OpenCollection] = []
        self._anchors: dict[str, tuple[Tree, int]] = {}
        self._n_nodes = 0
        # The parser ends a block at the next event, after comments and blank lines. This is the end
        # of its last word.
        self._end = 0

    def take(self, event: Any) -> bool:
        """Whether the first document has ended."""
        kind = type(event).__name__
        if event.end_mark.index > event.start_mark.index:
            self._end = event.end_mark.index
        if kind == "ScalarEvent":
            plain = event.implicit[0]
            value: Tree = _resolve(event.value) if plain else event.value
            if event.anchor:
                self._anchors[event.anchor] = value, 1
            self._add(value, event, str(event.value), 1)
        elif kind == "AliasEvent":
            self._add_alias(event)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            if len(self._stack) >= MOST_DEPTH:
                raise too_deep(event.start_mark.line + 1)
            if event.anchor:
                self._anchors.pop(event.anchor, None)
            self._stack.append(
                _OpenCollection(kind == "MappingStartEvent", event.anchor, self._n_nodes)
            )
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            self._close(event)
        return kind == "DocumentEndEvent"

    def _add_alias(self, event: Any) -> None:
        line = event.start_mark.line + 1
        size = self._anchors.get(event.anchor)
        if size is None:
            inside = any(value.anchor == event.anchor for value in self._stack)
            reason = (
                "an alias inside of what it names"
                if inside
                else f"the alias *{event.anchor} names nothing"
            )
            raise FormatError(line, f"{reason}; {_REMEDY}")
        self._add(size[0], event, event.anchor, size[1])

    def _close(self, event: Any) -> None:
        opened = self._stack.pop()
        value: Tree = opened.items
        if opened.entries is not None:
            end = {entry.key for entry in opened.entries}
            for merged in opened.merged:
                opened.entries += [entry for entry in merged.entries if entry.key not in end]
                end.update(entry.key for entry in merged.entries)
            value = Mapping(opened.entries)
        if opened.anchor:
            self._anchors[opened.anchor] = value, self._n_nodes - opened.n_before + 1
        self._add(value, event, "", 1)

    def _add(self, value: Tree, event: Any, written: str, n_nodes: int) -> None:
        """Adds a value to the open list or mapping. written: its text, in case it is a key."""
        self._n_nodes += n_nodes
        if self._n_nodes > MOST_NODES:
            raise too_many(event.start_mark.line + 1)
        if not self._stack:
            self.root = value
            return
        top = self._stack[-1]
        if top.entries is None:
            top.items.append(value)
        elif top.key is None:
            top.key = written, event.start_mark.index, event.end_mark.index
        else:
            key, start, end = top.key
            top.key = None
            merged = [
                level
                for level in (value if isinstance(value, list) else [value])
                if isinstance(level, Mapping)
            ]
            if key == _MERGE and merged:
                top.merged += merged
            else:
                top.entries.append(Entry(key, value, start, end, self._end))


def _resolve(text: str) -> Tree:
    """Converts a scalar without quotes."""
    if text in _NULL:
        return None
    word = _WORDS.get(text)
    if word is not None:
        return word
    number = number_of(text)
    return text if number is None else number
