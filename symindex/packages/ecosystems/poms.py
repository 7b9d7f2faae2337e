"""Maven's `pom.xml`: the artifacts that a project needs, and their dependencies in turn, as far as
their poms are on this machine.

A pom inherits from its parent, and takes versions from tables (`dependencyManagement`), its own or
imported ones. The project's poms may be hostile: XML is read without a document type, so entities
do not exist; a text is measured while its properties are expanded, not afterwards; the contents of
a pom are limited, and so is the memory for all poms. A pom that was dropped is read again.
"""

import os
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from symindex.packages.ecosystems.properties import (
    LONGEST_PROPERTY,
    LONGEST_TEXT,
    MOST_EXPANDED,
    PropertyValues,
)
from symindex.packages.found.package import fault_of
from symindex.packages.found.project import Project

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MOST_POMS: Final = 3_000
"""Most poms that are read for a project."""

_MOST_BYTES: Final = 2_000_000
"""Largest pom that is read, in bytes. The version tables of large frameworks have 1 MB."""

_DEEPEST: Final = 12
"""Longest chain of parents or imports that is followed."""

_MOST_PROPERTIES: Final = 10_000
_MOST_DEPENDENCIES: Final = 20_000
"""Most properties, and most dependencies in one list or table, of a pom and its parents
together."""

_MOST_EXCLUSIONS: Final = 500
"""Most exclusions of one dependency."""

_MOST_CACHED_BYTES: Final = 60_000_000
"""Memory for cached poms, in estimated bytes. A dropped pom is read again when it is needed."""

_BYTES_A_CHARACTER: Final = 5
"""Estimated memory per character of a cached pom, in bytes, with the objects around its texts."""


_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Dependency(NamedTuple):
    """A dependency in a pom. excluded: pairs of group and artifact, either of which may be `*`."""

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
    """A pom, including what it inherits. managed: its table of versions. weight: its estimated size
    in memory, in bytes."""

    group: str
    artifact: str
    version: str
    properties: dict[str, str]
    managed: dict[tuple[str, str], Dependency]
    dependencies: list[Dependency]
    weight: int


FindPom = Callable[[str, str, str], str]
"""Returns the path of the pom of a group, artifact and version, or an empty text."""


class _PomCache:
    """A cache of poms by path, which drops the least recently used ones beyond its memory limit."""

    def __init__(self) -> None:
        self._poms: OrderedDict[str, Pom] = OrderedDict()
        self._weight = 0

    def get(self, path: str) -> Pom | None:
        pom = self._poms.get(path)
        if pom is not None:
            self._poms.move_to_end(path)
        return pom

    def add(self, path: str, pom: Pom) -> None:
        self._poms[path] = pom
        self._weight += pom.weight
        while self._weight > _MOST_CACHED_BYTES and len(self._poms) > 1:
            self._weight -= self._poms.popitem(last=False)[1].weight


class Poms:
    """The poms of a project. find_pom: searches the local repositories."""

    def __init__(self, project: Project, find_pom: FindPom) -> None:
        self._project = project
        self._find_pom = find_pom
        self._inherited, self._completed = _PomCache(), _PomCache()
        self._paths: set[str] = set()
        self._unreadable: set[str] = set()
        self._inheriting: set[str] = set()
        self._completing: set[str] = set()

    def read(self, path: str, depth: int = 0) -> Pom | None:
        """Reads a pom with everything that it inherits and imports, and expands its properties."""
        cached = self._completed.get(path)
        if cached is not None or path in self._completing:  # The pom may lead back to itself.
            return cached
        self._completing.add(path)
        try:
            pom = self._inherit(path, depth)
            pom = self._complete(pom, path, depth) if pom is not None else None
        finally:
            self._completing.discard(path)
        if pom is not None:
            self._completed.add(path, pom)
        return pom

    def needed(self, pom: Pom) -> Iterator[tuple[Dependency, bool]]:
        """Yields all dependencies of a pom, breadth first, each with whether the pom itself names
        it. Of several versions of an artifact the nearest wins, as in Maven."""
        queue = deque((dependency, True) for dependency in pom.dependencies)
        seen: set[tuple[str, str]] = set()
        while queue and not self._project.is_late():
            dependency, is_direct = queue.popleft()
            if dependency.key in seen or dependency.scope in ("system", "import"):
                continue
            seen.add(dependency.key)
            managed = pom.managed.get(dependency.key)
            if managed is not None and managed.version and not (is_direct and dependency.version):
                dependency = dependency._replace(version=managed.version)
            yield dependency, is_direct
            own_pom = self._of(dependency)
            for inner in own_pom.dependencies if own_pom is not None else ():
                is_excluded = any(
                    key in dependency.excluded
                    for key in (inner.key, (inner.group, "*"), ("*", "*"))
                )
                if (
                    not is_excluded
                    and not inner.is_optional
                    and inner.scope in ("", "compile", "runtime")
                ):
                    version = inner.version or (
                        own_pom.managed[inner.key].version
                        if own_pom and inner.key in own_pom.managed
                        else ""
                    )
                    excluded = (
                        inner.excluded | dependency.excluded
                        if inner.excluded
                        else dependency.excluded
                    )
                    if len(excluded) > _MOST_EXCLUSIONS:
                        self._project.notify_limit(
                            f"only the first {_MOST_EXCLUSIONS} exclusions of a dependency are used"
                        )
                        excluded = dependency.excluded
                    queue.append((inner._replace(version=version, excluded=excluded), False))
            if self._project.is_over(len(queue)):
                return

    def _of(self, dependency: Dependency, depth: int = 0) -> Pom | None:
        place = self._place(dependency.group, dependency.artifact, dependency.version)
        return self.read(place, depth) if place else None

    def _place(self, group: str, artifact: str, version: str) -> str:
        is_sound = version and not fault_of("maven", f"{group}:{artifact}", version)
        return self._find_pom(group, artifact, version) if is_sound else ""

    def _parse(self, path: str, text: str) -> "Element | None":
        from xml.etree import ElementTree  # Imported here because few projects need it.

        try:
            # Parsed as text, so that no other encoding can hide a document type.
            if "<!DOCTYPE" in text or "<!ENTITY" in text:
                raise ValueError("a document type")
            return ElementTree.fromstring(text)
        except (ElementTree.ParseError, ValueError, RecursionError) as error:
            self._project.notify(f"{self._project.relative(path)}: not read as a pom: {error}")
            return None

    def _inherit(self, path: str, depth: int) -> Pom | None:
        """Reads a pom with its parents' parts, but with properties unexpanded: a child may override
        them."""
        cached = self._inherited.get(path)
        if (
            cached is not None
            or path in self._unreadable
            or path in self._inheriting
            or not self._may_read(path, depth)
        ):
            return cached
        self._paths.add(path)
        self._inheriting.add(path)
        try:
            pom = self._inherit_anew(path, depth)
        finally:
            self._inheriting.discard(path)
        if pom is None:
            self._unreadable.add(path)
        else:
            self._inherited.add(path, pom)
        return pom

    def _may_read(self, path: str, depth: int) -> bool:
        """Whether one more pom may be read. Adds a notice about the limit that forbids it."""
        if depth > _DEEPEST:
            self._project.notify_limit(f"parents and imports of poms are followed {_DEEPEST} deep")
        elif path not in self._paths and len(self._paths) >= MOST_POMS:
            self._project.notify_limit(f"only the first {MOST_POMS:,} poms are read")
        else:
            return not self._project.is_late()
        return False

    def _inherit_anew(self, path: str, depth: int) -> Pom | None:
        text = self._project.text(path, _MOST_BYTES)
        element = self._parse(path, text) if text else None
        if element is None:
            return None
        fields, above = _texts(element), _child(element, "parent")
        parent_fields = _texts(above)
        parent = self._parent(path, parent_fields, depth) if above is not None else None
        group, version = (
            fields.get("groupId") or parent_fields.get("groupId", ""),
            fields.get("version") or parent_fields.get("version", ""),
        )
        artifact = fields.get("artifactId", "")
        properties = self._bounded(
            (parent.properties if parent else {}) | _texts(_child(element, "properties")),
            _MOST_PROPERTIES,
        )
        for prefix in ("project.", "pom.", ""):
            properties |= {
                f"{prefix}groupId": group,
                f"{prefix}version": version,
                f"{prefix}artifactId": artifact,
            }
        properties |= {
            "project.parent.version": parent_fields.get("version", ""),
            "project.parent.groupId": parent_fields.get("groupId", ""),
        }
        table = self._dependencies(_child(_child(element, "dependencyManagement"), "dependencies"))
        declared = self._dependencies(_child(element, "dependencies"))
        managed = self._bounded((parent.managed if parent else {}) | table, _MOST_DEPENDENCIES)
        needed = self._bounded(
            {dependency.key: dependency for dependency in parent.dependencies} | declared
            if parent
            else declared,
            _MOST_DEPENDENCIES,
        )
        weight = len(text) * _BYTES_A_CHARACTER + (parent.weight if parent else 0)
        return Pom(group, artifact, version, properties, managed, [*needed.values()], weight)

    def _bounded(self, parts: dict[_Key, _Value], most: int) -> dict[_Key, _Value]:
        """Returns the first `most` entries, with a notice if there are more."""
        if len(parts) <= most:
            return parts
        self._project.notify_limit(
            f"only the first {most:,} properties, dependencies or versions of a pom are read"
        )
        return dict(islice(parts.items(), most))

    def _dependencies(self, element: "Element | None") -> dict[tuple[str, str], Dependency]:
        """Reads a list of dependencies. If a key occurs several times, the last one counts."""
        dependencies: dict[tuple[str, str], Dependency] = {}
        for node in element if element is not None else ():
            if _name(node) != "dependency":
                continue
            fields = _texts(node)
            excluded = [
                _texts(inner)
                for inner in islice(_child(node, "exclusions") or (), _MOST_EXCLUSIONS + 1)
            ]
            if len(excluded) > _MOST_EXCLUSIONS:
                self._project.notify_limit(
                    f"only the first {_MOST_EXCLUSIONS} exclusions of a dependency are used"
                )
            group, artifact, version, scope = (
                fields.get(key, "") for key in ("groupId", "artifactId", "version", "scope")
            )
            keys = frozenset(
                (exclusion.get("groupId", ""), exclusion.get("artifactId", ""))
                for exclusion in excluded[:_MOST_EXCLUSIONS]
            )
            dependencies[group, artifact] = Dependency(
                group, artifact, version, scope, fields.get("optional") == "true", keys
            )
        return dependencies

    def _complete(self, pom: Pom, path: str, depth: int) -> Pom:
        fields = PropertyValues(pom.properties)
        managed: dict[tuple[str, str], Dependency] = {}
        imports = []
        weight = pom.weight
        for dependency in pom.managed.values():
            filled = _fill(dependency, fields)
            if filled.scope == "import":
                imports.append(filled)
            else:
                managed[filled.key] = filled
        for dependency in imports:
            if self._project.is_late():
                break
            imported = self._of(dependency, depth + 1)
            for key, value in imported.managed.items() if imported else ():
                if len(managed) >= _MOST_DEPENDENCIES:
                    self._project.notify_limit(
                        f"only the first {_MOST_DEPENDENCIES:,} versions that a pom imports are"
                        " used"
                    )
                    break
                managed.setdefault(key, value)
            weight += imported.weight if imported else 0
        dependencies = [_fill(dependency, fields) for dependency in pom.dependencies]
        group, version = fields.expand(pom.group), fields.expand(pom.version)
        if fields.n_refused:
            self._project.notify(
                f"{self._project.relative(path)}: {fields.n_refused:,} values with properties are"
                f" longer than {LONGEST_TEXT} characters, or {MOST_EXPANDED:,} in sum; they are not"
                " replaced"
            )
        return Pom(
            group,
            pom.artifact,
            version,
            pom.properties,
            managed,
            dependencies,
            weight + fields.n_written,
        )

    def _parent(self, path: str, parent_fields: dict[str, str], depth: int) -> Pom | None:
        """Returns the parent pom: from the project if it is there, else from a repository."""
        project = self._project
        if project.is_inside(path):
            place = os.path.normpath(
                os.path.join(os.path.dirname(path), parent_fields.get("relativePath", "../pom.xml"))
            )
            if not place.endswith(".xml"):
                place = os.path.join(place, "pom.xml")
            parent = (
                self._inherit(place, depth + 1)
                if project.is_inside(place) and project.is_file(place)
                else None
            )
            if parent is not None and parent.artifact == parent_fields.get("artifactId"):
                return parent
        place = self._place(
            parent_fields.get("groupId", ""),
            parent_fields.get("artifactId", ""),
            parent_fields.get("version", ""),
        )
        return self._inherit(place, depth + 1) if place else None


def _child(element: "Element | None", name: str) -> "Element | None":
    """Returns the first child with this name, in any namespace."""
    return (
        next((child for child in element if _name(child) == name), None)
        if element is not None
        else None
    )


def _name(element: "Element") -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _texts(element: "Element | None") -> dict[str, str]:
    """Returns child name -> text."""
    if element is None:
        return {}
    return {
        name: (child.text or "").strip()[:LONGEST_TEXT]
        for child in element
        if len(name := _name(child)) <= LONGEST_PROPERTY
    }


def _fill(dependency: Dependency, fields: PropertyValues) -> Dependency:
    if not any("${" in text for text in dependency[:4]):
        return dependency
    group, artifact, version, scope = (fields.expand(text) for text in dependency[:4])
    return dependency._replace(group=group, artifact=artifact, version=version, scope=scope)
