"""Makes lsprotocol's types when they are first needed: making all 550 takes 0.2 s, and a client
needs forty.

Only our own commands use this, never a program that uses symindex as a library. `pygls_upstream.md`
proposes it to lsprotocol.
"""

import threading
from typing import Any, Final

import attrs

_NAMED: Final[dict[str, Any]] = {}
"""The types by the names that fields use for them."""

_MAKING: Final = threading.RLock()


def load_types_lazily() -> None:
    """Loads the module now, with types that are made later. Does nothing if it is already
    loaded."""
    define = attrs.define
    attrs.define = _define_later  # type: ignore[assignment]
    try:
        from lsprotocol import types
    finally:
        attrs.define = define
    if not isinstance(vars(types.Position)["__attrs_attrs__"], _LazyFields):
        return
    _NAMED.update(types.ALL_TYPES_MAP)
    from lsprotocol import _hooks

    # Otherwise a converter would resolve the names in the fields of all types; here, each is
    # resolved when it is made.
    _hooks._resolved_forward_references = True


def _define_later(cls: type[Any]) -> type[Any]:
    cls.__attrs_attrs__ = _LazyFields()
    cls.__init__ = _make_and_begin
    return cls


class _LazyFields:
    """Placeholder for the fields of a class that has not been made yet."""

    def __get__(self, instance: object, cls: type[Any]) -> Any:
        _make(cls)
        return cls.__attrs_attrs__


def _make_and_begin(self: Any, *arguments: Any, **named: Any) -> None:
    """Placeholder for the `__init__` of a class that has not been made yet."""
    _make(type(self))
    self.__init__(*arguments, **named)


def _make(cls: type[Any]) -> None:
    with _MAKING:
        if isinstance(vars(cls)["__attrs_attrs__"], _LazyFields):
            attrs.define(cls, slots=False, init=True)  # without slots it remains the same class
            attrs.resolve_types(cls, _NAMED, {})
