"""A hook of mkdocs that puts the pages of the whole repository on the site, at their own paths, so
that links between them work as they do in a copy of the repository."""

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
GUIDES = ".github/docs"
PATTERNS = (
    "*.md",
    ".github/*.md",
    f"{GUIDES}/*",
    "symindex/**/*.md",
    "grammars/*.md",
    "tests/**/README.md",
)


def on_config(config: Any) -> Any:
    """Lists the guides in the order of their names."""
    guides = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / GUIDES).glob("*.md"))
    config.nav = ["README.md", {"Guides": guides}, {"How it is built": "symindex/README.md"}]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Replaces the files of the documentation folder by all pages of the repository."""
    paths = sorted({path for pattern in PATTERNS for path in ROOT.glob(pattern) if path.is_file()})
    pages = [path for path in paths if "node_modules" not in path.parts]
    others = [file for file in files if file.src_dir != config.docs_dir]
    return Files(
        [
            *others,
            *(
                File(path.relative_to(ROOT).as_posix(), str(ROOT), config.site_dir, False)
                for path in pages
            ),
        ]
    )
