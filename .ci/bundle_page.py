"""Bundles the script of the page with esbuild: as a hook of the wheel's build, and as a command,
`python .ci/bundle_page.py`, for work on the script.

Without npm the wheel has no script, and the page says so: it then works without live search.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

SCRIPT = Path("symindex/serve/web/script")
BUNDLE = Path("symindex/serve/web/static/page.js")
SECONDS = 120


def bundle(root: Path) -> str:
    """Writes the bundle. Returns why that was not possible; empty if it was."""
    npm = shutil.which("npm")
    if npm is None:
        return "npm is not installed"
    version = json.loads((root / SCRIPT / "package.json").read_text())["devDependencies"]["esbuild"]
    command = [
        *(npm, "exec", "--yes", f"--package=esbuild@{version}", "--", "esbuild"),
        *(str(SCRIPT / "page.ts"), "--bundle", "--minify", "--target=es2020"),
        *(f"--outfile={BUNDLE}", "--log-level=warning"),
    ]
    try:
        done = subprocess.run(
            command, cwd=root, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"npm took more than {SECONDS} seconds"
    return "" if done.returncode == 0 else (done.stderr.strip() or "esbuild failed")


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run as a command
    pass
else:

    class PageHook(BuildHookInterface[Any]):
        """Adds the bundle to a wheel or a source archive; an editable installation uses the one
        that the command has written, if any."""

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            root = Path(self.root)
            is_bundled = version != "editable" and (root / SCRIPT).is_dir()
            if is_bundled and (why := bundle(root)):
                self.app.display_warning(f"the page has no script: {why}")
            build_data["artifacts"].append(f"/{BUNDLE.as_posix()}")


if __name__ == "__main__":
    problem = bundle(Path(__file__).parent.parent)
    sys.exit(f"{BUNDLE}: {problem}" if problem else 0)
