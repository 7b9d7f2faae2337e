"""universal-ctags, for languages whose own parser cannot be fetched: a comparator, not the
truth."""

import json
import subprocess
import sys


def main() -> None:
    command = [
        "ctags",
        f"--language-force={sys.argv[1]}",
        "--output-format=json",
        "--fields=+nK",
        "-L",
        "-",
        "-f",
        "-",
    ]
    leave = set(sys.argv[2].split(",")) if len(sys.argv) > 2 else set()
    done = subprocess.run(
        command,
        input=sys.stdin.read(),
        capture_output=True,
        text=True,
        check=True,
        errors="replace",
    )
    for line in filter(None, done.stdout.split("\n")):
        tag = json.loads(line)
        if (
            tag["_type"] == "tag"
            and tag["kind"] not in leave
            and not tag["name"].startswith("__anon")
        ):
            print(
                json.dumps(
                    {
                        "path": tag["path"],
                        "line": tag["line"],
                        "name": tag["name"].strip('"').removeprefix("::"),
                        "kind": tag["kind"],
                    }
                )
            )


main()
