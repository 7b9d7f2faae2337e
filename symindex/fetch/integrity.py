"""Judges a fetched item: whether it is what was indexed, and whether a trusted key has signed
it."""

from typing import Final

import msgspec

from symindex.errors import IntegrityError, one_of
from symindex.extract.texts.file_text import digest_of
from symindex.fetch.signature import Trust, check
from symindex.protocol.fetch import VERIFY, Indexed, Integrity

BINDING: Final = (
    "the signature binds the bytes of the file alone: its id, its type, "
    "and a version that its content does not name are not signed"
)
"""The notice next to a valid signature. A signed file is still valid under another id, and so is an
older version of it: a name or version that matters must be read from the content."""


def judge(data: bytes, indexed: bytes | None, trust: Trust, verify: str, name: str) -> Integrity:
    """Returns the verdict on an item.

    data: the file's bytes now. indexed: the digest in the index, or `None` for a file that was
    never indexed. name: the name of the file. verify, one of these:

    - `off` ignores signatures.
    - `warn` reports problems.
    - `intact` raises IntegrityError for an item whose signature is wrong, or that has changed since
      it was signed.
    - `require` raises it for every item that is not validly signed or has changed since it was
      indexed.

    Most items have no signature, so its absence is a problem only for `require`.
    """
    if verify not in VERIFY:
        raise one_of("verify", verify, VERIFY)
    state: Indexed = (
        "unknown" if indexed is None else "same" if digest_of(data) == indexed else "changed"
    )
    problems = []
    if state == "changed":
        problems.append(
            f"{name}: has changed since it was indexed; update the index: symindex index"
        )
    if verify == "off":
        return Integrity(state, "unchecked", problems=problems)
    try:
        verdict = check(data, trust, name)
    except IntegrityError as error:
        if verify == "require":
            raise
        return Integrity(state, "unchecked", problems=[*problems, f"{name}: {error}"])
    if verdict.message and (verify == "require" or verdict.state != "missing"):
        problems.append(verdict.message)
    if verify == "require" and problems:
        raise IntegrityError("; ".join(reversed(problems)))
    if verify == "intact" and verdict.state in ("changed", "bad signature"):
        raise IntegrityError(
            f"integrity: {verdict.message}; `symindex fetch --verify warn` loads it as it is"
        )
    integrity = Integrity(
        state, verdict.state, verdict.key, verdict.key_name, verdict.signed_at, problems=problems
    )
    return (
        msgspec.structs.replace(integrity, binds="content", binding=BINDING)
        if verdict.state == "valid"
        else integrity
    )
