"""A language server whose traffic is recorded: `python tee.py RECORD COMMAND...` runs between an
editor and the server.

RECORD receives a line of JSON for each message, in order: `from` (`client` or `server`) and the
`message`.
"""

import json
import os
import subprocess
import sys
import threading
from typing import IO

_LOCK = threading.Lock()


def read_body(source: IO[bytes]) -> bytes | None:
    """Returns the next message without its header; `None` at the end."""
    length = None
    while line := source.readline():
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
        elif not line.strip() and length is not None:
            body = source.read(length)
            return body if len(body) == length else None
    return None


def _copy(source: IO[bytes], target: IO[bytes], record: IO[str], who: str) -> None:
    while (body := read_body(source)) is not None:
        with _LOCK:
            record.write(json.dumps({"from": who, "message": json.loads(body)}) + "\n")
            record.flush()
        target.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        target.flush()
    target.close()


def main() -> None:
    """Runs the server to its end, and exits with its code."""
    with open(sys.argv[1], "a", encoding="utf-8") as record:
        server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert server.stdin is not None and server.stdout is not None
        client = (sys.stdin.buffer, server.stdin, record, "client")
        threading.Thread(target=_copy, args=client, daemon=True).start()
        _copy(server.stdout, sys.stdout.buffer, record, "server")
        code = server.wait()
        record.flush()
        os._exit(code)  # the thread may still read, which would disturb Python's normal exit


if __name__ == "__main__":
    main()
