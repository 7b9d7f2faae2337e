"""Locates the user's own folders by the conventions of the system, in plain strings.

On Linux it reads the environment as platformdirs does (the XDG base directory specification),
because importing platformdirs takes longer than a search.
"""

import os
import sys


def cache_folder() -> str:
    """Returns the folder for data that can be rebuilt."""
    return _folder("XDG_CACHE_HOME", "~/.cache", "user_cache_dir")


def config_folder() -> str:
    """Returns the folder for the user's configuration."""
    return _folder("XDG_CONFIG_HOME", "~/.config", "user_config_dir")


def own_data_folder() -> str:
    """Returns the folder for what the user has written and added."""
    return _folder("XDG_DATA_HOME", "~/.local/share", "user_data_dir")


def _folder(variable: str, default: str, function: str) -> str:
    if sys.platform.startswith("linux"):
        value = os.environ.get(variable, "")
        return os.path.join(
            value if os.path.isabs(value) else os.path.expanduser(default), "symindex"
        )
    import platformdirs

    return str(getattr(platformdirs, function)("symindex"))
