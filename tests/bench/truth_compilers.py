"""Asks a compiler for the truth about random symbols of a tree: it binds every name at once, in
files that may lack dependencies.

`truth_javac/Collect.java` calls Java's, `truth_kotlin/Collect.java` Kotlin's. Jars in the folder
`SYMINDEX_JARS` are dependencies; those of the Kotlin compiler are in `SYMINDEX_KOTLIN`, by default
where Debian puts them. `truth_mcs/Collect.cs` calls Mono's of C#, with the flags in a
`compile_flags.txt` of the tree, which must compile. `truth_scalac/Collect.scala` calls Scala's.
"""

import os
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import symindex
from symindex.resolve.tree import indexed_files
from tests.bench.places import BenchError, say
from tests.bench.truth_data import Place, Symbol, TreeTruth, digest_of
from tests.bench.truth_servers import SERVER_OF, choose, draw, judged

_PROGRAMS: Final = {
    "Java": Path(__file__).parent / "truth_javac" / "Collect.java",
    "Kotlin": Path(__file__).parent / "truth_kotlin" / "Collect.java",
    "C#": Path(__file__).parent / "truth_mcs" / "Collect.cs",
    "Scala": Path(__file__).parent / "truth_scalac" / "Collect.scala",
}
COMPILED: Final = frozenset(_PROGRAMS)
"""The languages that are asked about in this way."""

_EXPORTS: Final = "jdk.compiler/com.sun.tools.javac.tree=ALL-UNNAMED"
_OF_KOTLIN: Final = (
    *("kotlin-compiler", "kotlin-stdlib", "kotlin-reflect", "kotlin-script-runtime"),
    "libtrove-intellij",
)
_MONO: Final = Path("/usr/lib/mono")
_SCALA: Final = Path("/usr/share/java")
_CECIL: Final = "gac/Mono.Cecil/0.1*/Mono.Cecil.dll"
_LEFT_OUT: Final = ("module-info.java", "package-info.java")


class CompilerAsker:
    """What a compiler says about one tree, with the questions that a server answers.

    rows: of its program.
    """

    def __init__(self, language: str, root: Path, texts: dict[str, str], rows: list[str]) -> None:
        self.server, self.root, self.texts = SERVER_OF[language], root, texts
        self._known = defaultdict[Place, list[Place]](list)
        self._uses = defaultdict[Place, set[Place]](set)
        self._below: dict[str, dict[Place, set[Place]]] = {
            "subtype": defaultdict(set),
            "override": defaultdict(set),
        }
        for row in rows:
            what, *words = row.split("\t")
            first, second = self._place(words[:3]), self._place(words[3:])
            if what == "use":
                self._known[first].append(second)
                self._uses[second].add(first)
            else:
                self._below[what][second].add(first)

    def _place(self, words: Sequence[str]) -> Place:
        path, line, column = words
        inside = Path(path).relative_to(self.root).as_posix() if path else ""
        return inside, int(line), int(column)

    def references(self, symbol: Symbol) -> set[Place]:
        """Returns the uses of a symbol, and those of the methods that override it."""
        meant = {symbol.name_place, *self._below["override"][symbol.name_place]}
        return {use for place in meant for use in self._uses[place]}

    def definitions(self, places: Iterable[Place]) -> dict[Place, list[Place]]:
        """Returns the definitions of each place."""
        return {place: self._known.get(place, []) for place in places}

    def subtypes(self, symbol: Symbol, _: set[Place]) -> list[tuple[str, int]]:
        """Returns the types that inherit from a type directly."""
        return sorted({place[:2] for place in self._below["subtype"][symbol.name_place]})


def compiled(language: str, root: Path, n_symbols: int) -> TreeTruth:
    """Asks about so many random symbols of a tree, half of them with common names. Raises
    BenchError."""
    suffixes = SERVER_OF[language].suffixes
    with (
        tempfile.TemporaryDirectory() as scratch,
        symindex.open(root, Path(scratch, "index")) as workspace,
    ):
        workspace.refresh()
        drawn = draw(workspace, suffixes)
        texts = {
            file.path: (root / file.path).read_text("utf-8", "replace")
            for file in indexed_files(workspace.source.tree())
            if file.path.endswith(suffixes)
        }
        asker = CompilerAsker(language, root, texts, _rows(language, root, texts))
        chosen = list(choose(asker, drawn, n_symbols))
        say(f"truth: {language}: {root.name}: {len(chosen)} symbols")
        return TreeTruth(str(root), judged(asker, drawn, chosen), digest_of(root, texts))


def _rows(language: str, root: Path, paths: Iterable[str]) -> list[str]:
    files = [str(root / path) for path in paths if Path(path).name not in _LEFT_OUT]
    with tempfile.TemporaryDirectory() as scratch:
        if language == "C#":
            return _of_mono(root, files, Path(scratch))
        if language == "Scala":
            return _of_scala([*files, *map(str, root.rglob("*.java"))], Path(scratch))
        return _printed(language, [*_java(language), *files])


def _java(language: str) -> list[str]:
    if shutil.which("java") is None:
        raise BenchError("java: not on the PATH: apt-get install openjdk-17-jdk-headless")
    jars = _jars()
    words = ["--add-exports", _EXPORTS]
    if language == "Kotlin":
        compiler = Path(os.environ.get("SYMINDEX_KOTLIN", "/usr/share/java"))
        if not (libraries := sorted(compiler.glob("kotlin-stdlib*.jar"))):
            raise BenchError(f"{compiler}: no kotlin-stdlib.jar: apt-get install kotlin")
        jars += libraries
        words = ["-cp", ":".join(str(compiler / f"{name}.jar") for name in _OF_KOTLIN)]
    return ["java", *words, str(_PROGRAMS[language]), ":".join(map(str, jars))]


def _jars() -> list[Path]:
    return sorted(Path(os.environ.get("SYMINDEX_JARS", os.devnull)).glob("*.jar"))


def _of_scala(files: list[str], scratch: Path) -> list[str]:
    """Returns the rows of Scala's compiler. files: those of Java that it needs, too."""
    if (scalac := shutil.which("scalac")) is None:
        raise BenchError("scalac: not on the PATH: apt-get install scala")
    libraries = [_SCALA / f"scala-{name}.jar" for name in ("library", "reflect", "compiler")]
    path = ":".join(map(str, libraries))
    _printed("Scala", [scalac, "-cp", path, "-d", str(scratch), str(_PROGRAMS["Scala"])])
    libraries += _SCALA.glob("scala-xml*.jar")
    path = ":".join(map(str, [*libraries, scratch]))
    known = ":".join(map(str, [libraries[0], *_jars()]))
    return _printed("Scala", ["java", "-Xss8m", "-cp", path, "Collect", known, *files])


def _of_mono(root: Path, files: list[str], scratch: Path) -> list[str]:
    """Returns the rows of Mono's compiler, whose code the program reads and changes with Cecil."""
    if (mcs := shutil.which("mcs")) is None or not (cecil := sorted(_MONO.glob(_CECIL))):
        raise BenchError("mcs: not on the PATH: apt-get install mono-mcs mono-devel")
    program = scratch / "collect.exe"
    _printed("C#", [mcs, f"-r:{cecil[-1]}", f"-out:{program}", str(_PROGRAMS["C#"])])
    shutil.copy(cecil[-1], scratch)
    flags = root / "compile_flags.txt"
    listed = scratch / "files"
    listed.write_text("\n".join(f'"{file}"' for file in files))
    words = ["-target:library", "-nologo", f"-out:{scratch / 'tree.dll'}", f"@{listed}"]
    more = flags.read_text().split() if flags.exists() else []
    return _printed("C#", ["mono", str(program), str(_MONO / "4.5" / "mcs.exe"), *words, *more])


def _printed(language: str, command: list[str]) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchError(f"{language}: {done.stderr.strip()[:300]}")
    return done.stdout.splitlines()
