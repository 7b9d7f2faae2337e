"""`functools.cached_property` for what lives as long as one answer: without the lock of Python
3.11.

That one is held while a value is made, for all objects of a class: each thread's answer would wait
for those of the others. Later versions have none. Where two threads make a value of one object at a
time, both have the same.
"""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as made_once
else:

    class made_once:  # as functools names its own
        """A property that is made when it is first asked for."""

        def __init__(self, make: Any) -> None:
            self._make = make
            self.__doc__ = make.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self._name] = self._make(instance)
            return value


__all__ = ["made_once"]
