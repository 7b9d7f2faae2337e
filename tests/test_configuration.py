"""The user's own configuration: its defaults, where it is, and what is wrong with it."""

from pathlib import Path

import pytest

from symindex.configuration import (
    Configuration,
    ConfiguredRegistry,
    configuration_file,
    configuration_folder,
    read_configuration,
)
from symindex.errors import RequestError
from tests.support.files import write_files


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYMINDEX_CONFIG", str(tmp_path / "config.toml"))
    return tmp_path / "config.toml"


KEYS = "user_roots, home, registries, grammars, verify, agent_memory, recall_model"


def test_without_a_file_home_is_read_and_nothing_else(file: Path) -> None:
    assert read_configuration() == Configuration(
        user_roots=(),
        home=True,
        registries=(),
        grammars=(),
        verify="intact",
        agent_memory=False,
        recall_model="",
    )
    file.write_text("")
    assert read_configuration() == Configuration()


def test_every_key_is_read(file: Path) -> None:
    file.write_text(
        "user_roots = ['~/a', '/b']\nhome = false\ngrammars = ['/g']\nverify = 'require'\n"
        "agent_memory = true\nrecall_model = '~/m'\n[[registries]]\nname = 'team'\nsource = '/r'\n"
        "[[registries]]\nname = 'net'\nsource = 'https://x'\nsha256 = 'ab'\nallow_private = true\n"
    )
    assert read_configuration() == Configuration(
        user_roots=("~/a", "/b"),
        home=False,
        registries=(
            ConfiguredRegistry("team", "/r", "", False),
            ConfiguredRegistry("net", "https://x", "ab", True),
        ),
        grammars=("/g",),
        verify="require",
        agent_memory=True,
        recall_model="~/m",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("colour = 1", f"Object contains unknown field `colour`; the keys are {KEYS}"),
        ("home = 1", "Expected `bool`, got `int` - at `$.home`; the keys are " + KEYS),
        ("= = =", f"Invalid statement (at line 1, column 1); the keys are {KEYS}"),
        ("verify = 'always'", f"Invalid enum value 'always' - at `$.verify`; the keys are {KEYS}"),
        (
            "[[registries]]\nname = 'a'\nsource = 'b'\nsha = 'c'",
            f"Object contains unknown field `sha` - at `$.registries[0]`; the keys are {KEYS}",
        ),
        ("home = " + "[" * 500, f"the keys are {KEYS}"),
        (b"home = \xff", f"the keys are {KEYS}"),
    ],
)
def test_a_fault_of_the_file_is_told_with_the_keys(
    file: Path, text: str | bytes, said: str
) -> None:
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(RequestError) as caught:
        read_configuration()
    assert str(caught.value).startswith(f"{file}: ") and str(caught.value).endswith(said)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("key", ["user_roots", "grammars", "registries"])
def test_a_list_has_at_most_twenty_entries(file: Path, key: str) -> None:
    def entries(count: int) -> str:
        one = "{name = 'a', source = 'b'}" if key == "registries" else "'/a'"
        return f"{key} = [{', '.join([one] * count)}]\n"

    file.write_text(entries(20))
    assert len(getattr(read_configuration(), key)) == 20
    file.write_text(entries(21))
    with pytest.raises(RequestError, match=f"length <= 20 - at `\\$.{key}`"):
        read_configuration()


def test_the_message_about_a_fault_is_short(file: Path) -> None:
    file.write_text(f"{'k' * 5_000} = 1\n")
    with pytest.raises(RequestError) as caught:
        read_configuration()
    assert len(str(caught.value)) == len(f"{file}: ; the keys are {KEYS}") + 200


def test_what_cannot_be_read_is_told(file: Path) -> None:
    file.mkdir()
    with pytest.raises(RequestError, match=r"config\.toml: cannot be read: "):
        read_configuration()


def test_a_link_is_followed(file: Path, tmp_path: Path) -> None:
    write_files(tmp_path, {"dotfiles/mine.toml": "agent_memory = true\n"})
    file.symlink_to(tmp_path / "dotfiles/mine.toml")
    assert read_configuration().agent_memory


def test_where_the_file_is(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert configuration_file() == file
    monkeypatch.setenv("SYMINDEX_CONFIG", "")
    assert configuration_file() is None and read_configuration() == Configuration()
    monkeypatch.setenv("SYMINDEX_CONFIG", "mine.toml")
    with pytest.raises(RequestError) as caught:
        configuration_file()
    assert str(caught.value) == "SYMINDEX_CONFIG is 'mine.toml': it must be an absolute path"
    monkeypatch.delenv("SYMINDEX_CONFIG")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert configuration_folder() == tmp_path / "symindex"
    assert configuration_file() == tmp_path / "symindex" / "config.toml"


def test_two_read_the_same_file_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("home = false\n")
    assert read_configuration() is read_configuration()


def test_a_configuration_does_not_change() -> None:
    registry = ConfiguredRegistry("a", "b")
    for struct, name in ((Configuration(), "home"), (registry, "name")):
        with pytest.raises(AttributeError):
            setattr(struct, name, None)
    assert hash(Configuration()) == hash(Configuration())
