"""symindex: find any symbol of any codebase in milliseconds."""

__version__ = "0.1.0"
