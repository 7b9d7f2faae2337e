"""What the suite needs of symindex beside its public interface, in one place."""

from symindex.workspace import Workspace


def parsed_files(workspace: Workspace) -> list[tuple[str, str]]:
    """Grammar and whole path of every file whose symbols the index holds."""
    grammars = {language.id: language.rules.grammar for language in workspace.languages.by_id.values()}
    files = [file for file in workspace.index.files() if file.language and not file.skip]
    return [(grammars[file.language], str(workspace.root / file.path)) for file in files]
