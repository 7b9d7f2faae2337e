"""Removal of keys and passwords from text: the recognised forms, and texts that stay unchanged."""

import random
import time
from collections import Counter

import msgspec
import pytest

from symindex.recall.notes.assigned_secrets import _name_before
from symindex.recall.notes.scrubbing import HIDDEN, _is_let_be, scrub, told
from symindex.recall.notes.secret_rules import Rule, _Rules
from symindex.recall.notes.secret_values import (
    _strength,
    is_innocent,
    is_random,
    is_random_variable,
)
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


def test_each_form_is_hidden_in_a_sentence() -> None:
    """The nightly lane looks at more contexts, and at levels of JSON."""
    for form in FORMS:
        text, secrets = filled(form, random.Random(form))
        scrubbed, kinds = scrub(f"please run: {text} now")
        assert kinds and kept_part(secrets, scrubbed) == "", form


EDGES = [
    ('password = "ab"', 'password = "ab"', ''),
    ('password = "abc"', 'password = "[secret]"', 'password'),
    ('password="abc"', 'password="[secret]"', 'password'),
    ('password: "one two three four five six seven"', 'password: "one two three four five six seven"', ''),
    ('password: "one two three four five six sev3n"', 'password: "[secret]"', 'password'),
    ('PASSWORD=ab', 'PASSWORD=ab', ''),
    ('PASSWORD=abc', 'PASSWORD=[secret]', 'password'),
    ('PASSWORD = abc', 'PASSWORD = abc', ''),
    ('password=abcd', 'password=abcd', ''),
    ('password=ab1', 'password=ab1', ''),
    ('password=ab1d', 'password=[secret]', 'password'),
    ('password=1234', 'password=[secret]', 'password'),
    ('password=123', 'password=123', ''),
    ('password = hunter', 'password = [secret]', 'password'),
    ('password = hunte', 'password = [secret]', 'password'),
    ('password = hunt', 'password = hunt', ''),
    ('password: hunter', 'password: [secret]', 'password'),
    ('password: hunter,', 'password: hunter,', ''),
    ('password=hunter, x', 'password=hunter, x', ''),
    ('password = Hunter', 'password = Hunter', ''),
    ('password = hun_ter', 'password = hun_ter', ''),
    ('password = hunter) x', 'password = hunter) x', ''),
    ('password: correct-horse-battery', 'password: [secret]', 'password'),
    ('password = correct-horse-battery', 'password = [secret]', 'password'),
    ('password("hunter2")', 'password("hunter2")', ''),
    ('set("password", "hunter2!")', 'set("password", "[secret]")', 'password'),
    ('set("password", "hunter")', 'set("password", "hunter")', ''),
    ('password = get(x)', 'password = get(x)', ''),
    ('PASSWORD=get(x)', 'PASSWORD=get(x)', ''),
    ('PASSWORD=get.x', 'PASSWORD=[secret]', 'password'),
    ('password = config.value', 'password = config.value', ''),
    ('password[0]', 'password[0]', ''),
    ('password => "hunter2"', 'password => "[secret]"', 'password'),
    ('password -> "hunter2"', 'password -> "[secret]"', 'password'),
    ('password := "hunter2"', 'password := "[secret]"', 'password'),
    ('password === "hunter2"', 'password === "[secret]"', 'password'),
    ('password != "hunter2"', 'password != "[secret]"', 'password'),
    ('password%3Dhunter22', 'password%3D[secret]', 'password'),
    ('password\\u003d"hunter2"', 'password\\u003d"[secret]"', 'password'),
    ('password&#61;"hunter2"', 'password&#61;"[secret]"', 'password'),
    ('password: str = "hunter2"', 'password: str = "[secret]"', 'password'),
    ('password: Optional[str] = "hunter2"', 'password: Optional[str] = "[secret]"', 'password'),
    ('pw_hash = "a1b2c3d4e5f6a7b8"', 'pw_hash = "[secret]"', 'password'),
    ('token = "a1b2c3d"', 'token = "[secret]"', 'spoken'),
    ('token = "a1b2c3d4"', 'token = "[secret]"', 'spoken'),
    ('TOKEN=a1b2c3', 'TOKEN=[secret]', 'assignment'),
    ('TOKEN=a1b2c', 'TOKEN=a1b2c', ''),
    ('token = "a1 b2c3d4e5"', 'token = "a1 b2c3d4e5"', ''),
    ('token = a1b2c3d4', 'token = [secret]', 'spoken'),
    ('token = identifier', 'token = identifier', ''),
    ('key = "a1b2c3d4e5f6a7b8"', 'key = "a1b2c3d4e5f6a7b8"', ''),
    ('key = "a1b2c3d4e5f6a7bx"', 'key = "[secret]"', 'assignment'),
    ('key = "a1b2c3d4e5f6a7x"', 'key = "a1b2c3d4e5f6a7x"', ''),
    ('my_key = "a1b2c3d4"', 'my_key = "[secret]"', 'assignment'),
    ('token_count = "aB3dE5gH7jK9mN1pQ3s"', 'token_count = "aB3dE5gH7jK9mN1pQ3s"', ''),
    ('token_count = "aB3dE5gH7jK9mN1pQ3sT"', 'token_count = "[secret]"', 'assignment'),
    ('session_id = "123e4567-e89b-12d3-a456-426614174000"', 'session_id = "123e4567-e89b-12d3-a456-426614174000"', ''),
    ('FOO=aB3dE5gH7jK9mN1pQ3sT5vX', 'FOO=aB3dE5gH7jK9mN1pQ3sT5vX', ''),
    ('FOO=aB3dE5gH7jK9mN1pQ3sT5vX7', 'FOO=[secret]', 'random'),
    ('COMMIT_SHA=aB3dE5gH7jK9mN1pQ3sT5vX7', 'COMMIT_SHA=aB3dE5gH7jK9mN1pQ3sT5vX7', ''),
    ('FO=aB3dE5gH7jK9mN1pQ3sT5vX7', 'FO=aB3dE5gH7jK9mN1pQ3sT5vX7', ''),
    ('F=aB3dE5gH7jK9mN1pQ3sT5vX7', 'F=aB3dE5gH7jK9mN1pQ3sT5vX7', ''),
    ('FOO=AB3DE5GH7JK9MN1PQ3ST5VX7', 'FOO=AB3DE5GH7JK9MN1PQ3ST5VX7', ''),
    ('FOO=aB3dE5gH7jK9mN1pQ3sT5vX7,;', 'FOO=[secret]', 'random'),
    ('password: |\n  hunter2!', 'password: |\n  [secret]', 'password'),
    ('password: !!str hunter2!', 'password: !!str [secret]', 'password'),
    ("password: 'it\\'s2'", "password: '[secret]'", 'password'),
    ('{"password": "a\\"b2c"}', '{"password": "[secret]"}', 'password'),
    ('{\\"password\\": \\"a2bc\\"}', '{\\"password\\": \\"[secret]\\"}', 'password'),
    ("password='hunter2\nnext", "password='[secret]\nnext", 'password'),
    ('password=%22hunter2%22&x=1', 'password=%22[secret]%22&x=1', 'password'),
    ('&quot;password&quot;:&quot;hunter2&quot;', '&quot;password&quot;:&quot;[secret]&quot;', 'password'),
    ("$password = b'hunter2'", "$password = b'[secret]'", 'password'),
    ('-password hunter2', '-password [secret]', 'password-option'),
    ('https://example.org:8080/x', 'https://example.org:8080/x', ''),
    ('https://u:12345@example.org', 'https://u:12345@example.org', ''),
    ('https://u:hunter2@example.org/a', 'https://u:[secret]@example.org/a', 'url-password'),
    ('curl -u me:hunter https://x', 'curl -u me:[secret] https://x', 'curl-user'),
    ('curl -u me:hunte https://x', 'curl -u me:[secret] https://x', 'curl-user'),
    ('curl -u me:v1.2.3 https://x', 'curl -u me:[secret] https://x', 'curl-user'),
    ('mysql -phunter2', 'mysql -p[secret]', 'password-option'),
    ('mysql -p 3306', 'mysql -p 3306', ''),
    ('docker run -p 127.0.0.1:8080-8090:80/tcp x', 'docker run -p 127.0.0.1:8080-8090:80/tcp x', ''),
    ('the password is hunter2!', 'the password is [secret]', 'spoken'),
    ('the password is hunt', 'the password is hunt', ''),
    ('the password is is_code()', 'the password is is_code()', ''),
    ('login ann password a/b/c.py', 'login ann password a/b/c.py', ''),
    ('machine example.org login ann password hunter2', 'machine example.org login ann password [secret]', 'netrc'),
    ('password = <your-password-here>', 'password = <your-password-here>', ''),
    ('password = ${PASSWORD}', 'password = ${PASSWORD}', ''),
    ('password = your_password_here', 'password = your_password_here', ''),
    ('password = "/usr/lib/x/y"', 'password = "/usr/lib/x/y"', ''),
    ('password = "/usr/lib/aB3dE5gH7jK9mN1pQ3sT5"', 'password = "[secret]"', 'password'),
    ('password = ********', 'password = ********', ''),
    ('password = "[secret]"', 'password = "[secret]"', ''),
    ('password = "changeme"', 'password = "changeme"', ''),
    ('passwords: ["hunter2"]', 'passwords: ["hunter2"]', ''),
    ('password_1 = "hunter2"', 'password_1 = "[secret]"', 'password'),
    ('userpassword = "hunter2"', 'userpassword = "[secret]"', 'password'),
    ('openai = "a1b2c3d4e5"', 'openai = "[secret]"', 'assignment'),
    ('openai_key2 = "a1b2c3d4e5"', 'openai_key2 = "[secret]"', 'assignment'),
    ('apikey = "aaaaaaaa1"', 'apikey = "[secret]"', 'spoken'),
    ('token = "aaaaaaaa1"', 'token = "[secret]"', 'spoken'),
    ('token = "aaaaaaaaaaaaaaaaaaaaaaaa"', 'token = "aaaaaaaaaaaaaaaaaaaaaaaa"', ''),
    ('token = "abcdefghijklmnopqrstuvwx"', 'token = "abcdefghijklmnopqrstuvwx"', ''),
    ('token = "abcdEFGHijklMNOPqrstUVWX"', 'token = "[secret]"', 'assignment'),
    ('token = "12345678901234567890"', 'token = "[secret]"', 'assignment'),
    ('nonce = "abcdefgh12345678ijkl"', 'nonce = "[secret]"', 'assignment'),
    ('Authorization: Basic aB3dE5gH7jK9mN1p', 'Authorization: Basic [secret]', 'authorization'),
    ('password = "a", x = "b"', 'password = "a", x = "b"', ''),
    ('password = hunter2; token = b3c4d5e6', 'password = [secret] token = [secret]', 'spoken+spoken'),
    ('é password = "hünter2"', 'é password = "[secret]"', 'spoken'),
]  # fmt: skip
"""Texts, what is stored of them, and the kinds of the secrets: values as long as is hidden and one shorter,
each form of an assignment, and what a value refers to."""


@pytest.mark.parametrize(("text", "stored", "kinds"), EDGES)
def test_which_values_are_hidden(text: str, stored: str, kinds: str) -> None:
    assert scrub(text) == (stored, Counter(filter(None, kinds.split("+"))))


RANDOM = "aB3dE5gH7jK9mN1pQ3sT5vX7"


@pytest.mark.parametrize(
    ("value", "least", "is_mixed"),
    [
        (RANDOM, 24, True), (RANDOM, 25, False), (RANDOM[:20], 20, True), (RANDOM.lower(), 20, False),
        (RANDOM.upper(), 20, False), (RANDOM.replace("a", "é"), 20, False), (f"{RANDOM} x", 20, False),
        (f"{RANDOM}+/=~.-_", 24, True), (f"{RANDOM}!", 24, False), ("aB" + "1" * 22, 20, False),
        ("aaaaBBBB1111aaaaBBBB1111", 20, False), ("abcdABCD1234abcdABCD1234", 20, True),
    ],
)  # fmt: skip
def test_a_random_value_mixes_letters_and_digits(value: str, least: int, is_mixed: bool) -> None:
    assert is_random(value, least) is is_mixed


@pytest.mark.parametrize(
    ("name", "value", "is_hidden"),
    [("FOO", RANDOM, True), ("FOO", RANDOM[:23], False), ("FOO", f"{RANDOM})]", True), ("FOO_DIGEST", RANDOM, False),
     ("DIGESTS", RANDOM, True), ("FOO", f"/{RANDOM}", True), ("FOO", "/usr/lib/python3.11/Site-Packages", False)],
)  # fmt: skip
def test_a_variable_with_a_random_value_is_hidden_unless_its_name_explains_it(
    name: str, value: str, is_hidden: bool
) -> None:
    assert is_random_variable(name, value) is is_hidden


INNOCENT_VALUES = [
    "${A}", "$A", "%A%", "{{ a }}", "$(a b)", "<a b>", "<a", "****", "...", "[secret] x", "[a]", "{a}", "{", "%s", "your-key-here",
    "CHANGE_ME", "changeme", "todo", "N/A", "'None',", "~/a/b", "../a", "C:\\a\\b", "a/b.py", "https://example.org/a", "(true)",
    "put_it", "/a/b c/d@e/",
]  # fmt: skip
SECRET_VALUES = [
    "$1", "%A", "<a!>", "%d1", "yourkey", "https://a@b/", "/" + RANDOM, "a/b", "ab", "[a b]", "changed-it", "x.py", "None1",
]  # fmt: skip


@pytest.mark.parametrize("value", INNOCENT_VALUES)
def test_a_value_that_refers_to_a_secret_is_none(value: str) -> None:
    assert is_innocent(value)


@pytest.mark.parametrize("value", SECRET_VALUES)
def test_a_value_that_refers_to_nothing_may_be_a_secret(value: str) -> None:
    assert not is_innocent(value)


def test_a_value_that_another_rule_has_found_is_hidden_once() -> None:
    assert scrub(f"Authorization: Bearer ghp_{R}{R}, token=ghp_{R}")[0].count(HIDDEN) == 2
    assert scrub(f'password="ghp_{R}"; password="hunter2"')[1].total() == 2


@pytest.mark.parametrize("length", [75, 80, 81, 90])
def test_how_much_of_a_name_is_read(length: int) -> None:
    """What is before the word that makes it the name of a secret may be very long."""
    for before in ("x" * length, "x." * (length // 2), f"a b{'x' * length}"):
        assert scrub(f'{before}_password = "hunter2"')[0] == f'{before}_password = "[secret]"'
    # The words at its end say what it is about.
    text = f'password_{"x" * 60}_length = "hunter2"'
    assert scrub(text)[0] == text


def test_a_quoted_value_is_read_to_the_quote_that_is_escaped_like_the_first() -> None:
    for quote in ('"', '\\"', '\\\\\\"'):
        inner = f"a1\\{quote}b2" if quote == '"' else "a1b2"
        for value in (inner, "x1" * 2_100):
            text = f"password={quote}{value}{quote} stays"
            assert scrub(text)[0] == f"password={quote}[secret]{quote} stays"
    assert scrub('password="a1b2\nstays"')[0] == 'password="[secret]\nstays"'
    assert scrub('password="a1b2 stays')[0] == 'password="[secret]'


def test_an_assignment_inside_a_value_is_part_of_it() -> None:
    for text in (f"FOO={RANDOM}/XYZ=1 BAR={RANDOM}", f"TOKEN={RANDOM}/PASSWORD=1 SECRET={RANDOM}"):
        names = text.replace(f"{RANDOM}/XYZ=1", HIDDEN).replace(f"{RANDOM}/PASSWORD=1", HIDDEN)
        assert scrub(text)[0] == names.replace(RANDOM, HIDDEN)


@pytest.mark.parametrize("table", [Rule, _Rules])
def test_an_unknown_key_in_the_table_of_rules_is_an_error(table: type[msgspec.Struct]) -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `colour`"):
        msgspec.convert({"colour": 1}, table)


SECRET = "Tr0ub4dor&3x"


@pytest.mark.parametrize(
    ("kind", "value", "stays"),
    [
        ("url-password", "8080", True), ("url-password", "12345/x", True), ("url-password", "1?x", True),
        ("url-password", "123456x!", False), ("url-password", SECRET, False),
        ("user-password", "x9!kQ", True), ("user-password", "x9!kQz", False), ("user-password", "v1.22.3", True),
        ("user-password", "10.4-beta", True), ("user-password", SECRET, False),
        ("spoken", "x9!k", True), ("login-pair", "x9!k", True), ("spoken", SECRET, False), ("login-pair", SECRET, False),
        ("kubernetes", "etc/passwd", False), ("other", SECRET, False), ("random", SECRET, True),
    ],
)  # fmt: skip
def test_which_values_of_a_rule_stay(kind: str, value: str, stays: bool) -> None:
    """Ports, versions, short words, and what is not random enough."""
    assert _is_let_be(kind, value) is stays


@pytest.mark.parametrize(
    ("name", "strength"),
    [
        ("", ""), ("123", ""), ("_", ""), ("password", "strong"), ("password2", "strong"), ("db_password_1_2", "strong"),
        ("DB_PASSWORD", "strong"), ("apiKey", "strong"), ("colour", ""),
    ],
)  # fmt: skip
def test_how_much_a_name_tells(name: str, strength: str) -> None:
    assert _strength(name) == strength


@pytest.mark.parametrize(
    ("data", "name_and_start"),
    [
        (b"db.password", ("db.password", 0)), (b"a db_password", ("db_password", 2)), (b"a\\npassword", ("password", 3)),
        (b"\\tpassword", ("password", 2)), (b"\\xpassword", ("xpassword", 1)), (b"--password", ("password", 0)),
        (b"(password", ("password", 1)), (b"x" * 80 + b"password", ("x" * 80 + "password", 0)),
        (b"x" * 81 + b"password", ("x" * 80 + "password", 1)),
    ],
)  # fmt: skip
def test_the_whole_name_before_a_value(data: bytes, name_and_start: tuple[str, int]) -> None:
    assert _name_before(data, data.index(b"password"), len(data)) == name_and_start
