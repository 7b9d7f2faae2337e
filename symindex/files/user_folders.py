"""The user's own folders, by the conventions of the system, in plain strings.

On Linux they are read from the environment as platformdirs has it (the XDG base directory
specification), because its import takes longer than a search.
"""

import os
import sys


def cache_folder() -> str:
    """The folder for what can be made again."""
    return _folder("XDG_CACHE_HOME", "~/.cache", "user_cache_dir")


def config_folder() -> str:
    """The folder of the user's configuration."""
    return _folder("XDG_CONFIG_HOME", "~/.config", "user_config_dir")


def own_data_folder() -> str:
    """The folder for what the user has written and added."""
    return _folder("XDG_DATA_HOME", "~/.local/share", "user_data_dir")


def _folder(variable: str, default: str, function: str) -> str:
    if sys.platform.startswith("linux"):
        named = os.environ.get(variable, "")
        return os.path.join(
            named if os.path.isabs(named) else os.path.expanduser(default), "symindex"
        )
    import platformdirs

    return str(getattr(platformdirs, function)("symindex"))
