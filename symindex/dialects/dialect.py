"""Defines a dialect: the tools of another system, as its own document describes them.

Each tool has the document's name, parameters, defaults and limits. It converts its arguments to a
request of ours, and our answer to its response. Everything has one meaning inside symindex; a
dialect adds none.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from symindex.dialects.values import check_unicode, is_absent, read_value
from symindex.errors import RequestError
from symindex.text.escaping import escape_json

if TYPE_CHECKING:
    from symindex.dialects.throttle import Turn
    from symindex.protocol.freshness import Freshness
    from symindex.workspace.answers import Answers


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """One parameter of a tool.

    kind: its type in JSON Schema: `string`, `integer`, `boolean`, `array` (of strings) or `object`;
    or `flag or object`. about: one line for readers of the schema. default: the value of an absent
    argument; `None` if the document names none. choices: the only allowed values, in any case.
    least, most: bounds of a number; for a list, most is the limit of its length. may_miss: whether
    a call is answered without it, although the schema requires it. is_listed: whether the schema
    contains it, as the document does.
    """

    name: str
    kind: str
    about: str
    default: Any = None
    is_required: bool = False
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    may_miss: bool = False
    is_listed: bool = True

    def required(self) -> "Parameter":
        """Returns a copy of this parameter that is required."""
        return msgspec.structs.replace(self, is_required=True)

    def schema(self) -> dict[str, Any]:
        """Returns the parameter's schema, as part of its tool's."""
        schema: dict[str, Any] = {"description": self.about}
        if self.kind == "flag or object":
            schema["anyOf"] = [{"type": "object"}, {"type": "boolean"}]
        else:
            schema["type"] = self.kind
        if self.kind == "array":
            items: dict[str, Any] = {"type": "string"}
            schema["items"] = items | {"enum": [*self.choices]} if self.choices else items
        elif self.choices:
            schema["enum"] = [*self.choices]
        limit_name = "maxItems" if self.kind == "array" else "maximum"
        for name, value in (
            ("default", self.default),
            ("minimum", self.least),
            (limit_name, self.most),
        ):
            if value is not None:
                schema[name] = value
        return schema

    def read(self, tool: str, value: Any) -> Any:
        """Reads the value of an argument. Raises RequestError if the schema does not allow it."""
        what = f"{tool}: {self.name}"
        read = read_value(what, self.kind, value)
        if self.kind == "array" and self.most is not None and len(read) > self.most:
            raise RequestError(f"{what} has {len(read):,} parts: at most {self.most} are allowed")
        if self.choices:
            words = [
                self._choice(what, word) for word in (read if self.kind == "array" else [read])
            ]
            return words if self.kind == "array" else words[0]
        if self.kind == "integer" and (
            read < (self.least or 0) or (self.most is not None and read > self.most)
        ):
            bounds = (
                f"{self.least or 0} or more"
                if self.most is None
                else f"{self.least or 0} to {self.most:,}"
            )
            raise RequestError(f"{what} is {read:,}: expected {bounds}")
        return read

    def _choice(self, what: str, word: str) -> str:
        """Returns the choice that equals a word in any case. Raises RequestError."""
        for choice in self.choices:
            if choice.casefold() == word.casefold():
                return choice
        raise RequestError(f"{what} is {word[:100]!r}: expected one of {', '.join(self.choices)}")


class Reply(NamedTuple):
    """The reply to a call.

    text: Markdown for a model, or `data` as JSON. data: the response that the document describes.
    n_results: the number of results on the page.
    """

    text: str
    data: Any
    n_results: int = 0
    is_error: bool = False


def as_json(data: Any, n_results: int = 0, is_error: bool = False) -> Reply:
    """Returns a reply whose text is its data as JSON."""
    return Reply(escape_json(msgspec.json.encode(data)).decode(), data, n_results, is_error)


def refusal(error: str, arguments: Mapping[str, Any]) -> Reply:
    """Returns the reply to a call that cannot be answered, for tools whose document does not define
    one."""
    return Reply(error, {"error": error}, is_error=True)


class CallContext(NamedTuple):
    """The context of a call.

    workspace: answers it. freshness: how fresh the answer must be. session: the id of
    the caller's session, or empty. turn: the place of this call among the client's recent ones;
    `None` if calls are not counted. of_root: returns the workspace of one root, if several are
    served. in_shell: whether hints are commands rather than calls of tools.
    """

    workspace: "Answers"
    freshness: "Freshness"
    session: str = ""
    turn: "Turn | None" = None
    of_root: "Callable[[Path], Answers] | None" = None
    in_shell: bool = False


class Tool(NamedTuple):
    """One tool of a dialect.

    about: its description in the list of tools. result: the properties of its response, as JSON
    Schema. answer: answers a call with these arguments; may raise RequestError. refuse: makes the
    reply to a call that cannot be answered. writes: whether it changes files. is_counted: whether
    the throttle counts its calls.
    """

    name: str
    about: str
    parameters: tuple[Parameter, ...]
    result: dict[str, Any]
    answer: Callable[[CallContext, dict[str, Any]], Reply]
    refuse: Callable[[str, Mapping[str, Any]], Reply] = refusal
    writes: bool = False
    is_counted: bool = False

    def schema(self) -> dict[str, Any]:
        """Returns the tool as an MCP server lists it."""
        listed = {
            parameter.name: parameter.schema()
            for parameter in self.parameters
            if parameter.is_listed
        }
        inputs: dict[str, Any] = {"type": "object", "properties": listed}
        if required := [parameter.name for parameter in self.parameters if parameter.is_required]:
            inputs["required"] = required
        return {
            "name": self.name,
            "description": self.about,
            "inputSchema": inputs,
            "outputSchema": {"type": "object", "properties": self.result},
            "annotations": {"readOnlyHint": not self.writes, "openWorldHint": False},
        }

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Reads the arguments, and adds the defaults of absent ones. Raises RequestError."""
        by_name = {listed_parameter.name: listed_parameter for listed_parameter in self.parameters}
        listed = [
            listed_parameter.name
            for listed_parameter in self.parameters
            if listed_parameter.is_listed
        ]
        for name, value in given.items():
            check_unicode(f"{self.name}: an argument's name", name)
            check_unicode(f"{self.name}: {name[:100]}", value)
            if name not in by_name:
                raise RequestError(
                    f"{self.name}: unknown argument {name[:100]!r}; expected one of"
                    f" {', '.join(listed)}"
                )
        arguments: dict[str, Any] = {}
        for name, parameter in by_name.items():
            value = given.get(name)
            is_text = name in given and parameter.is_required and isinstance(value, str)
            if not is_text and is_absent(value, parameter.kind):
                if parameter.is_required and not parameter.may_miss:
                    raise RequestError(f"{self.name}: {name} is missing: {parameter.about}")
                arguments[name] = parameter.default
            else:
                arguments[name] = parameter.read(self.name, value)
        return arguments

    def call(self, caller: CallContext, given: Mapping[str, Any] | None) -> Reply:
        """Answers a call. An error in the call becomes a reply, too."""
        try:
            return self.answer(caller, self.read(given or {}))
        except RequestError as error:
            return self.refuse(str(error), given or {})


class Dialect(NamedTuple):
    """The tools of another system.

    name: its name in `--dialect`. system: the system's own name. instructions: tells a model how to
    use the tools.
    """

    name: str
    system: str
    instructions: str
    tools: tuple[Tool, ...]


OWN: Final = "symindex"
"""The name of symindex's own tools in `--dialect`."""

SESSION: Final = "SYMINDEX_SESSION"
"""The environment variable with the id of an agent's session."""


def tool_of(dialects: Sequence[Dialect], name: str) -> Tool | None:
    """Returns the tool with this name, or `None` if no dialect has one."""
    return next((tool for dialect in dialects for tool in dialect.tools if tool.name == name), None)
