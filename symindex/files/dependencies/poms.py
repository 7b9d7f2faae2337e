"""Maven's `pom.xml`: which artifacts a project needs, and which these need in turn, as far as the poms are on this machine.

A pom inherits from its parent, and takes versions from tables (`dependencyManagement`), its own or imported ones. Poms of the
project are a stranger's: XML is read without a document type, so that no entity exists, and everything is bounded.
"""

import os
import re
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from symindex.files.dependencies.names import fault_of
from symindex.files.dependencies.project import Project

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MOST_POMS: Final = 3_000
"""How many poms are read for a project."""

_MOST_BYTES: Final = 2_000_000
_DEEPEST: Final = 12
"""How many parents above, or imports below a pom are followed."""

_LONGEST_TEXT: Final = 500

_PROPERTY: Final = re.compile(r"\$\{([\w.-]{1,200})\}")


class Dependency(NamedTuple):
    """What a pom says of one. excluded: group and artifact, or `*`."""

    group: str
    artifact: str
    version: str = ""
    scope: str = ""
    is_optional: bool = False
    excluded: frozenset[tuple[str, str]] = frozenset()

    @property
    def key(self) -> tuple[str, str]:
        return self.group, self.artifact


class Pom(NamedTuple):
    """A pom with what it has from its parents. managed: its table of versions."""

    group: str
    artifact: str
    version: str
    properties: dict[str, str]
    managed: dict[tuple[str, str], Dependency]
    dependencies: list[Dependency]


FindPom = Callable[[str, str, str], str]
"""The path of an artifact's pom by group, artifact and version; empty where there is none."""


class Poms:
    """The poms of a project. find_pom: looks in the repositories of this machine."""

    def __init__(self, project: Project, find_pom: FindPom) -> None:
        self._project = project
        self._find_pom = find_pom
        self._known: dict[str, Pom | None] = {}

    def read(self, path: str, depth: int = 0) -> Pom | None:
        """A pom by its path, with what it inherits."""
        if path in self._known or depth > _DEEPEST or len(self._known) >= MOST_POMS or self._project.is_late():
            return self._known.get(path)
        self._known[path] = None  # a pom that leads back to itself
        element = self._parse(path)
        if element is not None:
            self._known[path] = self._inherit(path, element, depth)
        return self._known[path]

    def needed(self, pom: Pom) -> Iterator[tuple[Dependency, bool]]:
        """All that a pom needs, with whether it names it itself: of several versions the nearest, as Maven takes them."""
        queue = deque((each, True) for each in pom.dependencies)
        seen: set[tuple[str, str]] = set()
        while queue and not self._project.is_late():
            each, is_direct = queue.popleft()
            if each.key in seen or each.scope in ("system", "import"):
                continue
            seen.add(each.key)
            managed = pom.managed.get(each.key)
            if managed is not None and managed.version and not (is_direct and each.version):
                each = each._replace(version=managed.version)
            yield each, is_direct
            own = self._of(each)
            for inner in own.dependencies if own is not None else ():
                is_excluded = any(at in each.excluded for at in (inner.key, (inner.group, "*"), ("*", "*")))
                if not is_excluded and not inner.is_optional and inner.scope in ("", "compile", "runtime"):
                    version = inner.version or (own.managed[inner.key].version if own and inner.key in own.managed else "")
                    queue.append((inner._replace(version=version, excluded=inner.excluded | each.excluded), False))

    def _of(self, each: Dependency, depth: int = 0) -> Pom | None:
        if fault_of("maven", f"{each.group}:{each.artifact}", each.version) or not each.version:
            return None
        path = self._find_pom(each.group, each.artifact, each.version)
        return self.read(path, depth) if path else None

    def _parse(self, path: str) -> "Element | None":
        from xml.etree import ElementTree  # here, because few projects need it

        text = self._project.read_text(path, _MOST_BYTES)
        if not text:
            return None
        try:
            # As text, so that no other encoding hides a document type.
            if "<!DOCTYPE" in text or "<!ENTITY" in text:
                raise ValueError("a document type")
            return ElementTree.fromstring(text)
        except (ElementTree.ParseError, ValueError, RecursionError) as error:
            self._project.say(f"{self._project.relative(path)}: not read as a pom: {error}")
            return None

    def _inherit(self, path: str, element: "Element", depth: int) -> Pom:
        own = _texts(element)
        above = _child(element, "parent")
        parent = self._parent(path, _texts(above), depth) if above is not None else None
        said = _texts(above) if above is not None else {}
        group, version = own.get("groupId") or said.get("groupId", ""), own.get("version") or said.get("version", "")
        properties = dict(parent.properties) if parent else {}
        properties |= _texts(_child(element, "properties"))
        for prefix in ("project.", "pom.", ""):
            properties |= {
                f"{prefix}groupId": group,
                f"{prefix}version": version,
                f"{prefix}artifactId": own.get("artifactId", ""),
            }
        properties |= {"project.parent.version": said.get("version", ""), "project.parent.groupId": said.get("groupId", "")}
        table = _child(_child(element, "dependencyManagement"), "dependencies")
        managed = dict(parent.managed) if parent else {}
        imported: dict[tuple[str, str], Dependency] = {}
        for each in _dependencies(table, properties):
            if each.scope != "import":
                managed[each.key] = each
                continue
            other = self._of(each, depth + 1)
            for key, value in other.managed.items() if other else ():
                imported.setdefault(key, value)
        managed = imported | managed
        own_dependencies = _dependencies(_child(element, "dependencies"), properties)
        named = {each.key: each for each in [*(parent.dependencies if parent else ()), *own_dependencies]}
        return Pom(
            _expand(group, properties),
            own.get("artifactId", ""),
            _expand(version, properties),
            properties,
            managed,
            [*named.values()],
        )

    def _parent(self, path: str, said: dict[str, str], depth: int) -> Pom | None:
        """The parent: in the project where it stands there, else from a repository."""
        project = self._project
        if project.is_inside(path):
            place = os.path.normpath(os.path.join(os.path.dirname(path), said.get("relativePath", "../pom.xml")))
            if not place.endswith(".xml"):
                place = os.path.join(place, "pom.xml")
            found = self.read(place, depth + 1) if project.is_inside(place) and project.is_file(place) else None
            if found is not None and found.artifact == said.get("artifactId"):
                return found
        return self._of(Dependency(said.get("groupId", ""), said.get("artifactId", ""), said.get("version", "")), depth + 1)


def _child(element: "Element | None", name: str) -> "Element | None":
    """The first child of a name, in whatever namespace."""
    return next((each for each in element if _name(each) == name), None) if element is not None else None


def _name(element: "Element") -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _texts(element: "Element | None") -> dict[str, str]:
    """The texts of the children by their names."""
    if element is None:
        return {}
    return {_name(each): (each.text or "").strip()[:_LONGEST_TEXT] for each in element}


def _dependencies(element: "Element | None", properties: dict[str, str]) -> list[Dependency]:
    found = []
    for each in element if element is not None else ():
        said = {key: _expand(value, properties) for key, value in _texts(each).items()}
        excluded = [_texts(inner) for inner in _child(each, "exclusions") or ()]
        if _name(each) == "dependency":
            found.append(
                Dependency(
                    said.get("groupId", ""), said.get("artifactId", ""), said.get("version", ""), said.get("scope", ""),
                    said.get("optional") == "true",
                    frozenset((one.get("groupId", ""), one.get("artifactId", "")) for one in excluded),
                )
            )  # fmt: skip
    return found


def _expand(text: str, properties: dict[str, str]) -> str:
    """A text with its properties replaced, as far as they are known and do not lead in a circle."""
    for _ in range(_DEEPEST):
        if "${" not in text or len(text) > _LONGEST_TEXT:
            break
        text = _PROPERTY.sub(lambda match: properties.get(match[1], match[0]), text)
    return text
