"""Measures whether files are read in the right language, by the samples of GitHub's linguist: a
folder for each language, with files from real projects. The name of the folder is the judge.

    python -m tests.accuracy.detection LINGUIST/samples [--half tuned|held] [--show]

LINGUIST is a checkout of github-linguist/linguist. There are two figures: of the files in a
supported language, how many are read in it; of the files in another language, how many are read in
a wrong one. Names and patterns were chosen with the half `tuned`; of the other half, only the
figures were looked at, twice.
"""

import argparse
from collections import Counter
from pathlib import Path
from zlib import crc32

from symindex.extract.documents.formats import load_formats
from symindex.extract.languages.registry import Languages, load_languages
from symindex.extract.texts.file_text import to_utf8

SAME = {
    "shell": "bash", "html+erb": "erb", "html+eex": "eex", "makefile": "make", "jupyter notebook": "notebook", "jinja": "twig",
    "vue": "vue", "tex": "latex", "json with comments": "json", "jsonld": "json", "json5": "json", "protocol buffer": "proto",
    "systemverilog": "verilog", "vim script": "vim", "gradle": "groovy", "gradle kotlin dsl": "kotlin", "assembly": "asm",
    "unix assembly": "asm", "java properties": "properties", "1c enterprise": "bsl", "opencl": "c", "f#": "fsharp",
    "cython": "python", "common lisp": "commonlisp", "emacs lisp": "elisp", "gemfile.lock": "", "ignore list": "",
    "q": "", "text": "text", "restructuredtext": "restructuredtext", "webassembly": "wat", "plsql": "sql", "plpgsql": "sql",
    "tsql": "sql", "sqlpl": "sql", "hiveql": "sql", "starlark": "starlark", "objective-c++": "objc", "godot resource": "",
    "alpine abuild": "bash", "gentoo ebuild": "bash", "gentoo eclass": "bash", "ant build system": "xml", "maven pom": "xml",
    "xslt": "xml", "xml property list": "xml", "web ontology language": "xml", "editorconfig": "ini", "git config": "ini",
    "npm config": "ini", "windows registry entries": "ini", "desktop": "ini", "oasv2-yaml": "yaml", "oasv3-yaml": "yaml",
    "raml": "yaml", "oasv2-json": "json", "oasv3-json": "json", "cairo zero": "cairo", "open policy agent": "rego",
    "postcss": "css", "nunjucks": "twig", "ecmarkup": "html", "motorola 68k assembly": "asm", "xmake": "lua", "mdx":
    "markdown", "fortran free form": "fortran", "hip": "cpp", "html+php": "php", "netlinx+erb": "netlinx",
}  # fmt: skip
"""Our names of linguist's languages if they differ; empty if we have none."""


ALSO = {
    "hcl": {"terraform"},
    "wat": {"wast"},
    "eex": {"heex"},
    "ocaml": {"ocaml_interface"},
    "xml": {"dtd"},
}
"""Languages that we distinguish and linguist does not: its Terraform is HCL, its DTDs are XML."""


def expected(folder: str, languages: Languages) -> str:
    """Returns the id of the language or format of a folder's files, or an empty text if we do not
    support it."""
    name = folder.lower()
    if name in SAME:
        return (
            SAME[name]
            if SAME[name] in languages.by_id or SAME[name] in load_formats().by_id
            else ""
        )
    language = languages.by_id.get(name) or next(
        (language for language in languages.by_id.values() if language.rules.name.lower() == name),
        None,
    )
    if language is not None:
        return language.id
    return next(
        (format_id for format_id, row in load_formats().by_id.items() if row.name.lower() == name),
        "",
    )


def detected(path: Path, languages: Languages) -> str:
    """Returns the id of the language or format that a file is read in, or an empty text if there is
    none."""
    data = to_utf8(path.read_bytes())[0]
    language = languages.by_content(path.name, data)
    return language.id if language is not None else load_formats().of_file(path.name, data)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("samples", type=Path)
    parser.add_argument("--half", choices=["tuned", "held"])
    parser.add_argument(
        "--show",
        action="store_true",
        help="each file that is read in another language than its folder says",
    )
    args = parser.parse_args()
    languages = load_languages(check=False)
    files, right, claimed, others = 0, 0, 0, 0
    wrong: Counter[tuple[str, str]] = Counter()
    for path in sorted(path for path in args.samples.rglob("*") if path.is_file()):
        if args.half and (args.half == "held") != bool(crc32(path.name.encode()) % 2):
            continue
        folder = path.relative_to(args.samples).parts[0]
        wanted, language = expected(folder, languages), detected(path, languages)
        if not wanted:
            others += 1
            claimed += bool(language)
        else:
            files += 1
            right += wanted == language or language in ALSO.get(wanted, ())
        if wanted != language and language not in ALSO.get(wanted, ()):
            wrong[folder, language] += 1
            if args.show:
                print(f"{folder}: {path.name} is read as {language or 'nothing'}")
    print(
        f"{right:,} of {files:,} files in languages that we know are read in them: {right / max(files, 1):.3f}"
    )
    print(
        f"{claimed:,} of {others:,} files in other languages are read as something: {claimed / max(others, 1):.3f}"
    )
    for (folder, language), count in wrong.most_common(30):
        print(f"{count:5}  {folder} -> {language or 'nothing'}")


if __name__ == "__main__":
    main()
