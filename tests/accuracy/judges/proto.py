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
    for number, field in enumerate(message.field):
        put(path, lines, (*place, 2, number), field.name, inner, "field")
    for number, oneof in enumerate(message.oneof_decl):
        put(path, lines, (*place, 8, number), oneof.name, inner, "oneof")
    for number, nested in enumerate(message.nested_type):
        if not nested.options.map_entry:
            walk(path, lines, nested, (*place, 3, number), inner)
    for number, enum in enumerate(message.enum_type):
        enumeration(path, lines, enum, (*place, 4, number), inner)


def enumeration(path: str, lines: dict, enum: object, place: tuple, scope: list[str]) -> None:
    put(path, lines, place, enum.name, scope, "enum")
    for number, value in enumerate(enum.value):
        put(path, lines, (*place, 2, number), value.name, [*scope, enum.name], "value")


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
        [*command, *(f"-I{folder}" for folder in reversed(above)), path],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        print(json.dumps({"path": path, "error": done.stderr.decode()[:100]}))
        return
    files = descriptor_pb2.FileDescriptorSet.FromString(Path(out).read_bytes())
    file = files.file[-1]
    lines = {
        tuple(location.path): location.span[0] + 1 for location in file.source_code_info.location
    }
    scope = file.package.split(".") if file.package else []
    for number, message in enumerate(file.message_type):
        walk(path, lines, message, (4, number), scope)
    for number, enum in enumerate(file.enum_type):
        enumeration(path, lines, enum, (5, number), scope)
    for number, service in enumerate(file.service):
        put(path, lines, (6, number), service.name, scope, "service")
        for index, method in enumerate(service.method):
            put(path, lines, (6, number, 2, index), method.name, [*scope, service.name], "rpc")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for path in sys.stdin.read().splitlines():
            read(path, f"{folder}/out")


main()
