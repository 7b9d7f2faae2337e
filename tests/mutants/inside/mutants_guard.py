"""Loaded by every Python process of a copy: no mutant sends a signal to processes that are not its
own."""

import os


def start() -> None:
    """Refuses signals to all processes (-1), to the own group (0) and to the first process (1)."""
    for name in ("kill", "killpg"):
        if (original := getattr(os, name, None)) is None:
            continue

        def guarded(number: int, signal: int, original=original) -> None:  # type: ignore[no-untyped-def]
            if number in (-1, 0, 1):
                raise PermissionError(f"a signal to {number}")
            original(number, signal)

        setattr(os, name, guarded)
