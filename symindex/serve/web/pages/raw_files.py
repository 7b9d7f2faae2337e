"""The bytes of a file. A file that could run in a browser is sent as plain text; a picture may be
shown, but an SVG can neither run nor fetch anything."""

from typing import Final

from starlette.responses import Response

from symindex.errors import RequestError
from symindex.serve.web.addresses import Address
from symindex.serve.web.site import Repository, Site

PICTURES: Final = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "svg": "image/svg+xml",
}

MOST_BYTES: Final = 10_000_000
"""Largest file that is sent, in bytes: it is read as a whole."""

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""The policy of pictures: an SVG has styles of its own."""


def raw_file(site: Site, repository: Repository, address: Address) -> Response:
    """Returns a file as it is. Raises RequestError for one that cannot be read."""
    if address.commit:
        raise RequestError("only files as they are now are shown raw")
    data = site.reader.file_bytes(repository.answer_path(address.path), MOST_BYTES)
    suffix = address.path.rpartition(".")[2].lower()
    media_type = PICTURES.get(suffix, "text/plain; charset=utf-8")
    headers = {"content-security-policy": _POLICY, "cache-control": "no-store"}
    if media_type.startswith("text/") and b"\0" in data[:8_000]:
        headers["content-disposition"] = "attachment"
        media_type = "application/octet-stream"
    return Response(data, media_type=media_type, headers=headers)
