"""Java and other JVM languages: the source jars of the artifacts that Maven or Gradle files name,
and the source of the JDK."""

import os
import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from symindex.packages.ecosystems.gradle import BUILD_FILES, CATALOG, LOCK_FILE, read_builds
from symindex.packages.ecosystems.poms import Dependency, Pom, Poms
from symindex.packages.found.package import Package, fault_of
from symindex.packages.found.project import Project

_POM: Final = "pom.xml"
_SIGNS: Final = (_POM, *BUILD_FILES, LOCK_FILE, "settings.gradle", "settings.gradle.kts")

_LOCAL: Final = re.compile(r"-Dmaven\.repo\.local=(\S{1,1000})")
_LOCAL_REPOSITORY: Final = re.compile(
    r"<localRepository>\s*([^<>\n]{1,1000}?)\s*</localRepository>"
)
_JDK_VERSION: Final = re.compile(r'^JAVA_VERSION="([\w.+-]{1,60})"', re.MULTILINE)

_MOST_VARIANTS: Final = 20
"""Most folders that are searched for one version of an artifact in Gradle's cache, which has one
per file."""


class _Repositories:
    """The local repositories where Maven and Gradle store downloaded files."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._maven = list(_maven_repositories(project))
        home = project.variable("GRADLE_USER_HOME") or os.path.join(project.home, ".gradle")
        self._gradle = os.path.join(home, "caches", "modules-2", "files-2.1")

    def find(self, group: str, artifact: str, version: str, ending: str) -> str:
        """Returns the path of an artifact's file, or an empty text. The names must be checked
        already."""
        name = f"{artifact}-{version}{ending}"
        for base in self._maven:
            path = os.path.join(base, *group.split("."), artifact, version, name)
            if self._project.is_file(path):
                return path
        folder = os.path.join(self._gradle, group, artifact, version)
        for entry in self._project.entries(folder)[:_MOST_VARIANTS]:
            path = os.path.join(folder, entry.name, name)
            if self._project.is_file(path):
                return path
        return ""

    def find_pom(self, group: str, artifact: str, version: str) -> str:
        return self.find(group, artifact, version, ".pom")


def find(project: Project) -> Iterator[Package]:
    """Yields the artifacts, and the JDK."""
    if not any(project.places(name) for name in _SIGNS):
        return
    repositories = _Repositories(project)
    poms = Poms(project, repositories.find_pom)
    artifacts: dict[tuple[str, str, str], tuple[bool, str, str]] = {}
    for dependency, is_direct, source, remedy in chain(
        _of_maven(project, poms), _of_gradle(project, poms)
    ):
        if project.is_over(len(artifacts)):
            break
        key = (dependency.group, dependency.artifact, dependency.version)
        if key not in artifacts or is_direct:
            artifacts[key] = (is_direct, source, remedy)
    for (group, artifact, version), (is_direct, source, remedy) in artifacts.items():
        name = f"{group}:{artifact}"
        root, missing = "", ""
        if not version:
            missing = f"its version is not known here: {remedy}"
        elif not fault_of("maven", name, version):
            root = repositories.find(group, artifact, version, "-sources.jar")
            missing = "" if root else f"its sources are not on this machine: {remedy}"
        package = project.package(
            "maven", name, version, root, source=source, is_direct=is_direct, missing=missing
        )
        if package is not None:
            yield package
    jdk = _find_jdk(project)
    if jdk is not None:
        yield jdk


def _of_maven(project: Project, poms: Poms) -> Iterator[tuple[Dependency, bool, str, str]]:
    own_keys = set()
    paths = [os.path.join(folder, _POM) for folder in project.places(_POM)]
    for path in paths:
        if (pom := poms.read(path)) is not None:
            own_keys.add((pom.group, pom.artifact))
    # Reads each pom again unless it is cached: all of them may not fit into memory.
    for path in paths:
        pom = poms.read(path)
        if pom is None:
            continue
        remedy = f"run `mvn dependency:sources` next to {project.relative(path)}"
        for dependency, is_direct in poms.needed(pom):
            if dependency.key not in own_keys:
                yield dependency, is_direct, path, remedy


def _of_gradle(project: Project, poms: Poms) -> Iterator[tuple[Dependency, bool, str, str]]:
    declared, is_locked = read_builds(project)
    source = (
        project.place(*CATALOG.split("/"))
        if project.is_file(project.place(*CATALOG.split("/")))
        else ""
    )
    source = source or next(
        (os.path.join(folder, name) for name in BUILD_FILES for folder in project.places(name)),
        project.root,
    )
    needed: Iterator[tuple[Dependency, bool]] = iter(declared.items())
    if declared and not is_locked:
        needed = poms.needed(Pom("", "", "", {}, {}, list(declared), 0))
    for dependency, is_direct in needed:
        coordinates = f"{dependency.group}:{dependency.artifact}:{dependency.version or 'VERSION'}"
        yield (
            dependency,
            is_direct,
            source,
            f"run `mvn dependency:get -Dartifact={coordinates}:jar:sources`",
        )


def _maven_repositories(project: Project) -> Iterator[str]:
    """Yields Maven's local repositories. The project's own settings (`.mvn`) are ignored."""
    for variable in ("MAVEN_ARGS", "MAVEN_OPTS"):
        option = _LOCAL.search(project.environment.get(variable, ""))
        if option and os.path.isabs(option[1]):
            yield os.path.realpath(option[1])
    named_folder = project.variable("M2_REPO")
    if named_folder:
        yield named_folder
    home = os.path.join(project.home, ".m2")
    settings = _LOCAL_REPOSITORY.search(project.text(os.path.join(home, "settings.xml"), 200_000))
    if settings:
        place = settings[1].replace("${user.home}", project.home)
        if os.path.isabs(place) and "$" not in place and "\0" not in place:
            yield os.path.realpath(place)
    yield os.path.join(home, "repository")


def _find_jdk(project: Project) -> Package | None:
    """Returns the archive of the JDK's sources: of the JDK that the user has chosen, else of the
    newest."""
    versions = {}
    for folder in _jdks(project):
        release = _JDK_VERSION.search(project.text(os.path.join(folder, "release"), 65_536))
        version = release[1] if release else ""
        for place in ("lib/src.zip", "src.zip"):
            path = os.path.join(folder, *place.split("/"))
            if project.is_file(path):
                return project.package(
                    "jdk", "jdk", version, path, source=project.root, is_direct=True
                )
        if version:
            versions[version] = folder
    if not versions:
        project.notify("no JDK was found: install one with its sources, or set JAVA_HOME")
        return None
    version, folder = next(iter(versions.items()))
    missing = (
        f"{folder} has no lib/src.zip: install the sources of this JDK (Debian:"
        f" openjdk-{version.partition('.')[0]}-source)"
    )
    return project.package(
        "jdk", "jdk", version, None, source=project.root, is_direct=True, missing=missing
    )


def _jdks(project: Project) -> Iterator[str]:
    configured = project.variable("JAVA_HOME")
    if configured:
        yield configured
    for program in project.programs("java"):
        yield os.path.dirname(os.path.dirname(program))
    yield from project.newest(os.path.join(project.system, "usr/lib/jvm"))
    yield from project.newest(
        os.path.join(project.system, "Library/Java/JavaVirtualMachines"), "Contents", "Home"
    )
    yield from project.newest(os.path.join(project.home, ".sdkman/candidates/java"))
    yield from project.newest(os.path.join(project.home, ".jdks"))
