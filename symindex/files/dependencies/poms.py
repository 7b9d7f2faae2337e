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
        self._inherited: dict[str, Pom | None] = {}
        self._known: dict[str, Pom | None] = {}

    def read(self, path: str, depth: int = 0) -> Pom | None:
        """A pom by its path, with what it inherits and imports, and all properties replaced."""
        if path not in self._known and depth <= _DEEPEST:
            self._known[path] = None  # a pom that leads back to itself
            pom = self._inherit(path, depth)
            self._known[path] = self._complete(pom, depth) if pom is not None else None
        return self._known.get(path)

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
        place = self._place(each.group, each.artifact, each.version)
        return self.read(place, depth) if place else None

    def _place(self, group: str, artifact: str, version: str) -> str:
        is_sound = version and not fault_of("maven", f"{group}:{artifact}", version)
        return self._find_pom(group, artifact, version) if is_sound else ""

    def _parse(self, path: str) -> "Element | None":
        from xml.etree import ElementTree  # here, because few projects need it

        text = self._project.text(path, _MOST_BYTES)
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

    def _inherit(self, path: str, depth: int) -> Pom | None:
        """A pom with what its parents have, before properties are replaced: a child may give them other values."""
        if path in self._inherited or depth > _DEEPEST or len(self._inherited) >= MOST_POMS or self._project.is_late():
            return self._inherited.get(path)
        self._inherited[path] = None
        element = self._parse(path)
        if element is None:
            return None
        own, above = _texts(element), _child(element, "parent")
        said = _texts(above)
        parent = self._parent(path, said, depth) if above is not None else None
        group, version = own.get("groupId") or said.get("groupId", ""), own.get("version") or said.get("version", "")
        artifact = own.get("artifactId", "")
        properties = (parent.properties if parent else {}) | _texts(_child(element, "properties"))
        for prefix in ("project.", "pom.", ""):
            properties |= {f"{prefix}groupId": group, f"{prefix}version": version, f"{prefix}artifactId": artifact}
        properties |= {"project.parent.version": said.get("version", ""), "project.parent.groupId": said.get("groupId", "")}
        table = _child(_child(element, "dependencyManagement"), "dependencies")
        managed = (parent.managed if parent else {}) | {each.key: each for each in _dependencies(table)}
        named = [*(parent.dependencies if parent else ()), *_dependencies(_child(element, "dependencies"))]
        pom = Pom(group, artifact, version, properties, managed, [*{each.key: each for each in named}.values()])
        self._inherited[path] = pom
        return pom

    def _complete(self, pom: Pom, depth: int) -> Pom:
        values = pom.properties
        managed: dict[tuple[str, str], Dependency] = {}
        imports = []
        for each in pom.managed.values():
            filled = _fill(each, values)
            if filled.scope == "import":
                imports.append(filled)
            else:
                managed[filled.key] = filled
        for each in imports:
            other = self._of(each, depth + 1)
            for key, value in other.managed.items() if other else ():
                managed.setdefault(key, value)
        dependencies = [_fill(each, values) for each in pom.dependencies]
        return Pom(_expand(pom.group, values), pom.artifact, _expand(pom.version, values), values, managed, dependencies)

    def _parent(self, path: str, said: dict[str, str], depth: int) -> Pom | None:
        """The parent: in the project where it stands there, else from a repository."""
        project = self._project
        if project.is_inside(path):
            place = os.path.normpath(os.path.join(os.path.dirname(path), said.get("relativePath", "../pom.xml")))
            if not place.endswith(".xml"):
                place = os.path.join(place, "pom.xml")
            found = self._inherit(place, depth + 1) if project.is_inside(place) and project.is_file(place) else None
            if found is not None and found.artifact == said.get("artifactId"):
                return found
        place = self._place(said.get("groupId", ""), said.get("artifactId", ""), said.get("version", ""))
        return self._inherit(place, depth + 1) if place else None


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


def _dependencies(element: "Element | None") -> list[Dependency]:
    found = []
    for each in element if element is not None else ():
        said = _texts(each)
        excluded = [_texts(inner) for inner in _child(each, "exclusions") or ()]
        if _name(each) == "dependency":
            group, artifact, version, scope = (said.get(key, "") for key in ("groupId", "artifactId", "version", "scope"))
            keys = frozenset((one.get("groupId", ""), one.get("artifactId", "")) for one in excluded)
            found.append(Dependency(group, artifact, version, scope, said.get("optional") == "true", keys))
    return found


def _fill(each: Dependency, properties: dict[str, str]) -> Dependency:
    group, artifact, version, scope = (_expand(text, properties) for text in each[:4])
    return each._replace(group=group, artifact=artifact, version=version, scope=scope)


def _expand(text: str, properties: dict[str, str]) -> str:
    """A text with its properties replaced, as far as they are known and do not lead in a circle."""
    for _ in range(_DEEPEST):
        if "${" not in text or len(text) > _LONGEST_TEXT:
            break
        text = _PROPERTY.sub(lambda match: properties.get(match[1], match[0]), text)
    return text
