"""What is said of every item that is fetched: whether it is what was indexed, and whether somebody trusted vouches for it."""

from typing import Final, Literal

import msgspec

from symindex.errors import IntegrityError, one_of
from symindex.extract.texts.file_text import digest_of
from symindex.fetch.signature import State, Trust, check

Verify = Literal["off", "warn", "intact", "require"]
VERIFY: Final = ("off", "warn", "intact", "require")

Indexed = Literal["same", "changed", "unknown"]


BINDING: Final = (
    "the signature binds the bytes of the file alone: its id, its type, "
    "and a version that its content does not name are not signed"
)
"""The notice beside a valid signature. A signed file stays valid under another id, and so does an older version of it. Read a
name or a version that matters in the content."""


class Integrity(msgspec.Struct, frozen=True, omit_defaults=True):
    """The field `integrity` of an answer.

    indexed: whether the bytes are those that the index has read. signature: as `signature.State`; `unchecked` where nobody asked,
    or nothing is installed to check with. key: the fingerprint of the key that the signature names. key_name: the user's name
    for it. signed_at: when, if the signature is valid. binds: what a valid signature vouches for: the content, not the
    id or the type under which it was found. binding: a sentence that says so. problems: what is wrong, a line each, with the
    command that mends it.
    """

    indexed: Indexed
    signature: State | Literal["unchecked"]
    key: str = ""
    key_name: str = ""
    signed_at: str = ""
    binds: Literal["", "content"] = ""
    binding: str = ""
    problems: list[str] = []


def judge(data: bytes, indexed: bytes | None, trust: Trust, verify: str, name: str) -> Integrity:
    """The verdict on an item.

    data: the file's bytes now. indexed: the digest that the index has of it; `None` for one that was never indexed. verify: `off`
    looks at no signature; `warn` says what is wrong; `intact` raises IntegrityError for an item that carries a signature and was
    changed since, or carries a wrong one; `require` for all but an item that is signed validly, and not other than it was
    indexed. name: of the file. An item without a signature is a problem for `require` alone: most have none.
    """
    if verify not in VERIFY:
        raise one_of("verify", verify, VERIFY)
    state: Indexed = "unknown" if indexed is None else "same" if digest_of(data) == indexed else "changed"
    problems = []
    if state == "changed":
        problems.append(f"{name}: has changed since it was indexed; bring the index up to date: symindex index")
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
        raise IntegrityError(f"integrity: {verdict.message}; `symindex fetch --verify warn` loads it as it is")
    said = Integrity(state, verdict.state, verdict.key, verdict.key_name, verdict.signed_at, problems=problems)
    return msgspec.structs.replace(said, binds="content", binding=BINDING) if verdict.state == "valid" else said
