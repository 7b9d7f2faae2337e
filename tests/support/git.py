"""Runs git without the user's configuration."""

import os
import subprocess
from pathlib import Path


def git(root: Path, *words: str) -> str:
    """Runs git in a folder and returns its output."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(
        ["git", *words],
        cwd=root,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout.strip()
