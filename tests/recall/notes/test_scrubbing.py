"""Removal of keys and passwords from text: the recognised forms, and texts that stay unchanged."""

import random
import time

import pytest

from symindex.recall.notes.scrubbing import HIDDEN, scrub, told
from tests.support.secret_forms import FORMS, filled, kept_part, nested

R = "kJ8xQ2mZ7vR4tY9wB3nL6pD1"
"""A random value."""

INNOCENT = [
    "the token budget is small; password rules; secret: yes",
    "commit 62da0914aabbccddeeff00112233445566778899",
    "id 123e4567-e89b-12d3-a456-426614174000",
    "password_reset_token = generate(user)",
    "token = next(tokens)",
    "secret: str",
    "def f(password: str = None): ...",
    "token: string;",
    "const key = await getKey()",
    "password = os.environ['PASSWORD']",
    "api_key=self.api_key",
    "/home/u/.ssh/id_rsa.pub",
    "sha256:" + "ab12" * 16,
    "integrity: sha512-" + R + "==",
    "max_tokens = 4096",
    "PASSWORD_FILE=/run/secrets/db",
    "password=${DB_PASS}",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "unexpected token: identifier",
    "The password must be at least 8 characters",
    "http://localhost:8080/a@b",
    "--token-file x",
    "use --password to log in",
    "`password` is required",
    "Authorization: Bearer <token>",
    "git checkout -p HEAD",
    "mkdir -p src/a",
    "docker run -p 8080:80 nginx",
    "SyntaxError: unexpected token '}'",
    "KeyError: 'token'",
    "key: value",
    "primary key (id)",
    "author: Ann",
    "author_id: 5",
    "tokenize(text)",
    "password=password",
    "pass",
    "tests pass: 12",
    "assert token == other",
    "secrets.token_hex(16)",
    "class Token: pass",
    "keys = sorted(d)",
    "hash = hashlib.sha256(x)",
    "GIT_COMMIT=62da0914aabbccddeeff00112233445566778899",
    "the session key is derived from it",
    "version 1.2.3",
    "a secret is stored in vault",
    "pip install -r requirements.txt",
    "curl -u $USER:$PASS https://x",
    "https://example.org/a?page=2&code=12",
    "token.type",
    "import secrets",
    "cookie policy",
    "data:image/png;base64,iVBORw0KGgo",
    "password: required",
    '{"token": "identifier"}',
    "monkey: banana",
    "PATH=/usr/bin:/bin",
    "authors = ['x']",
    "npm test -- --key",
    "keyboard: qwerty",
    "compass: north",
    "bypass=True",
    "TOKEN_LIMIT=1000",
    "def reset_password(user): ...",
    "password: str = Field(...)",
    "the secret of good design is iteration",
    "/usr/lib/python3/dist-packages/secretstorage/item.py",
    "the password field is required",
    "if token is None: raise",
    "git checkout -b fix/password-reset",
    "pytest -p no:cacheprovider",
    "ssh -p 2222 host",
    "cp -u a b",
    "curl -u requires an argument",
    "docker login -u a -p $PASSWORD",
    "docker run --rm -p 127.0.0.1:8080:80/tcp nginx",
    "mysql -P 3306 -h db",
    "the next token is an identifier",
    "see tests/auth/test_login.py::test_password",
    "class PasswordForm(Form):",
    "raise TokenError(f'no token in {path}')",
    "echo done | tee log",
    "a key of 4096 bits",
    "openssl x509 -in cert.pem -noout",
    "-----BEGIN CERTIFICATE-----",
    "ssh-keygen -t ed25519 -C me",
    "the cookie is set by the server",
]


@pytest.mark.nightly
@pytest.mark.parametrize("form", FORMS)
def test_a_secret_is_hidden_as_a_whole(form: str) -> None:
    chance = random.Random(form)
    text, secrets = filled(form, chance)
    for context in (
        "{}",
        "please run: {} now",
        "first\n{}\nlast",
        "a, {}; b",
        "\t{}\t",
        "first\r\n{}\r\n",
    ):
        for level in range(4):
            given = nested(context.replace("{}", text), level)
            scrubbed, kinds = scrub(given)
            assert HIDDEN in scrubbed and kinds and told(kinds)
            assert kept_part(secrets, scrubbed) == "", given


@pytest.mark.parametrize(
    "text",
    [
        "use token cGkuLboqbIlYYjClHVhppRNXB8LxkXJIMskabZ5Z for it",
        "use token fGhjKZHP5vnjbbjsIGgcUxabgHXutpRSlGePEY1F for it",
        "kind: Secret\ndata:\n  foo: /Kwhda9ZgRDds/qDhUx2Gg8N",
    ],
)
def test_random_values_with_few_digits_or_with_slashes_are_hidden(text: str) -> None:
    scrubbed, _ = scrub(text)
    assert (
        HIDDEN in scrubbed
        and "fGhj" not in scrubbed
        and "Kwhda" not in scrubbed
        and "cGku" not in scrubbed
    )


def test_there_are_enough_forms() -> None:
    assert len(FORMS) == len(set(FORMS)) >= 120 and len(INNOCENT) >= 80


@pytest.mark.parametrize("text", INNOCENT)
def test_an_innocent_text_stays_whole(text: str) -> None:
    assert scrub(text) == (text, {})


def test_cut_rows_are_reported_by_kind() -> None:
    text, kinds = scrub(f"ghp_{R}, npm_{R}{R} and ghp_{R}")
    assert text == "[secret], [secret] and [secret]"
    assert told(kinds).endswith("2 github, 1 npm") and told(scrub("nothing")[1]) == ""


def test_a_long_value_is_hidden_to_its_end() -> None:
    for value, text in ((R * 1_000, "token={}"), (R * 1_000, 'password="{}"'), (R * 400, "X_Y={}")):
        assert R[:12] not in scrub(text.format(value))[0]


HOSTILE = [
    "token=", "a:b@", "https://a:b@", "://a:b", '"', "'", "-----BEGIN", "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----\n", "\\", '{"a":"', 'password="', 'password=\\"', "token='\\", "token=!a", "A_KEY=x", "AB=;",
    "key: |\n ", "mysql -p", "name=password ", "echo a|", "curl -u ", "password is ", "login a password ",
    "sk-aaaaaaaaaaaaaaaaaaa1 ", "eyJaaaaaaaaaa.", "AAAA", "0", "Cookie: a=b", "token=%22", "machine a ", "mnemonic abc ",
    "htpasswd -b a ", 'variable "key" {', "token token ", "key a1A", "openssl -k ", "<password>",
]  # fmt: skip
"""Beginnings of what the rules search for: repeated, they could take quadratic time."""


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE)
def test_the_time_grows_as_the_text_does(text: str) -> None:
    scrub(f"{text} token=x")  # compiles the expressions
    times = []
    for size in (60_000, 240_000):
        begun = time.process_time()
        scrub(text * (size // len(text)))
        times.append(time.process_time() - begun)
    assert times[1] < 0.3 or times[1] < 8 * times[0], (
        times
    )  # quadratic time would be sixteen times as long for four times the text
