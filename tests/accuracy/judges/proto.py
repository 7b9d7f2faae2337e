"""protoc of grpcio-tools: every message, field, enum, value, service and method, by its source
info."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from google.protobuf import descriptor_pb2


def walk(path: str, lines: dict, message: object, place: tuple, scope: list[str]) -> None:
    put(path, lines, place, message.name, scope, "message")
    inner = [*scope, message.name]
    for number, each in enumerate(message.field):
        put(path, lines, (*place, 2, number), each.name, inner, "field")
    for number, each in enumerate(message.oneof_decl):
        put(path, lines, (*place, 8, number), each.name, inner, "oneof")
    for number, each in enumerate(message.nested_type):
        if not each.options.map_entry:
            walk(path, lines, each, (*place, 3, number), inner)
    for number, each in enumerate(message.enum_type):
        enumeration(path, lines, each, (*place, 4, number), inner)


def enumeration(path: str, lines: dict, enum: object, place: tuple, scope: list[str]) -> None:
    put(path, lines, place, enum.name, scope, "enum")
    for number, each in enumerate(enum.value):
        put(path, lines, (*place, 2, number), each.name, [*scope, enum.name], "value")


def put(path: str, lines: dict, place: tuple, name: str, scope: list[str], kind: str) -> None:
    line = lines.get((*place, 1))
    if line:
        print(
            json.dumps(
                {
                    "path": path,
                    "line": line,
                    "name": name,
                    "container": ".".join(scope),
                    "kind": kind,
                }
            )
        )


def read(path: str, out: str) -> None:
    above = list(Path(path).parents)[:8]
    command = [sys.executable, "-m", "grpc_tools.protoc", "--include_source_info", f"-o{out}"]
    done = subprocess.run(
        [*command, *(f"-I{each}" for each in reversed(above)), path],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        print(json.dumps({"path": path, "error": done.stderr.decode()[:100]}))
        return
    files = descriptor_pb2.FileDescriptorSet.FromString(Path(out).read_bytes())
    file = files.file[-1]
    lines = {tuple(each.path): each.span[0] + 1 for each in file.source_code_info.location}
    scope = file.package.split(".") if file.package else []
    for number, each in enumerate(file.message_type):
        walk(path, lines, each, (4, number), scope)
    for number, each in enumerate(file.enum_type):
        enumeration(path, lines, each, (5, number), scope)
    for number, each in enumerate(file.service):
        put(path, lines, (6, number), each.name, scope, "service")
        for index, method in enumerate(each.method):
            put(path, lines, (6, number, 2, index), method.name, [*scope, each.name], "rpc")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for path in sys.stdin.read().splitlines():
            read(path, f"{folder}/out")


main()
