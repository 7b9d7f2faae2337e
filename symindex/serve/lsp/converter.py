"""Converts messages to `lsprotocol.types`: more strictly than cattrs, and without pygls's named
tuples."""

import functools
from enum import Enum
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
    default_converter,
)

if TYPE_CHECKING:
    from cattrs import Converter


def _exactly(value: Any, kind: type[Any]) -> Any:
    if issubclass(kind, Enum):
        return kind(value)
    if type(value) is not kind:
        raise TypeError(f"{value!r} is not a {kind.__name__}")
    return value


def _number_or_text(value: Any, _: object) -> Any:
    if not isinstance(value, int | float | str | None):
        raise TypeError(f"{value!r} is not a number or a string")
    return value


@functools.cache
def message_converter() -> "Converter":
    """Returns the converter. All clients share it, because it takes long to make."""
    converter: Converter = default_converter()  # type: ignore[no-untyped-call]
    for kind in (str, int, bool):  # cattrs would turn anything into a string
        converter.register_structure_hook(kind, _exactly)
    for union in (int | str, int | str | None):  # lsprotocol does not check them
        converter.register_structure_hook(union, _number_or_text)
    converter.register_structure_hook(
        types.LanguageKind | str, lambda value, _: _exactly(value, str)
    )
    # Clients that report a change of their settings without sending them leave the field out.
    converter.register_structure_hook(
        types.DidChangeConfigurationParams, lambda data, kind: kind(data.get("settings"))
    )
    # pygls would make named tuples of unknown params and results, and lose keys that are not Python
    # names.
    converter.register_structure_hook(
        JsonRPCRequestMessage,
        lambda data, kind: kind(data["id"], data["method"], data["jsonrpc"], data.get("params")),
    )
    converter.register_structure_hook(
        JsonRPCNotification,
        lambda data, kind: kind(data["method"], data["jsonrpc"], data.get("params")),
    )
    converter.register_structure_hook(
        JsonRPCResponseMessage,
        lambda data, kind: kind(data["id"], data["jsonrpc"], data.get("result")),
    )
    return converter
