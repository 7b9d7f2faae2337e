"""Text without keys and passwords: the forms that are recognised, and the texts that stay whole."""

import time

import pytest

from symindex.session.notes.scrubbing import HIDDEN, scrub, told

R = "kJ8xQ2mZ7vR4tY9wB3nL6pD1"
"""A random value."""

SECRETS = [
    "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "DB_PASS=hunter2x",
    "mysqldump --password swordfish9 db",
    "Authorization: Basic dXNlcjpwYXNzd29yZA==",
    "sk_live_" + R,
    "hf_" + R + R[:10],
    "SG." + R + "." + R,
    "ya29." + R,
    "curl -u bob:s3cr3tpw https://x.org",
    "X_TOKEN: " + R,
    '"apiKey": "' + R + '"',
    '{\\"password\\": \\"hunter2x\\"}',
    '{\\\\\\"api_key\\\\\\": \\\\\\"' + R + '\\\\\\"}',
    "sshpass -p hunter2x ssh a",
    "mysql -phunter2x -u root",
    "PGPASSWORD=hunter2x psql",
    "whsec_" + R,
    "rk_live_" + R,
    "glpat-" + R,
    "dop_v1_" + "ab12" * 16,
    "shpat_" + "ab12" * 8,
    "sk-ant-api03-" + R,
    "sk-proj-" + R,
    "AIza" + R + R[:11],
    "EAAC" + R * 3,
    "npm_" + R + R[:12],
    "pypi-AgEIcHlwaS5vcmc" + R,
    "machine h login u password hunter2x",
    "export GITHUB_TOKEN=" + R,
    "set API_KEY=" + R,
    '$env:DB_PASSWORD = "hunter2x"',
    "AccountKey=" + R + "==;EndpointSuffix=x",
    "Server=a;Password=hunter2x;Db=b",
    '"auth": "' + R + '=="',
    "client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURS" + R,
    "https://x.org/?token=" + R + "&sig=Zz" + R,
    "Cookie: session=" + R,
    "Proxy-Authorization: Basic dXNlcjpwYXNzd29yZA==",
    "-----BEGIN OPENSSH PRIVATE KEY-----\\nb3Blbn" + R + "\\n" + R,
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQ" + R + "\n" + R,
    "AGE-SECRET-KEY-1" + "QPZRY9X8GF2" * 5,
    "password: hunter2x",
    "  password: swordfish",
    "the password is hunter2x",
    "docker login -u a -p hunter2x",
    "redis-cli -a hunter2x ping",
    "https://bob:hunter2x@example.org/p",
    "line\\nghp_" + R + "\\nx",
    "xoxb-123456789012-" + R,
    "<password>hunter2x</password>",
    "os.environ['API_KEY'] = '" + R + "'",
    "CREATE USER a IDENTIFIED BY 'hunter2x'",
    "echo hunter2x | sudo -S ls",
    'password = "correct horse battery staple"',
    "spring.datasource.password=hunter2x",
    "npm config set //r/:_authToken " + R,
    "//registry/:_authToken=" + R,
    "aws configure set aws_secret_access_key " + R,
    "X-Api-Key: " + R,
    "- name: DB_PASSWORD\n  value: hunter2x",
    "dapi" + "ab12" * 8,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0." + R,
    "SECRET_KEY = 'django-insecure-" + R + "'",
    "FOO=" + R + "Zz9",
    "postgres://u:hunter2x@h/db",
    "LTAI" + R,
    "GOCSPX-" + R,
    "hvs." + R,
]
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
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_hidden_as_a_whole(text: str) -> None:
    scrubbed, kinds = scrub(text)
    assert HIDDEN in scrubbed and kinds and told(kinds)
    assert not [value for value in (R[:12], "hunter2x", "swordfish", "s3cr3tpw") if value in scrubbed]


@pytest.mark.parametrize("text", INNOCENT)
def test_an_innocent_text_stays_whole(text: str) -> None:
    assert scrub(text) == (text, {})


@pytest.mark.parametrize("text", ["sk-aaaaaaaaaaaaaaaaaaa1 ", "token=", 'password="', "mysql ", "name=password ", "https://a:b"])
def test_a_window_of_text_takes_bounded_time(text: str) -> None:
    begun = time.process_time()
    scrub(text * (8_000 // len(text)))
    assert time.process_time() - begun < 3
