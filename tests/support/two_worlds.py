"""A project whose libraries are in one of two worlds with different definitions; environment
variables select the world."""

from pathlib import Path
from typing import Final

from tests.support.files import write_files

PROJECT: Final = {
    "app.py": "def main_thing(): pass\n",
    "pyproject.toml": '[project]\nname = "x"\nversion = "1"\ndependencies = ["tiny"]\n',
    "go.mod": "module a\ngo 1.21\nrequire x/y v1.0.0\n",
    "Gemfile.lock": "GEM\n  remote: https://rubygems.org/\n  specs:\n    tiny (1.0)\n\nDEPENDENCIES\n  tiny\n",
    "Cargo.lock": '[[package]]\nname = "tiny"\nversion = "1.0.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n',
    "rust.rs": "fn main() {}\n",
}

LIBRARIES: Final = {
    "venv/pyvenv.cfg": "home = /nowhere\nversion = 3.11.2\n",
    "venv/lib/python3.11/site-packages/tiny.py": "def lib_py_WORLD(): pass\n",
    "venv/lib/python3.11/site-packages/tiny-1.0.dist-info/METADATA": "Name: tiny\nVersion: 1.0\n\n",
    "venv/lib/python3.11/site-packages/tiny-1.0.dist-info/RECORD": "tiny.py,,\n",
    "go/pkg/mod/x/y@v1.0.0/y.go": "package y\n\nfunc lib_go_WORLD() {}\n",
    "goroot/VERSION": "go1.21",
    "goroot/src/fmt/print.go": "package fmt\n\nfunc lib_std_WORLD() {}\n",
    "gems/gems/tiny-1.0/lib/tiny.rb": "def lib_rb_WORLD\nend\n",
    "cargo/registry/src/index.crates.io-6f17d22bba15001f/tiny-1.0.0/Cargo.toml": '[package]\nname = "tiny"\nversion = "1.0.0"\n',
    "cargo/registry/src/index.crates.io-6f17d22bba15001f/tiny-1.0.0/src/lib.rs": "pub fn lib_rs_WORLD() {}\n",
}

VARIABLES: Final = {
    "VIRTUAL_ENV": "venv",
    "GOPATH": "go",
    "GOMODCACHE": "go/pkg/mod",
    "GOROOT": "goroot",
    "GEM_PATH": "gems",
    "GEM_HOME": "gems",
    "CARGO_HOME": "cargo",
}
"""The variables that name a folder of a world."""


def make_worlds(top: Path) -> Path:
    """Writes the project and the worlds `one` and `other`; returns the project's folder."""
    for world in ("one", "other"):
        write_files(
            top / world, {path: text.replace("WORLD", world) for path, text in LIBRARIES.items()}
        )
    return write_files(top / "tree", PROJECT).resolve()


def variables_of(top: Path, world: str) -> dict[str, str]:
    """Returns the variables that name the libraries of a world."""
    return {name: str(top / world / place) for name, place in VARIABLES.items()}
