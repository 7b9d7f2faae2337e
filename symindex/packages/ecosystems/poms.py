"""Maven's `pom.xml`: which artifacts a project needs, and which these need in turn, as far as the
poms are on this machine.

A pom inherits from its parent, and takes versions from tables (`dependencyManagement`), its own or
imported ones. Poms of the project are a stranger's: XML is read without a document type, so that no
entity exists. A text with properties is measured while it grows, not before; what a pom may hold
has a bound, and so has what is kept of all poms. A pom that was dropped is read again.
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
    Fields,
)
from symindex.packages.found.names import fault_of
from symindex.packages.found.project import Project

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MOST_POMS: Final = 3_000
"""How many poms are read for a project."""

_MOST_BYTES: Final = 2_000_000
"""The largest pom that is read. The tables of versions of large frameworks have 1 MB."""

_DEEPEST: Final = 12
"""How many parents above, or imports below a pom are followed."""

_MOST_PROPERTIES: Final = 10_000
_MOST_DEPENDENCIES: Final = 20_000
"""How many properties, and dependencies in a list or a table, a pom may have with those of its
parents."""

_MOST_EXCLUSIONS: Final = 500
"""How many exclusions a dependency may have."""

_MOST_KEPT: Final = 60_000_000
"""How many bytes, by estimate, the poms that are kept take; the rest is read again when it is
needed."""

_BYTES_A_CHARACTER: Final = 5
"""An estimate of what a character of a pom takes when the pom is kept, with the objects that hold
the texts."""


_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


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
    """A pom with what it has from its parents. managed: its table of versions. weight: the bytes it
    takes, by estimate."""

    group: str
    artifact: str
    version: str
    properties: dict[str, str]
    managed: dict[tuple[str, str], Dependency]
    dependencies: list[Dependency]
    weight: int


FindPom = Callable[[str, str, str], str]
"""The path of an artifact's pom by group, artifact and version; empty where there is none."""


class _Kept:
    """A cache of poms by path. Beyond a limit of weight it drops the least recently used ones."""

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
        while self._weight > _MOST_KEPT and len(self._poms) > 1:
            self._weight -= self._poms.popitem(last=False)[1].weight


class Poms:
    """The poms of a project. find_pom: looks in the repositories of this machine."""

    def __init__(self, project: Project, find_pom: FindPom) -> None:
        self._project = project
        self._find_pom = find_pom
        self._inherited, self._completed = _Kept(), _Kept()
        self._paths: set[str] = set()
        self._unreadable: set[str] = set()
        self._inheriting: set[str] = set()
        self._completing: set[str] = set()

    def read(self, path: str, depth: int = 0) -> Pom | None:
        """A pom by its path, with what it inherits and imports, and all properties replaced."""
        kept = self._completed.get(path)
        if (
            kept is not None or path in self._completing
        ):  # the latter: a pom that leads back to itself
            return kept
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
        """All that a pom needs, with whether it names it itself: of several versions the nearest,
        as Maven takes them."""
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
                is_excluded = any(
                    at in each.excluded for at in (inner.key, (inner.group, "*"), ("*", "*"))
                )
                if (
                    not is_excluded
                    and not inner.is_optional
                    and inner.scope in ("", "compile", "runtime")
                ):
                    version = inner.version or (
                        own.managed[inner.key].version if own and inner.key in own.managed else ""
                    )
                    excluded = inner.excluded | each.excluded if inner.excluded else each.excluded
                    if len(excluded) > _MOST_EXCLUSIONS:
                        self._project.say_limit(
                            f"only the first {_MOST_EXCLUSIONS} exclusions of a dependency are"
                            " regarded"
                        )
                        excluded = each.excluded
                    queue.append((inner._replace(version=version, excluded=excluded), False))
            if self._project.is_over(len(queue)):
                return

    def _of(self, each: Dependency, depth: int = 0) -> Pom | None:
        place = self._place(each.group, each.artifact, each.version)
        return self.read(place, depth) if place else None

    def _place(self, group: str, artifact: str, version: str) -> str:
        is_sound = version and not fault_of("maven", f"{group}:{artifact}", version)
        return self._find_pom(group, artifact, version) if is_sound else ""

    def _parse(self, path: str, text: str) -> "Element | None":
        from xml.etree import ElementTree  # here, because few projects need it

        try:
            # As text, so that no other encoding hides a document type.
            if "<!DOCTYPE" in text or "<!ENTITY" in text:
                raise ValueError("a document type")
            return ElementTree.fromstring(text)
        except (ElementTree.ParseError, ValueError, RecursionError) as error:
            self._project.say(f"{self._project.relative(path)}: not read as a pom: {error}")
            return None

    def _inherit(self, path: str, depth: int) -> Pom | None:
        """A pom with what its parents have, before properties are replaced: a child may give them
        other values."""
        kept = self._inherited.get(path)
        if (
            kept is not None
            or path in self._unreadable
            or path in self._inheriting
            or not self._may_read(path, depth)
        ):
            return kept
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
        """Whether one more pom may be read; what forbids it is said."""
        if depth > _DEEPEST:
            self._project.say_limit(f"parents and imports of poms are followed {_DEEPEST} deep")
        elif path not in self._paths and len(self._paths) >= MOST_POMS:
            self._project.say_limit(f"only the first {MOST_POMS:,} poms are read")
        else:
            return not self._project.is_late()
        return False

    def _inherit_anew(self, path: str, depth: int) -> Pom | None:
        text = self._project.text(path, _MOST_BYTES)
        element = self._parse(path, text) if text else None
        if element is None:
            return None
        own, above = _texts(element), _child(element, "parent")
        said = _texts(above)
        parent = self._parent(path, said, depth) if above is not None else None
        group, version = (
            own.get("groupId") or said.get("groupId", ""),
            own.get("version") or said.get("version", ""),
        )
        artifact = own.get("artifactId", "")
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
            "project.parent.version": said.get("version", ""),
            "project.parent.groupId": said.get("groupId", ""),
        }
        table = self._dependencies(_child(_child(element, "dependencyManagement"), "dependencies"))
        named = self._dependencies(_child(element, "dependencies"))
        managed = self._bounded((parent.managed if parent else {}) | table, _MOST_DEPENDENCIES)
        needed = self._bounded(
            {each.key: each for each in parent.dependencies} | named if parent else named,
            _MOST_DEPENDENCIES,
        )
        weight = len(text) * _BYTES_A_CHARACTER + (parent.weight if parent else 0)
        return Pom(group, artifact, version, properties, managed, [*needed.values()], weight)

    def _bounded(self, parts: dict[_Key, _Value], most: int) -> dict[_Key, _Value]:
        """The first parts of a pom, where it has more than are read."""
        if len(parts) <= most:
            return parts
        self._project.say_limit(
            f"only the first {most:,} properties, dependencies or versions of a pom are read"
        )
        return dict(islice(parts.items(), most))

    def _dependencies(self, element: "Element | None") -> dict[tuple[str, str], Dependency]:
        """What a list of dependencies says; of several with a key the last."""
        found: dict[tuple[str, str], Dependency] = {}
        for each in element if element is not None else ():
            if _name(each) != "dependency":
                continue
            said = _texts(each)
            excluded = [
                _texts(inner)
                for inner in islice(_child(each, "exclusions") or (), _MOST_EXCLUSIONS + 1)
            ]
            if len(excluded) > _MOST_EXCLUSIONS:
                self._project.say_limit(
                    f"only the first {_MOST_EXCLUSIONS} exclusions of a dependency are regarded"
                )
            group, artifact, version, scope = (
                said.get(key, "") for key in ("groupId", "artifactId", "version", "scope")
            )
            keys = frozenset(
                (one.get("groupId", ""), one.get("artifactId", ""))
                for one in excluded[:_MOST_EXCLUSIONS]
            )
            found[group, artifact] = Dependency(
                group, artifact, version, scope, said.get("optional") == "true", keys
            )
        return found

    def _complete(self, pom: Pom, path: str, depth: int) -> Pom:
        fields = Fields(pom.properties)
        managed: dict[tuple[str, str], Dependency] = {}
        imports = []
        weight = pom.weight
        for each in pom.managed.values():
            filled = _fill(each, fields)
            if filled.scope == "import":
                imports.append(filled)
            else:
                managed[filled.key] = filled
        for each in imports:
            if self._project.is_late():
                break
            other = self._of(each, depth + 1)
            for key, value in other.managed.items() if other else ():
                if len(managed) >= _MOST_DEPENDENCIES:
                    self._project.say_limit(
                        f"only the first {_MOST_DEPENDENCIES:,} versions that a pom imports are"
                        " regarded"
                    )
                    break
                managed.setdefault(key, value)
            weight += other.weight if other else 0
        dependencies = [_fill(each, fields) for each in pom.dependencies]
        group, version = fields.expand(pom.group), fields.expand(pom.version)
        if fields.n_refused:
            self._project.say(
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

    def _parent(self, path: str, said: dict[str, str], depth: int) -> Pom | None:
        """The parent: in the project where it stands there, else from a repository."""
        project = self._project
        if project.is_inside(path):
            place = os.path.normpath(
                os.path.join(os.path.dirname(path), said.get("relativePath", "../pom.xml"))
            )
            if not place.endswith(".xml"):
                place = os.path.join(place, "pom.xml")
            found = (
                self._inherit(place, depth + 1)
                if project.is_inside(place) and project.is_file(place)
                else None
            )
            if found is not None and found.artifact == said.get("artifactId"):
                return found
        place = self._place(
            said.get("groupId", ""), said.get("artifactId", ""), said.get("version", "")
        )
        return self._inherit(place, depth + 1) if place else None


def _child(element: "Element | None", name: str) -> "Element | None":
    """The first child of a name, in whatever namespace."""
    return (
        next((each for each in element if _name(each) == name), None)
        if element is not None
        else None
    )


def _name(element: "Element") -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _texts(element: "Element | None") -> dict[str, str]:
    """The texts of the children by their names."""
    if element is None:
        return {}
    return {
        name: (each.text or "").strip()[:LONGEST_TEXT]
        for each in element
        if len(name := _name(each)) <= LONGEST_PROPERTY
    }


def _fill(each: Dependency, fields: Fields) -> Dependency:
    if not any("${" in text for text in each[:4]):
        return each
    group, artifact, version, scope = (fields.expand(text) for text in each[:4])
    return each._replace(group=group, artifact=artifact, version=version, scope=scope)
