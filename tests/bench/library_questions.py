"""Questions about the signatures of libraries: whether the first answer is the definition, in the
installed version.

Also a command, which installs the libraries: python -m tests.bench.library_questions
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from symindex.packages.found.ecosystems import find_packages
from symindex.packages.found.package import Package
from symindex.protocol.explore import SymbolResponse
from symindex.workspace.workspace import Workspace, open_dependencies, open_workspace
from tests.bench.places import HERE, default_folder, say

Project = Literal["python", "node", "go", "c"]
Half = Literal["tune", "held"]

TARGET: Final = 0.95
"""Share of the questions that should be answered right."""

_SOURCES: Final[Mapping[Project, Mapping[str, str]]] = {
    "python": {"main.py": "def main():\n    return 1\n"},
    "node": {"main.ts": "export function main() { return 1 }\n"},
    "go": {
        "go.mod": "module example.org/app\n\ngo 1.19\n",
        "main.go": "package main\n\nfunc main() {}\n",
    },
    "c": {"main.c": "int main(void) { return 0; }\n"},
}
"""The files of each project."""


class Question(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One question; the head of `library_questions.toml` explains the fields."""

    project: Project
    half: Half
    asked: str
    answers: tuple[str, ...]
    inside: str = ""

    def is_right(self, response: SymbolResponse, packages: Mapping[str, Package]) -> bool:
        """Whether the one symbol shown is an answer: in that package and file, on a line with that
        beginning."""
        shown = response.symbol
        if shown is None or (
            self.inside and (shown.container or "").rpartition(".")[2] != self.inside
        ):
            return False
        label, _, path = _divide(shown.file_path, packages)
        lines = _lines_of(packages[label], path) if label else []
        line = lines[shown.line - 1].strip() if 0 < shown.line <= len(lines) else ""
        return any(_fits(answer, label, path, line) for answer in self.answers)


class Questions(msgspec.Struct, forbid_unknown_fields=True, rename={"questions": "question"}):
    """The content of `library_questions.toml`."""

    python: tuple[str, ...]
    node: tuple[str, ...]
    questions: tuple[Question, ...]


def read_questions(path: Path = HERE / "library_questions.toml") -> Questions:
    """Returns the questions. Raises msgspec.ValidationError with the name of a wrong key."""
    return msgspec.toml.decode(path.read_bytes(), type=Questions)


def _divide(path: str, packages: Mapping[str, Package]) -> tuple[str, str, str]:
    """Returns the label of a package and the path in it; empty labels for a path of the project."""
    for label in packages:
        if path.startswith(f"{label}/"):
            return label, "/", path.removeprefix(f"{label}/")
    return "", "", path


def _lines_of(package: Package, path: str) -> list[str]:
    assert package.root is not None
    return (package.root / path).read_text("utf-8", "replace").splitlines()


def _fits(answer: str, label: str, path: str, line: str) -> bool:
    package, where, text = answer.split(" ", 2)
    is_package = label.rpartition("@")[0] == package
    return is_package and path == where and line.startswith(text)


def make_project(folder: Path, project: Project, questions: Questions) -> Path:
    """Returns the folder of a project with its dependencies, made if it is missing."""
    root = folder / project
    done = root / ".done"
    if done.exists():
        return root
    root.mkdir(parents=True, exist_ok=True)
    for name, text in _SOURCES[project].items():
        (root / name).write_text(text)
    if project == "python":
        say("installing the packages of Python")
        (root / "requirements.txt").write_text("\n".join(questions.python) + "\n")
        subprocess.run([sys.executable, "-m", "venv", root / ".venv"], check=True)
        subprocess.run(
            [root / ".venv/bin/pip", "install", "-q", "-r", root / "requirements.txt"], check=True
        )
    if project == "node":
        say("installing the packages of npm")
        (root / "package.json").write_text('{"name": "app", "version": "1.0.0"}\n')
        subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "--silent", *questions.node],
            cwd=root,
            check=True,
        )
    done.touch()
    return root


def ask(
    workspace: Workspace, question: Question, packages: Mapping[str, Package]
) -> tuple[bool, str, float]:
    """Returns whether the first answer is right, where it leads, and how many seconds it took."""
    begun = time.perf_counter()
    response = workspace.symbol(question.asked, max_tokens=400)
    seconds = time.perf_counter() - begun
    shown = response.symbol
    where = (
        f"{shown.file_path}:{shown.line} {shown.container or ''}"
        if shown is not None
        else f"{response.total} symbols"
    )
    if shown is None:
        where += "".join(
            f"\n        {line.file_path}:{line.line} {line.container or ''}"
            for line in response.others[:5]
        )
    return question.is_right(response, packages), where, seconds


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.library_questions", description=__doc__
    )
    parser.add_argument(
        "--corpora",
        type=Path,
        default=default_folder(),
        metavar="DIR",
        help="where the projects are kept",
    )
    parser.add_argument(
        "--index-dir",
        type=Path,
        metavar="DIR",
        help="where indexes are kept; default: a folder for this run",
    )
    parser.add_argument(
        "--half", choices=("tune", "held"), help="only these; of the others, answers are not shown"
    )
    args = parser.parse_args(arguments)
    questions = read_questions()
    folder = args.corpora.absolute() / "libraries"
    n_right = {"tune": 0, "held": 0}
    n_asked = {"tune": 0, "held": 0}
    with tempfile.TemporaryDirectory() as fresh:
        index_dir = args.index_dir or Path(fresh)
        for project in _SOURCES:
            root = make_project(folder, project, questions)
            packages = {
                package.label: package
                for package in find_packages(root).packages
                if package.root is not None
            }
            report = open_dependencies(root, index_dir).build()
            say(
                f"{project}: {report.built} packages indexed in {report.seconds} s, {len(report.failed)} failed"
            )
            with open_workspace(root, index_dir) as workspace:
                for question in questions.questions:
                    if question.project != project or (args.half and question.half != args.half):
                        continue
                    is_right, where, seconds = ask(workspace, question, packages)
                    n_asked[question.half] += 1
                    n_right[question.half] += is_right
                    shown = f": {where}" if question.half == "tune" and not is_right else ""
                    print(
                        f"{'right' if is_right else 'WRONG'} {seconds * 1000:6.0f} ms {question.half} {question.asked}{shown}"
                    )
    for half, total in n_asked.items():
        print(f"{half}: {n_right[half]} of {total} right")
    return 0 if sum(n_right.values()) >= TARGET * sum(n_asked.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
