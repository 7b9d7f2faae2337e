"""How the APIs of GitHub, GitLab and Gitea list repositories: addresses, headers, fields."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from symindex.fleet.catalogue.catalogue import Forge


class ForgeApi(NamedTuple):
    """How a forge is asked. paths: of the listing of an organisation, and of a user; `{}` is the
    name. header: the name and the form of that with the token. name, clone, branch: the fields of a
    repository. is_fork, is_empty: what its fields say."""

    paths: tuple[str, str]
    header: tuple[str, str]
    accept: str
    name: str
    clone: str
    is_fork: Callable[[Mapping[str, Any]], bool]
    is_empty: Callable[[Mapping[str, Any]], bool]


FORGES: Final[dict[Forge, ForgeApi]] = {
    "github": ForgeApi(
        ("/orgs/{}/repos?per_page=100&type=all", "/users/{}/repos?per_page=100&type=owner"),
        ("Authorization", "Bearer {}"),
        "application/vnd.github+json",
        "full_name",
        "clone_url",
        lambda row: row.get("fork") is True,
        lambda row: row.get("size") == 0 and not row.get("pushed_at"),
    ),
    "gitlab": ForgeApi(
        (
            "/groups/{}/projects?include_subgroups=true&per_page=100&order_by=id&sort=asc",
            "/users/{}/projects?per_page=100&order_by=id&sort=asc",
        ),
        ("PRIVATE-TOKEN", "{}"),
        "application/json",
        "path_with_namespace",
        "http_url_to_repo",
        lambda row: isinstance(row.get("forked_from_project"), dict),
        lambda row: row.get("empty_repo") is True,
    ),
    "gitea": ForgeApi(
        ("/orgs/{}/repos?limit=50", "/users/{}/repos?limit=50"),
        ("Authorization", "token {}"),
        "application/json",
        "full_name",
        "clone_url",
        lambda row: row.get("fork") is True,
        lambda row: row.get("empty") is True,
    ),
}
