"""Reads the tokens for servers from the environment, where no file and no list of processes shows
them."""

import os
from typing import Final

from symindex.errors import RequestError

_LONGEST_TOKEN: Final = 4_096


def read_token(variable: str, place: str) -> str:
    """Returns the token in an environment variable. Raises RequestError, which never contains
    it."""
    token = os.environ.get(variable, "").strip()
    if not token:
        raise RequestError(f"{place}: the environment has no {variable}: set it to the token")
    if len(token) > _LONGEST_TOKEN or not token.isascii() or not token.isprintable():
        raise RequestError(f"{place}: {variable} is no token: it is too long, or not one line")
    return token
