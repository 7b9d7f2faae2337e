"""A version of `functools.cached_property` for objects that live as long as one answer, without the
lock of Python 3.11.

Python 3.11 holds one lock for all objects of a class while a value is made, so each thread's answer
would wait for those of the others. Later versions have no lock. If two threads make a value of one
object at once, both values are equal.
"""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as made_once
else:

    class made_once:  # lower case, as in functools
        """A property whose value is made when it is first used."""

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
