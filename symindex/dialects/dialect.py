"""What a dialect is: the tools of another system, as its own document writes them.

Each tool has the document's name, parameters, defaults and limits. It translates its arguments into
a request of ours, and our answer into its response. Inside symindex there is one meaning of
everything; a dialect adds none.
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
    from symindex.protocol.freshness import Patience
    from symindex.workspace.roots import Roots


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """One parameter of a tool.

    kind: a type of JSON Schema: `string`, `integer`, `boolean`, `array` (of texts) or `object`; or
    `flag or object`. about: one line for the reader of the schema. default: what an absent argument
    means; `None` where the document names none. choices: the only values, in any case of letters.
    least, most: bounds of a number; of a list, most is that of its parts. may_miss: whether a call
    is answered without it, though the schema requires it. is_listed: whether the schema names it;
    its document does.
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
        """This parameter, as a tool that requires it has it."""
        return msgspec.structs.replace(self, is_required=True)

    def schema(self) -> dict[str, Any]:
        """The parameter in the schema of its tool."""
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
        most = "maxItems" if self.kind == "array" else "maximum"
        for name, value in (("default", self.default), ("minimum", self.least), (most, self.most)):
            if value is not None:
                schema[name] = value
        return schema

    def read(self, tool: str, value: Any) -> Any:
        """The value of an argument. Raises RequestError for what the schema does not allow."""
        what = f"{tool}: {self.name}"
        read = read_value(what, self.kind, value)
        if self.kind == "array" and self.most is not None and len(read) > self.most:
            raise RequestError(f"{what} has {len(read):,} parts: at most {self.most} are taken")
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
        """The choice that a word is, in any case of letters."""
        for choice in self.choices:
            if choice.casefold() == word.casefold():
                return choice
        raise RequestError(f"{what} is {word[:100]!r}: expected one of {', '.join(self.choices)}")


class Reply(NamedTuple):
    """text: for a model: Markdown, or `data` as JSON. data: the response of the document.
    n_results: how many the page holds."""

    text: str
    data: Any
    n_results: int = 0
    is_error: bool = False


def as_json(data: Any, n_results: int = 0, is_error: bool = False) -> Reply:
    """A reply whose text is its data as JSON."""
    return Reply(escape_json(msgspec.json.encode(data)).decode(), data, n_results, is_error)


def refusal(error: str, arguments: Mapping[str, Any]) -> Reply:
    """What a tool answers to a call that it cannot carry out, unless its document has a form of its
    own."""
    return Reply(error, {"error": error}, is_error=True)


class Caller(NamedTuple):
    """Who calls. workspace: what answers. patience: how long an answer may wait. session: the id of
    the caller's session, empty where it has none. turn: the place of this call among those of its
    client in a window of time; `None` where nobody counts. of_root: gives what answers about one
    root alone, where several are served. in_shell: whether hints are to be commands, and not calls
    of tools."""

    workspace: "Roots"
    patience: "Patience"
    session: str = ""
    turn: "Turn | None" = None
    of_root: "Callable[[Path], Roots] | None" = None
    in_shell: bool = False


class Tool(NamedTuple):
    """about: for the reader of the list of tools. result: the properties of the response, as JSON
    Schema. answer: carries out a call whose arguments were read; it may raise RequestError. refuse:
    the response to a call that cannot be carried out. writes: whether it changes files. is_counted:
    whether calls have turns."""

    name: str
    about: str
    parameters: tuple[Parameter, ...]
    result: dict[str, Any]
    answer: Callable[[Caller, dict[str, Any]], Reply]
    refuse: Callable[[str, Mapping[str, Any]], Reply] = refusal
    writes: bool = False
    is_counted: bool = False

    def schema(self) -> dict[str, Any]:
        """The tool as an MCP server lists it."""
        listed = {each.name: each.schema() for each in self.parameters if each.is_listed}
        inputs: dict[str, Any] = {"type": "object", "properties": listed}
        if required := [each.name for each in self.parameters if each.is_required]:
            inputs["required"] = required
        return {
            "name": self.name,
            "description": self.about,
            "inputSchema": inputs,
            "outputSchema": {"type": "object", "properties": self.result},
            "annotations": {"readOnlyHint": not self.writes, "openWorldHint": False},
        }

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments by name, with the defaults of absent ones. Raises RequestError."""
        by_name = {each.name: each for each in self.parameters}
        listed = [each.name for each in self.parameters if each.is_listed]
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

    def call(self, caller: Caller, given: Mapping[str, Any] | None) -> Reply:
        """The reply to a call; what is wrong with the call is a reply, too."""
        try:
            return self.answer(caller, self.read(given or {}))
        except RequestError as error:
            return self.refuse(str(error), given or {})


class Dialect(NamedTuple):
    """name: as `--dialect` has it. system: the system's own name. instructions: for a model, how to
    use the tools."""

    name: str
    system: str
    instructions: str
    tools: tuple[Tool, ...]


OWN: Final = "symindex"
"""The name of symindex's own tools among the dialects."""

SESSION: Final = "SYMINDEX_SESSION"
"""The environment variable that holds the id of an agent's session."""


def tool_of(dialects: Sequence[Dialect], name: str) -> Tool | None:
    """The tool of that name; `None` where no dialect has one."""
    return next((tool for each in dialects for tool in each.tools if tool.name == name), None)
