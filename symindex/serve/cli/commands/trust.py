"""`symindex trust add`, `list` and `remove`, and `symindex sign`: signatures."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symindex.serve.cli import common_options as common
from symindex.text.escaping import show_controls

if TYPE_CHECKING:
    from symindex.fetch.trust import TrustedKey


@click.group()
def trust() -> None:
    """Manage the keys whose signatures you trust.

    A fetched file may contain a signature line. The signature counts only if you trust the key that
    made it. The keys that you trust are stored in your configuration folder, so no source tree can
    add one.
    """


@trust.command("add")
@click.argument("key")
@click.option(
    "--name",
    default="",
    metavar="NAME",
    help="Name of the key. Default: its comment, or its fingerprint.",
)
@common.json_option
def trust_add(key: str, name: str, as_json: bool) -> int:
    """Trust KEY: an Ed25519 public key, or a file that contains one.

    The key may be an OpenSSH line (ssh-ed25519 AAAA...), PEM, or 32 bytes in base64.
    """
    from symindex.fetch.trust import TrustStore

    return _show([TrustStore().add(key, name)], as_json, "trusted: ")


@trust.command("list")
@common.json_option
def trust_list(as_json: bool) -> int:
    """List the keys that you trust. Exits with 1 if there are none."""
    from symindex.fetch.trust import TrustStore

    return _show(TrustStore().list(), as_json)


@trust.command("remove")
@click.argument("key")
@common.json_option
def trust_remove(key: str, as_json: bool) -> int:
    """Stop trusting KEY: its name, or the start of its fingerprint."""
    from symindex.fetch.trust import TrustStore

    return _show([TrustStore().remove(key)], as_json, "no longer trusted: ")


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--key",
    type=click.Path(path_type=Path, readable=False),
    metavar="FILE",
    help="Your private key, in PEM or OpenSSH format.",
)
@common.json_option
def sign(files: tuple[str, ...], key: Path | None, as_json: bool) -> int:
    """Sign FILEs: write a signature line into each, or replace the existing one.

    Without --key, symindex signs with a key of its own, which it creates and trusts on first use.
    """
    from symindex.fetch.sign_file import sign_files
    from symindex.fetch.trust import TrustStore

    signed = sign_files(files, TrustStore().signing_key(key))
    if as_json:
        common.print_json([signature._asdict() for signature in signed])
    else:
        common.print_text(
            "".join(
                f"signed: {show_controls(signature.file)}  {signature.key}  {signature.signed_at}\n"
                for signature in signed
            )
        )
    return 0


def _show(keys: "Sequence[TrustedKey]", as_json: bool, prefix: str = "") -> int:
    if as_json:
        common.print_json(
            [
                {"name": key.name, "fingerprint": key.fingerprint, "key": key.key.line}
                for key in keys
            ]
        )
    else:
        common.print_text("".join(f"{prefix}{key.fingerprint}  {key.name}\n" for key in keys))
    if not keys and not as_json:
        common.tell("you do not trust any keys yet: use `symindex trust add KEY`")
    return 0 if keys else 1
