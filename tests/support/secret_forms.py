"""Forms of keys and passwords, as templates, for the tests of scrubbing and its campaign.

In a template, `«` and `»` surround the part that must not be kept. `{a40}` means 40 letters and
digits, `{l8}` small letters and digits, `{u8}` capitals and digits, `{h8}` hexadecimal digits,
`{d8}` digits, `{b8}` base64, `{uuid}` a UUID, and `{p}` a password like those that people choose.
"""

import json
import random
import re
import string
from typing import Final

_ALPHABETS: Final = {
    "a": string.ascii_letters + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "u": string.ascii_uppercase + string.digits,
    "h": "0123456789abcdef",
    "d": string.digits,
    "b": string.ascii_letters + string.digits + "+/",
}
"""The letters of each kind of random text."""

_PLACE: Final = re.compile(r"\{(?:([aluhdb])(\d+)|(uuid)|(p))\}")
"""A placeholder in a template."""

_WORDS: Final = (
    "hunter",
    "Geheim",
    "dragon",
    "Zebra",
    "sommer",
    "Monkey",
    "tr0ub4dor",
    "letmein",
    "swordfish",
    "Qwertz",
)
"""Words that people's passwords begin with."""

FORMS: Final = (
    # Tokens that are recognised by their form alone, in prose.
    "the id AKIA«{u16}» of the account", "ASIA«{u16}»", "the region has «IQoJb3JpZ2luX2Vj{a60}» today", "ABSK«{a60}»",
    "azure «{a3}8Q~{a34}» client", "«{a52}JQQJ99{a10}AZDO{a4}» devops", "«{b76}+AStABCD{b4}»==", "AIza«{a35}»", "GOCSPX-«{a28}»",
    "ya29.«{a60}»", "1//0«{a40}»", "the key sk_live_«{a24}» of stripe", "sk_test_«{a24}»", "rk_live_«{a24}»", "whsec_«{a32}»",
    "hf_«{a34}»", "SG.«{a22}.{a43}»", "xoxb-«{d12}-{d12}-{a24}»", "xoxp-«{d12}-{d12}-{d12}-{h32}»", "xoxe.xoxp-1-«{a60}»",
    "xapp-1-A«{u10}-{d13}-{h64}»", "https://hooks.slack.com/services/T«{u8}/B{u8}/{a24}»", "ghp_«{a36}»", "gho_«{a36}»",
    "ghu_«{a36}»", "ghs_«{a36}»", "ghr_«{a36}»", "github_pat_«{a22}_{a59}»", "glpat-«{a20}»", "gldt-«{a20}»", "glrt-«{a20}»",
    "glptt-«{h40}»", "GR1348941«{a20}»", "npm_«{a36}»", "pypi-AgEIcHlwaS5vcmc«{a60}»", "dop_v1_«{h64}»", "doo_v1_«{h64}»",
    "shpat_«{h32}»", "shpss_«{h32}»", "shpca_«{h32}»", "sk-ant-api03-«{a93}»AA", "sk-proj-«{a60}»", "sk-«{a20}T3BlbkFJ{a20}»",
    "EAAC«{a100}»", "AC«{h32}» and SK«{h32}»", "«{d9}:AA{a33}» of the bot", "hvs.«{a60}»", "hvb.«{a60}»", "dckr_pat_«{a27}»",
    "AGE-SECRET-KEY-1«{u58}»", "eyJ«{a20}.eyJ{a40}.{a43}»", "MTE«{a21}.{a6}.{a38}» of Discord",
    "https://discord.com/api/webhooks/«{d18}/{a68}»", "NRAK-«{u27}»", "key-«{h32}» of mailgun", "«{h32}-us12» of mailchimp",
    "v1.0-«{h24}-{h146}»", "HRKU-«{a58}»", "nfp_«{a36}»", "lin_api_«{a40}»", "ntn_«{d11}{a35}»", "secret_«{a43}»", "figd_«{a40}»",
    "pat«{a14}.{h64}» of Airtable", "1/«{d16}:{h32}» of asana", "ATATT3«{a186}»", "ATBB«{a32}»", "sl.«{a130}»", "dapi«{h32}»",
    "glsa_«{a32}_{h8}»", "glc_«{a60}»", "PMAK-«{h24}-{h34}»", "pul-«{h40}»", "dp.pt.«{a43}»", "dp.st.dev.«{a43}»", "sbp_«{h40}»",
    "sb_secret_«{a31}»", "vcp_«{a56}»", "fo1_«{a43}»", "FlyV1 fm2_«{b100}»", "pscale_tkn_«{a43}»", "pscale_pw_«{a43}»",
    "EAAA«{a60}»", "sq0atp-«{a22}»", "sq0csp-«{a43}»", "access_token$production$«{l16}${h32}»", "access-production-«{uuid}»",
    "rubygems_«{h48}»", "CLOJARS_«{l60}»", "oy2«{l43}»", "sntrys_«{a60}»", "sntryu_«{h64}»", "tskey-auth-«{a16}-{a30}»",
    "r8_«{a37}»", "gsk_«{a52}»", "xai-«{a80}»", "pplx-«{a48}»", "nvapi-«{a64}»", "lsv2_pt_«{h32}_{h10}»", "pcsk_«{a60}»",
    "phx_«{a43}»", "EZAK«{a54}»", "shippo_live_«{h40}»", "pat-na1-«{uuid}»", "xkeysib-«{h64}-{a16}»", "dt0c01.«{u24}.{u64}»",
    "ico-«{a32}»", "CCIPAT_«{a22}_{h40}»", "bkua_«{h40}»", "sha256~«{a43}»", "«{a14}.atlasv1.{a67}» of terraform", "LTAI«{a20}»",
    "tfp_«{a44}_{a13}»", "duffel_live_«{a43}»", "FLWSECK_TEST-«{h32}-X»", "A3-«{u6}-{u6}-{u5}-{u5}-{u5}-{u5}»", "ops_eyJ«{a250}»",
    "re_«{a8}_{a24}» of resend", "rdme_«{l70}»", "sgp_«{h40}»", "squ_«{h40}»", "figo_«{a40}»", "pk.eyJ1«{a60}.{a22}»",
    "AAAA«{a7}:APA91b{a134}»", "lob live_«{h35}»", "AQVN«{a38}»", "xprv«{a107}»",
    # Blocks.
    "-----BEGIN RSA PRIVATE KEY-----\n«{b64}\n{b64}\n{b40}»==\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n«{b64}\n{b64}»",
    "-----BEGIN EC PRIVATE KEY-----\\n«{b64}\\n{b64}»\\n-----END EC PRIVATE KEY-----",
    "-----BEGIN DSA PRIVATE KEY-----\r\n«{b64}\r\n{b20}»\r\n-----END DSA PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA«{b48}\n{b70}»\n-----END OPENSSH PRIVATE KEY-----",
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\n«{b64}\n{b64}»\n-----END ENCRYPTED PRIVATE KEY-----",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n«{b64}\n{b64}»\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----",
    "«{b64}\n{b64}\n{b64}»\n-----END RSA PRIVATE KEY-----", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n«{b64}\n{b64}»",
    "Private-Lines: 2\n«{b64}\n{b64}»\nPrivate-MAC: 1", "$ANSIBLE_VAULT;1.1;AES256\n«{h80}\n{h80}»",
    "[Interface]\nPrivateKey = «{b42}»8=",
    # Headers, cookies, addresses.
    "Authorization: Basic «{b32}»", "curl -H 'Authorization: Bearer «{a40}»' https://x.org",
    'headers={"Authorization": "token «{h40}»"}', "Proxy-Authorization: Basic «{b24}»==", "X-Api-Key: «{a32}»",
    "PRIVATE-TOKEN: «{a20}»", "X-Auth-Token: «{h32}»", "Cookie: sessionid=«{l32}»; csrftoken=«{a32}»",
    "Set-Cookie: sid=«{a32}»; HttpOnly", "curl -b 'session=«{a32}»' https://x.org", "https://ann:«{p}»@example.org/x",
    "redis://:«{p}»@host:6379/0", "postgresql://u:«{p}»@db/x", "mongodb+srv://u:«{p}»@c.x.net/db", "amqp://u:«{p}»@mq",
    "git clone https://«{a40}»@github.com/a/b", "https://x.org/p?api_key=«{a32}»&page=2",
    "https://x.s3.amazonaws.com/k?X-Amz-Signature=«{h64}»", "https://a.blob.core.windows.net/c?sv=2020&sig=«{a43}»%3D",
    "https://«{h32}»:«{h32}»@o1.ingest.sentry.io/2", "https://storage.googleapis.com/b/o?X-Goog-Signature=«{h128}»",
    "otpauth://totp/x?secret=«{u32}»&issuer=x",
    # Commands.
    "curl -u bob:«{p}» https://x.org", "curl -ubob:«{p}» https://x.org", "curl --user 'bob:«{p}»' https://x.org",
    "wget --http-password=«{p}» https://x.org", "wget --password «{p}» ftp://x", "mysql -u root -p«{p}» db",
    "mysqldump -p'«{p}»' db", "mysql --password=«{p}»", "sshpass -p «{p}» ssh h", "PGPASSWORD=«{p}» psql -h x",
    "MYSQL_PWD=«{p}» mysql", "htpasswd -b file joe «{p}»", "htpasswd -cb file joe '«{p}»'", "openssl enc -aes256 -k «{p}» -in x",
    "openssl rsa -passin pass:«{p}»", "echo «{p}» | sudo -S ls", "echo '«{p}»' | docker login --password-stdin",
    "printf '%s' '«{p}»' | sudo -S ls", "docker login -u a -p «{p}»", "redis-cli -a «{p}» ping", "az login -u a -p «{p}»",
    "7z a -p«{p}» x.7z", "zip -P «{p}» x.zip a", "ldapsearch -D cn=a -w «{p}»", "sqlcmd -U sa -P «{p}»",
    "smbclient -U bob%«{p}» //h/s", "net user bob «{p}» /add", "npm config set //registry.npmjs.org/:_authToken «{a36}»",
    "aws configure set aws_secret_access_key «{b40}»", "keytool -storepass «{p}» -list", "gh auth login --with-token <<< «{a40}»",
    "kubectl create secret generic x --from-literal=password=«{p}»", "vault login -method=userpass username=a password=«{p}»",
    "http -a bob:«{p}» x.org", "sqlplus scott/«{p}»@db", "twine upload -u a -p «{p}»", "heroku config:set API_KEY=«{a32}»",
    "fly secrets set DB_PASSWORD=«{p}»", "flyctl auth --access-token «{a40}»", "mongo -u a -p «{p}»",
    # Files.
    "machine x.org login bob password «{p}»", "x.org:5432:db:bob:«{p}»", "//registry.npmjs.org/:_authToken=«{uuid}»",
    "_auth=«{b32}»==", '{"auths":{"x.io":{"auth":"«{b32}»=="}}}',
    "    client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQ«{b80}»", "users:\n- name: a\n  user:\n    token: «{a40}»",
    "ansible_become_pass=«{p}»", "ansible_ssh_pass: «{p}»", 'secret_key = "«{b40}»"\nregion = "x"',
    'variable "db_password" { default = "«{p}»" }', "SECRET_KEY_BASE=«{h128}»", "RAILS_MASTER_KEY=«{h32}»",
    "SECRET_KEY = 'django-insecure-«{a50}»'", "spring.datasource.password=«{p}»", "<password>«{p}»</password>",
    '<add key="ApiKey" value="«{a32}»" />', '<server><privateKey>«{p}»</privateKey></server>', "[client]\npassword=«{p}»",
    "db:\n  password: «{p}»\n  host: x", "password: \"«{p}»\"", "passwd = '«{p}»'", '"password": "«{p}»"',
    '{"user": "a", "client_secret": "«{a40}»"}', "{\\\"password\\\": \\\"«{p}»\\\"}", "DB_PASS=«{p}»",
    "export DATABASE_PASSWORD=«{p}»", "set SMTP_PASSWORD=«{p}»", '$env:MY_SECRET = "«{p}»"', "setx API_TOKEN «{a32}»",
    "(setenv API_TOKEN «{a32}»)",
    "ENV ADMIN_PASSWORD «{p}»", "- name: DB_PASSWORD\n  value: «{p}»", "Server=db;User Id=sa;Password=«{p}»;Encrypt=true",
    "AccountName=a;AccountKey=«{b86}»==;", "Endpoint=sb://x/;SharedAccessKeyName=a;SharedAccessKey=«{b43}»=",
    "jdbc:mysql://h/db?user=a&password=«{p}»", '"private_key_id": "«{h40}»"', "aws_secret_access_key = «{b40}»",
    "TWILIO_AUTH_TOKEN=«{h32}»", "DD_API_KEY=«{h32}»", "DATADOG_APP_KEY: «{h40}»", "CLOUDFLARE_API_TOKEN=«{a40}»",
    "SNYK_TOKEN=«{uuid}»", "HEROKU_API_KEY=«{uuid}»", "OKTA_API_TOKEN=00«{a40}»", "PLAID_SECRET=«{h30}»",
    "okta.client.token: 00«{a40}»", "os.environ['API_KEY'] = '«{a32}»'", "config.setPassword(\"«{p}»\")",
    "requests.get(u, auth=('bob', '«{p}»'))", "CREATE USER bob IDENTIFIED BY '«{p}»'", "ALTER ROLE bob WITH PASSWORD '«{p}»'",
    "requirepass «{p}»", "$2b$12$«{a53}»", "bob:$6$«{a8}${a86}»:19000:0", "const token: string = '«{a40}»'",
    "password => '«{p}»'",
    # Prose.
    "the password is «{p}»", "password: «{p}»", "my pin code and pass: «{p}»", "log in as admin with password «{p}»",
    "use token «{a40}» for it", "FOO_BAR=«{a40}»", "creds: bob / «{p}»",
    # Other commands, pages and calls.
    "**Password:** «{p}»", "| password | «{p}» |", "storePassword \"«{p}»\"", "bind_pw «{p}»",
    '<string name="api_key">«{a32}»</string>', "<key>password</key><string>«{p}»</string>", "useradd -p «{p}» bob",
    "ssh-keygen -N '«{p}»' -f k", "wpa_passphrase home «{p}»", "dotnet nuget push -k «{a40}»", "snmpwalk -v2c -c «{p}» h",
    "aws ssm put-parameter --name p --value «{p}»", "pulumi config set --secret x «{p}»", "vault write secret/x value=«{p}»",
    "lftp -u bob,«{p}» h", "mc alias set a https://x id «{a40}»", "travis encrypt X=«{a32}»", "rar a -hp«{p}» x",
    "cryptsetup open x <<< «{p}»", "echo «{h32}» > config/master.key", "scp u:«{p}»@h:x", "mysql_connect('h', 'u', '«{p}»')",
    "jwt.encode(x, '«{p}»', algorithm='HS256')", "PIN: «{d6}»", 'send "«{p}»\\r"', "kind: Secret\ndata:\n  foo: «{b24}»",
    "password = <<EOF\n«{p}»\nEOF", "password: !vault |\n  «{p}»", "AKID«{a32}» of tencent",
)  # fmt: skip
"""The templates."""


def filled(template: str, chance: random.Random) -> tuple[str, list[str]]:
    """Fills a template; returns the text and its secrets."""
    text = _PLACE.sub(lambda place: _random(place, chance), template)
    return re.sub("[«»]", "", text), re.findall("«(.*?)»", text, re.DOTALL)


def nested(text: str, level: int) -> str:
    """Wraps a text in this many levels of JSON, each a string in the next."""
    for _ in range(level):
        text = json.dumps({"command": text, "n": 1})
    return text


def kept_part(secrets: list[str], text: str, least: int = 12) -> str:
    """Returns a part of a secret that a text contains: a whole line, or at least `least`
    characters; empty if there is none."""
    for line in (line for secret in secrets for line in re.split(r"[\r\n]+|\\+n|\\+r", secret)):
        parts = (
            [line[begin : begin + least] for begin in range(max(1, len(line) - least + 1))]
            if line
            else []
        )
        if part := next((part for part in parts if part in text), ""):
            return part
    return ""


def _random(place: "re.Match[str]", chance: random.Random) -> str:
    if place[3]:
        return "-".join(
            "".join(chance.choices(_ALPHABETS["h"], k=length)) for length in (8, 4, 4, 4, 12)
        )
    if place[4]:
        return f"{chance.choice(_WORDS)}{chance.randrange(10, 9_999)}{chance.choice(['', '', 'x', 'Q!', 'Kp', '#z'])}"
    letters = _ALPHABETS[place[1]]
    while True:
        text = "".join(chance.choices(letters, k=int(place[2])))
        if int(place[2]) < 20 or (
            re.search(r"\d", text) and (place[1] == "d" or re.search(r"[A-Za-z]", text))
        ):
            return text
