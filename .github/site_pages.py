"""A hook of mkdocs that puts the pages of the whole repository on the site, at their own paths, so
that links between them work as they do in a copy of the repository."""

import os
import re
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

_LINK = re.compile(r"\[(?P<text>[^\[\]\n]{1,200})\]\((?P<target>[^():#\s]{1,200})\)")


def on_config(config: Any) -> Any:
    """Lists the guides in the order of their names."""
    guides = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / GUIDES).glob("*.md"))
    config.nav = ["README.md", {"Guides": guides}, {"How it is built": "symindex/README.md"}]
    return config


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Takes the link from references to files of the repository that are not pages, as code is. A
    link to nothing stays, so that the strict build fails."""
    folder = (ROOT / page.file.src_uri).parent

    def without_link(match: re.Match[str]) -> str:
        target = os.path.normpath(folder / match["target"])
        is_page = files.get_file_from_path(os.path.relpath(target, ROOT)) is not None
        return match[0] if is_page or not os.path.exists(target) else match["text"]

    return _LINK.sub(without_link, markdown)


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
