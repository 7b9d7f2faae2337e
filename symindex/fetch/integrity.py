"""What is said of every item that is fetched: whether it is what was indexed, and whether somebody
trusted vouches for it."""

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
"""The notice beside a valid signature. A signed file stays valid under another id, and so does an
older version of it. Read a name or a version that matters in the content."""


def judge(data: bytes, indexed: bytes | None, trust: Trust, verify: str, name: str) -> Integrity:
    """The verdict on an item.

    data: the file's bytes now. indexed: the digest that the index has of it; `None` for one that
    was never indexed. verify: `off` looks at no signature; `warn` says what is wrong; `intact`
    raises IntegrityError for an item that carries a signature and was changed since, or carries a
    wrong one; `require` for all but an item that is signed validly, and not other than it was
    indexed. name: of the file. An item without a signature is a problem for `require` alone: most
    have none.
    """
    if verify not in VERIFY:
        raise one_of("verify", verify, VERIFY)
    state: Indexed = (
        "unknown" if indexed is None else "same" if digest_of(data) == indexed else "changed"
    )
    problems = []
    if state == "changed":
        problems.append(
            f"{name}: has changed since it was indexed; bring the index up to date: symindex index"
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
    said = Integrity(
        state, verdict.state, verdict.key, verdict.key_name, verdict.signed_at, problems=problems
    )
    return (
        msgspec.structs.replace(said, binds="content", binding=BINDING)
        if verdict.state == "valid"
        else said
    )
