"""YAML to a tree of keys and values, from the parser's events alone, so that no tag makes an object
and no alias a loop.

Scalars are read as people write metadata: `yes`, `no`, `on`, `off`, dates and odd numbers stay
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
    "write `key: value` lines, and put quotes around a value that holds `: ` or ` #`, or begins"
    " with a special character"
)


def parse_yaml(text: str) -> Tree:
    """The first document. Raises FormatError."""
    import yaml  # here, because most processes read no YAML

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    reader = _Reader()
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
        said = getattr(error, "problem", None) or getattr(error, "reason", None) or "not YAML"
        raise FormatError(line, f"{' '.join(str(said).split())}; {_REMEDY}") from None
    except (RecursionError, ValueError, OverflowError):
        raise FormatError(1, f"not YAML; {_REMEDY}") from None
    return reader.root


class _Open:
    """A list or a mapping that has not ended. key: the one that waits for its value."""

    def __init__(self, is_mapping: bool, anchor: str | None, n_nodes: int) -> None:
        self.anchor, self.n_before = anchor, n_nodes
        self.items: list[Tree] = []
        self.entries: list[Entry] | None = [] if is_mapping else None
        self.merged: list[Mapping] = []
        self.key: tuple[str, int, int] | None = None


class _Reader:
    """Builds the tree from events, with a stack of its own. Each anchor knows how many values it
    stands for."""

    def __init__(self) -> None:
        self.root: Tree = None
        self._stack: list[_Open] = []
        self._anchors: dict[str, tuple[Tree, int]] = {}
        self._n_nodes = 0
        # A block ends where the next thing begins, comments and blank lines later: this is where
        # its last word ends.
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
            self._stack.append(_Open(kind == "MappingStartEvent", event.anchor, self._n_nodes))
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            self._close(event)
        return kind == "DocumentEndEvent"

    def _add_alias(self, event: Any) -> None:
        line = event.start_mark.line + 1
        known = self._anchors.get(event.anchor)
        if known is None:
            inside = any(each.anchor == event.anchor for each in self._stack)
            said = (
                "an alias inside of what it names"
                if inside
                else f"the alias *{event.anchor} names nothing"
            )
            raise FormatError(line, f"{said}; {_REMEDY}")
        self._add(known[0], event, event.anchor, known[1])

    def _close(self, event: Any) -> None:
        opened = self._stack.pop()
        value: Tree = opened.items
        if opened.entries is not None:
            here = {entry.key for entry in opened.entries}
            for merged in opened.merged:
                opened.entries += [entry for entry in merged.entries if entry.key not in here]
                here.update(entry.key for entry in merged.entries)
            value = Mapping(opened.entries)
        if opened.anchor:
            self._anchors[opened.anchor] = value, self._n_nodes - opened.n_before + 1
        self._add(value, event, "", 1)

    def _add(self, value: Tree, event: Any, written: str, n_nodes: int) -> None:
        """Puts a value where it belongs. written: its text, if it turns out to be a key."""
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
                each
                for each in (value if isinstance(value, list) else [value])
                if isinstance(each, Mapping)
            ]
            if key == _MERGE and merged:
                top.merged += merged
            else:
                top.entries.append(Entry(key, value, start, end, self._end))


def _resolve(text: str) -> Tree:
    """A scalar without quotes."""
    if text in _NULL:
        return None
    word = _WORDS.get(text)
    if word is not None:
        return word
    number = number_of(text)
    return text if number is None else number
