"""lsprotocol's types, each made when it is first needed: to make all 550 takes 0.2 s, and a client
needs forty of them.

For our own commands only, never for a program that uses symindex as a library. `pygls_upstream.md`
proposes it to lsprotocol.
"""

import threading
from typing import Any, Final

import attrs

_NAMED: Final[dict[str, Any]] = {}
"""The types by the names that stand for them in fields."""

_MAKING: Final = threading.RLock()


def load_types_lazily() -> None:
    """Loads them now. Where they are loaded already, nothing changes."""
    define = attrs.define
    attrs.define = _define_later  # type: ignore[assignment]
    try:
        from lsprotocol import types
    finally:
        attrs.define = define
    if not isinstance(vars(types.Position)["__attrs_attrs__"], _Fields):
        return
    _NAMED.update(types.ALL_TYPES_MAP)
    from lsprotocol import _hooks

    # Else a converter would ask all types for their fields, to replace names by types; each is
    # given them when it is made.
    _hooks._resolved_forward_references = True


def _define_later(cls: type[Any]) -> type[Any]:
    cls.__attrs_attrs__ = _Fields()
    cls.__init__ = _make_and_begin
    return cls


class _Fields:
    """In the place of the fields of a class that is not made yet."""

    def __get__(self, instance: object, cls: type[Any]) -> Any:
        _make(cls)
        return cls.__attrs_attrs__


def _make_and_begin(self: Any, *arguments: Any, **named: Any) -> None:
    """In the place of the `__init__` of such a class."""
    _make(type(self))
    self.__init__(*arguments, **named)


def _make(cls: type[Any]) -> None:
    with _MAKING:
        if isinstance(vars(cls)["__attrs_attrs__"], _Fields):
            attrs.define(cls, slots=False, init=True)  # without slots it stays the same class
            attrs.resolve_types(cls, _NAMED, {})
