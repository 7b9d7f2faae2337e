"""Go, Cargo, Maven and Gradle, RubyGems, Composer and C: where each installs packages, and the
notices about missing ones."""

from pathlib import Path

import pytest

from tests.packages.trees import all_shown, find
from tests.support.files import Files

Case = tuple[Files, dict[str, str], list[str], str]

GO: Files = {"system/usr/lib/go-1.22/VERSION": "go1.22.3\ntime x\n", "system/usr/lib/go-1.22/src/fmt/print.go": "",
             "system/usr/lib/go-1.22/src/cmd/go/main.go": "", "system/usr/lib/go-1.22/src/net/http/a.go": ""}  # fmt: skip
GO_STD = "go:std@1.22.3* system/usr/lib/go-1.22/src [fmt net]"

GO_CASES: dict[str, Case] = {
    "the cache, with capitals, replacements and what is missing": (
        {
            **GO,
            "project/go.mod": """
module example.com/app
go 1.22 // the language
require github.com/BurntSushi/toml v1.3.2
require (
    "golang.org/x/net" v0.1.0 // indirect
    example.com/old v1.0.0
    example.com/part v1.0.0
    example.com/away v1.0.0
    ../../evil v1.0.0
)
replace example.com/old => example.com/new v2.0.0+x
replace (
    example.com/part v1.0.0 => ./part
    example.com/away => ../away
)
""",
            "home/go/pkg/mod/github.com/!burnt!sushi/toml@v1.3.2/a.go": "",
            "home/go/pkg/mod/example.com/new@v2.0.0+x/a.go": "",
        }, {},
        [
            "go:example.com/away@v1.0.0* ?", "go:example.com/old@v2.0.0+x* home/go/pkg/mod/example.com/new@v2.0.0+x",
            "go:github.com/BurntSushi/toml@v1.3.2* home/go/pkg/mod/github.com/!burnt!sushi/toml@v1.3.2", GO_STD,
            "go:golang.org/x/net@v0.1.0 ?",
        ],
        "go.mod: '../../evil' is not a name of a package; left out",
    ),
    "vendored, one in another": (
        {
            **GO, "project/go.mod": "module a\ngo 1.17\nrequire cloud/go v1.0.0\n",
            "project/vendor/modules.txt":
                "# cloud/go v1.0.0\n## explicit\ncloud/go/x\n# cloud/go/storage v1.1.0\n# gone v1\n# ../up v1\n",
            "project/vendor/cloud/go/x/a.go": "", "project/vendor/cloud/go/storage/b.go": "",
        }, {},
        [
            "go:cloud/go@v1.0.0* project/vendor/cloud/go [x]", GO_STD,
            "go:cloud/go/storage@v1.1.0 project/vendor/cloud/go/storage",
        ],
        "vendor/modules.txt: '../up' is not a name",
    ),
    "an older language, whose other modules stand in go.sum": (
        {
            "project/go.mod": "module a\ngo 1.16\nrequire x/y v1.0.0\n", "home/gopath/pkg/mod/x/y@v1.0.0/a.go": "",
            "home/gopath/pkg/mod/x/z@v1.10.0/a.go": "",
            "project/go.sum": "x/y v1.0.0 h1:=\nx/z v1.9.0 h1:=\nx/z v1.10.0 h1:=\nx/z v1.11.0/go.mod h1:=\n",
            "home/goroot/VERSION": "go1.16", "home/goroot/src/fmt/print.go": "",
        }, {"GOPATH": "{top}/home/gopath:{top}/other", "GOROOT": "{top}/home/goroot"},
        [
            "go:std@1.16* home/goroot/src [fmt]", "go:x/y@v1.0.0* home/gopath/pkg/mod/x/y@v1.0.0",
            "go:x/z@v1.10.0 home/gopath/pkg/mod/x/z@v1.10.0",
        ],
        "",
    ),
    "a newer tool chain, in the cache": (
        {
            **GO, "project/go.mod": "module a\ngo 1.23\ntoolchain go1.23.1\n",
            "home/mod/golang.org/toolchain@v0.0.1-go1.23.1.linux-amd64/VERSION": "go1.23.1\n",
            "home/mod/golang.org/toolchain@v0.0.1-go1.23.1.linux-amd64/src/fmt/print.go": "",
        }, {"GOMODCACHE": "{top}/home/mod"},
        ["go:std@1.23.1* home/mod/golang.org/toolchain@v0.0.1-go1.23.1.linux-amd64/src [fmt]"],
        "",
    ),
    "no Go": ({"project/go.mod": "module a"}, {}, ["go:std@* ?"], ""),
}  # fmt: skip

LOCK = """
version = 3

[[package]]
name = "app"
version = "0.1.0"
dependencies = [
 "serde",
 "two 1.0.0",
 "git-one",
]

[[package]]
name = "serde"
version = "1.0.1"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "x"

[[package]]
name = "two"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"

[[package]]
name = "two"
version = "2.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"

[[package]]
name = "git-one"
version = "0.3.0"
source = "git+https://example.com/x/repo.git?branch=main#0123456789abcdef0123456789abcdef01234567"

[[package]]
name = "../up"
version = "0.3.0"
source = "registry+x"
"""
REGISTRY = "home/.cargo/registry/src/index.crates.io-6f17d22bba15001f"
RUST = "lib/rustlib/src/rust/library/std/src/lib.rs"

CARGO_CASES: dict[str, Case] = {
    "the registry, a checkout, a toolchain": (
        {
            "project/Cargo.lock": LOCK, f"{REGISTRY}/serde-1.0.1/Cargo.toml": "", f"{REGISTRY}/two-2.0.0/Cargo.toml": "",
            "home/.cargo/git/checkouts/repo-0123abcd/0123456/crates/git-one/Cargo.toml": '[package]\nname = "git-one"\n',
            "home/.rustup/settings.toml": 'default_toolchain = "stable-x86_64"\n',
            f"home/.rustup/toolchains/nightly-x86_64/{RUST}": "", f"home/.rustup/toolchains/stable-x86_64/{RUST}": "",
            "home/.rustup/toolchains/stable-x86_64/lib/rustlib/multirust-channel-manifest.toml":
                '[pkg.rustc]\nversion = "1.75.0 (82e1608df 2023-12-21)"\n',
        }, {},
        [
            "cargo:git-one@0.3.0* home/.cargo/git/checkouts/repo-0123abcd/0123456/crates/git-one",
            f"cargo:serde@1.0.1* {REGISTRY}/serde-1.0.1", "cargo:two@1.0.0* ?", f"cargo:two@2.0.0 {REGISTRY}/two-2.0.0",
            "rust:std@1.75.0* home/.rustup/toolchains/stable-x86_64/lib/rustlib/src/rust/library [std/src]",
        ],
        "Cargo.lock: '../up' is not a name",
    ),
    "vendored; the toolchain of the project; Debian's": (
        {
            "project/Cargo.lock": LOCK, "project/rust-toolchain.toml": '[toolchain]\nchannel = "nightly"\n',
            "project/vendor/serde/Cargo.toml": '[package]\nname = "serde"\nversion = "1.0.1"\n',
            "project/vendor/two/Cargo.toml": '[package]\nname = "two"\nversion = "1.0.0"\n',
            "project/vendor/two-2.0.0/Cargo.toml": "",
            "system/usr/src/rustc-1.63.0/library/std/src/lib.rs": "",
        }, {"CARGO_HOME": "{top}/no"},
        [
            "cargo:git-one@0.3.0* ?", "cargo:serde@1.0.1* project/vendor/serde", "cargo:two@1.0.0* project/vendor/two",
            "cargo:two@2.0.0 project/vendor/two-2.0.0", "rust:std@1.63.0* system/usr/src/rustc-1.63.0/library [std/src]",
        ],
        "",
    ),
    "no source of Rust": ({"project/Cargo.toml": ""}, {}, ["rust:std@* ?"], ""),
}  # fmt: skip


def pom(artifact: str, body: str = "", parent: str = "", version: str = "1.0") -> str:
    above = (
        f"<parent><groupId>org.x</groupId><artifactId>{parent}</artifactId><version>1.0</version></parent>"
        if parent
        else ""
    )
    return f"""<?xml version="1.0"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">{above}<groupId>org.x</groupId><artifactId>{artifact}</artifactId>
<version>{version}</version>{body}</project>"""


def needs(*artifacts: str, table: bool = False) -> str:
    """Turns texts such as `artifact:version:scope` into XML."""
    elements = ""
    for coordinates in artifacts:
        artifact, version, scope, *more = (*coordinates.split(":"), "", "")[:4]
        elements += f"<dependency><groupId>org.x</groupId><artifactId>{artifact}</artifactId>"
        elements += (
            f"<version>{version}</version>" * bool(version)
            + f"<scope>{scope}</scope>" * bool(scope)
            + "".join(more)
            + "</dependency>"
        )
    elements = f"<dependencies>{elements}</dependencies>"
    return f"<dependencyManagement>{elements}</dependencyManagement>" if table else elements


M2 = "home/.m2/repository/org/x"
JARS: Files = {f"{M2}/{name}/1.0/{name}-1.0-sources.jar": "" for name in ("a", "b", "c", "d", "e")}
JDK: Files = {
    "system/usr/lib/jvm/jdk-17/release": 'JAVA_VERSION="17.0.2"\n',
    "system/usr/lib/jvm/jdk-17/lib/src.zip": "",
}
JDK_SRC = "jdk:jdk@17.0.2* system/usr/lib/jvm/jdk-17/lib/src.zip"
GRADLE = "home/.gradle/caches/modules-2/files-2.1/org.x"

JVM_CASES: dict[str, Case] = {
    "parents, tables, properties, what is needed in turn": (
        {
            **JARS, **JDK,
            "project/pom.xml": pom("top", "<properties><a.v>0</a.v></properties>" + needs("a:${a.v}", "bom:1.0:import",
            table=True)),
            "project/app/pom.xml": pom("app", "<properties><a.v>1.0</a.v></properties>" + needs("a", "e::test", "lib:1.0"),
            "top"),
            "project/lib/pom.xml": pom("lib"),
            f"{M2}/bom/1.0/bom-1.0.pom": pom("bom", needs("e:1.0", "c:1.0", table=True)),
            f"{M2}/base/1.0/base-1.0.pom": pom("base", needs("d:1.0", table=True) + "<properties><b>1.0</b></properties>"),
            f"{M2}/a/1.0/a-1.0.pom": pom("a", needs("b:${b}", "c:2.0", "d", "t:1.0:test", "p:1.0:provided", "gone:9"), "base"),
            f"{M2}/b/1.0/b-1.0.pom": pom("b", needs("a:7.0", "b:1.0")),
        }, {"JAVA_HOME": "relative"},
        [
            JDK_SRC, f"maven:org.x:a@1.0* {M2}/a/1.0/a-1.0-sources.jar", f"maven:org.x:e@1.0* {M2}/e/1.0/e-1.0-sources.jar",
            f"maven:org.x:b@1.0 {M2}/b/1.0/b-1.0-sources.jar", f"maven:org.x:c@1.0 {M2}/c/1.0/c-1.0-sources.jar",
            f"maven:org.x:d@1.0 {M2}/d/1.0/d-1.0-sources.jar", "maven:org.x:gone@9 ?",
        ],
        "",
    ),
    "entities, circles and names that lead elsewhere": (
        {
            **JDK, "project/pom.xml": '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><project/>',
            "project/a/pom.xml": pom("a", needs("../../x:1.0", "b:../1",
            "c:${c}") + "<properties><c>${d}${d}</c><d>${c}</d></properties>"),
            "project/b/pom.xml": pom("b", parent="b").replace("</parent>", "<relativePath>pom.xml</relativePath></parent>"),
            "project/c/pom.xml": "<project>", "project/d/pom.xml": "<project/>".encode("utf-16"),
            "project/e/pom.xml": pom("e", parent="x").replace("</parent>",
            "<relativePath>../../../home/pom.xml</relativePath></parent>"),
            "project/.mvn/maven.config": "-Dmaven.repo.local=../../home",
        }, {},
        [JDK_SRC],
        "pom.xml: not read as a pom: a document type",
    ),
    "another repository": (
        {
            **JDK, "project/pom.xml": pom("top", needs("a:1.0", "b:1.0")), "home/.m2/settings.xml":
                "<settings><localRepository>${user.home}/m</localRepository></settings>",
            "home/m/org/x/a/1.0/a-1.0-sources.jar": "", "home/n/org/x/b/1.0/b-1.0-sources.jar": "",
        }, {"MAVEN_OPTS": "-Xmx1g -Dmaven.repo.local={top}/home/n"},
        [
            JDK_SRC, "maven:org.x:a@1.0* home/m/org/x/a/1.0/a-1.0-sources.jar",
            "maven:org.x:b@1.0* home/n/org/x/b/1.0/b-1.0-sources.jar",
        ],
        "",
    ),
    "Gradle's build files and catalog": (
        {
            "project/build.gradle.kts": 'val v = "1.0"\nimplementation("org.x:a:$v")\napi(libs.c)\nimplementation("org.x:e")\n"http://x"',
            "project/gradle/libs.versions.toml":
                '[versions]\nc = "1.0"\n[libraries]\nc = { module = "org.x:c", version.ref = "c" }\nd = "org.x:d:1.0"\n',
            f"{GRADLE}/a/1.0/0a/a-1.0-sources.jar": "", f"{GRADLE}/a/1.0/0b/a-1.0.pom": pom("a", needs("b:1.0")),
            f"{GRADLE}/b/1.0/0c/b-1.0-sources.jar": "", f"{GRADLE}/c/1.0/0d/c-1.0.jar": "", f"{M2}/d/1.0/d-1.0-sources.jar": "",
            "home/jdk/release": 'JAVA_VERSION="21"\n',
        }, {"JAVA_HOME": "{top}/home/jdk"},
        [
            "jdk:jdk@21* ?", f"maven:org.x:a@1.0* {GRADLE}/a/1.0/0a/a-1.0-sources.jar", "maven:org.x:c@1.0* ?",
            f"maven:org.x:d@1.0* {M2}/d/1.0/d-1.0-sources.jar", "maven:org.x:e@* ?",
            f"maven:org.x:b@1.0 {GRADLE}/b/1.0/0c/b-1.0-sources.jar",
        ],
        "",
    ),
    "Gradle's lock file": (
        {
            **JDK, "project/build.gradle": "implementation 'org.x:a:0.+'",
            "project/gradle.lockfile": "# x\norg.x:a:1.0=c,d\norg.x:b:1.0=c\nempty=\n",
            f"{GRADLE}/a/1.0/0a/a-1.0-sources.jar": "", f"{GRADLE}/b/1.0/0c/b-1.0-sources.jar": "",
        }, {},
        [
            JDK_SRC, f"maven:org.x:a@1.0* {GRADLE}/a/1.0/0a/a-1.0-sources.jar",
            f"maven:org.x:b@1.0 {GRADLE}/b/1.0/0c/b-1.0-sources.jar",
        ],
        "",
    ),
}  # fmt: skip

GEMS = """
GIT
  remote: https://example.com/x/tool.git
  revision: 0123456789abcdef0123456789abcdef01234567
  specs:
    tool (0.1)

PATH
  remote: engines/own
  specs:
    own (0.1.0)

GEM
  remote: https://rubygems.org/
  specs:
    nokogiri (1.15.0-x86_64-linux)
      racc (~> 1.4)
    racc (1.7.0)
    rake (13.0.6)
    rails (7.1)
    ../evil (1.0)

DEPENDENCIES
  nokogiri (~> 1.15)
  own!
  rake
  tool!
"""

OTHERS: dict[str, Case] = {
    "RubyGems": (
        {
            "project/Gemfile.lock": GEMS,
            "project/vendor/bundle/ruby/3.1.0/gems/nokogiri-1.15.0-x86_64-linux/a.rb": "",
            "home/gems/gems/racc-1.7.0/a.rb": "", "system/usr/share/rubygems-integration/all/gems/rake-13.0.6/a.rb": "",
            "home/.rbenv/versions/3.1.2/lib/ruby/gems/3.1.0/bundler/gems/tool-0123456789ab/a.rb": "",
        }, {"GEM_HOME": "{top}/home/gems"},
        [
            "gem:nokogiri@1.15.0-x86_64-linux* project/vendor/bundle/ruby/3.1.0/gems/nokogiri-1.15.0-x86_64-linux",
            "gem:rake@13.0.6* system/usr/share/rubygems-integration/all/gems/rake-13.0.6",
            "gem:tool@0.1* home/.rbenv/versions/3.1.2/lib/ruby/gems/3.1.0/bundler/gems/tool-0123456789ab",
            "gem:racc@1.7.0 home/gems/gems/racc-1.7.0", "gem:rails@7.1 ?",
        ],
        "",
    ),
    "Composer": (
        {
            "project/composer.json": '{"require": {"php": "8", "a/b": "^1"}, "config": {"vendor-dir": "lib/vendor"}}',
            "project/lib/vendor/composer/installed.json":
                '{"packages": [{"name": "a/b", "version": "v1.2.0", "autoload": {"psr-4": {"A\\\\B\\\\": "src"}}},'
                ' {"name": "../../x/y", "version": "1"}, {"name": "m/m", "version": "1", "type": "metapackage"}, 7]}',
            "project/lib/vendor/a/b/x.php": "",
            "project/composer.lock":
                '{"packages": [{"name": "a/b", "version": "v1.2.0"}], "packages-dev": [{"name": "c/d", "version": "2"}]}',
        }, {},
        ["composer:a/b@v1.2.0* project/lib/vendor/a/b", "composer:c/d@2 ?"],
        "lib/vendor/composer/installed.json: '../../x/y' is not a name of a package",
    ),
    "C": (
        {
            "project/src/main.c": "", "system/usr/include/stdio.h": "", "system/usr/local/include/x.h": "",
            "system/usr/lib/gcc/x86_64-linux-gnu/9/include/a.h": "", "system/usr/lib/gcc/x86_64-linux-gnu/12/include/a.h": "",
            "system/opt/include/y.h": "",
        }, {"CPATH": "{top}/system/opt/include::{top}/project/src:relative:{top}/system:{top}/system/usr/include/sub"},
        ["c:include@12* system [opt/include usr/include usr/lib/gcc/x86_64-linux-gnu/12/include usr/local/include]"],
        "",
    ),
    "C, without GCC": (
        {"project/CMakeLists.txt": "", "system/usr/include/features.h": "#define\t__GLIBC__\t2\n#define __GLIBC_MINOR__ 36\n"},
        {},
        ["c:include@glibc-2.36* system [usr/include]"],
        "",
    ),
    "no C": ({"project/Makefile": "", "system/usr/include/a.h": ""}, {}, [], ""),
}  # fmt: skip

CASES = {**GO_CASES, **CARGO_CASES, **JVM_CASES, **OTHERS}


@pytest.mark.parametrize("name", CASES)
def test_where_packages_are(name: str, tmp_path: Path) -> None:
    files, environment, expected, said = CASES[name]
    listing = find(tmp_path, files, environment)
    assert all_shown(tmp_path, listing) == expected
    assert said in "\n".join(listing.notices)
    assert all(notice.isprintable() for notice in listing.notices)


def test_names_that_code_knows(tmp_path: Path) -> None:
    files, _, _, _ = OTHERS["Composer"]
    listing = find(
        tmp_path, {**files, **CARGO_CASES["vendored; the toolchain of the project; Debian's"][0]}
    )
    names = {package.name: package.modules for package in listing.packages}
    assert names["a/b"] == ("A\\B",)
    assert names["git-one"] == ("git_one",)
    assert names["std"] == ("alloc", "core", "std")


def test_places_in_the_project_lead_nowhere_else(tmp_path: Path) -> None:
    """Vendored packages may be links that an author put there."""
    files, _, _, _ = OTHERS["Composer"]
    find(
        tmp_path,
        {
            **files,
            **GO_CASES["vendored, one in another"][0],
            "home/secret/a.go": "",
            "home/secret/x.php": "",
        },
    )
    for path in ("project/lib/vendor/c/d", "project/vendor/gone"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).symlink_to(tmp_path / "home/secret")
    listing = find(tmp_path, {})
    assert not [
        package
        for package in listing.packages
        if package.root is not None and "home" in package.root.parts
    ]
    (missing,) = (package.missing for package in listing.packages if package.name == "c/d")
    assert missing.startswith("lib/vendor/c/d is a link that leads out of the project")
