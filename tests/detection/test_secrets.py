"""Secrets are found by their form and by what stands before them; code, placeholders and prose about them are not."""

import base64
from random import Random

import pytest

import textveil as tv

PRIVATE_KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7bq\nabc/+=\n-----END RSA PRIVATE KEY-----"


def secrets(text: str) -> list[str]:
    return [text[span.start : span.end] for span in tv.detect(text) if span.kind == "secret"]


def test_a_drawn_key_with_few_digits_is_one() -> None:
    """One key of 40 in a hundred has one digit or none: 12 of 20,000 had no digit, and stayed in an object's string."""
    draw = Random(7)
    keys = [base64.b64encode(draw.randbytes(30)).decode() for _ in range(20_000)]
    few = [key for key in keys if sum(map(str.isdigit, key)) < 2 and key.isascii()]
    assert len(few) > 100
    assert [key for key in few if secrets(f'{{"env": "AWS_SECRET_ACCESS_KEY={key}"}}') != [key]] == []
    assert sum(secrets(f"api_key = '{key}'") == [key] for key in few) > len(few) * 0.8
    for word in ("get_access_token=readTokenFromTheServer(now)", "token=auth/Session/ReadTokenOfServer"):
        assert secrets(f'{{"code": "{word}"}}') == []


_IN_THEIR_PLACES = (
    'api_key = "{}"', "const apiToken = '{}';", "headers = {{'Authorization': 'Bearer {}'}}", "secret_key = '{}'",
    '<add key="ApiKey" value="{}" />', "ENV SECRET_TOKEN {}", "The API key is {} and it expires on Friday.",
    '  secret_access_key = "{}"', "- **API token:** `{}`", '{{"stdout": "AWS_SECRET_ACCESS_KEY={}\\nB=1"}}',
)  # fmt: skip


@pytest.mark.parametrize("place", _IN_THEIR_PLACES)
def test_keys_without_digits_are_found_wherever_a_name_says_that_they_are_keys(place: str) -> None:
    for key in ("GawczEYP-tKS", "ZokMXvETnmXAxlHb", "uotWJmhtseqtexkR", "tlRYRSonErxpTXQzGsMVSEfI", "Qdrak&OsbTvelm"):
        assert secrets(place.format(key)) == [key]
    for word in ("readTokenOfServer", "KEYWORD_BEGIN_RANGE", "self.currentTokenValue", "${VAULT_TOKEN}", "$apiKey"):
        assert secrets(place.format(word)) == []


def test_a_password_that_begins_as_a_variable_does_is_one_if_it_goes_on_otherwise() -> None:
    assert secrets("API_SECRET=@N25tE?irlkd") == ["@N25tE?irlkd"]
    for variable in ("$PASSWORD", "${PASSWORD:-x}", "$(cat /run/secret)", "@password", "&anchor", "$row->password"):
        assert secrets(f"API_SECRET={variable}") == []


@pytest.mark.parametrize(
    "token",
    [
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "github_pat_11ABCDEFG0abcdefghij_klmnopqrstuvwxyz",
        "glpat-a1B2c3D4e5F6g7H8i9J0",
        "xoxb-123456789012-1234567890123-AbCdEfGhIjKlMnOp",
        "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
        "sk-proj-abcDEF1234567890abcdEFGH",
        "sk-ant-api03-Ab12Cd34Ef56Gh78Ij90",
        "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
        "npm_abcdefghijklmnopqrstuvwxyz0123456789",
        "hf_AbCdEfGhIjKlMnOpQrStUvWxYz01234567",
        "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",
        "AC0123456789abcdef0123456789abcdef",
        "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4",
        "https://hooks.slack.com/services/T01ABCDEFGH/B02ABCDEFGH/k3Jx9QwLmN8vRtY2ZpSd4Hfa",
        "1234567890:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
        "$2y$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
        "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
        PRIVATE_KEY,
        PRIVATE_KEY.replace("\n", "\\n"),
    ],
)
def test_tokens_and_private_keys_are_found_whole(token: str) -> None:
    assert secrets(f"it reads {token} there") == [token]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("The password is hunter2!", ["hunter2!"]),
        ('DB_ROOT_PASSWORD: "Le chat boit du thé"', ["Le chat boit du thé"]),
        ('variable "smtp_secret" {\n  default = "thistle&brass"\n}', ["thistle&brass"]),
        ("My password is sunshine.", ["sunshine"]),
        ("Code portail provisoire : 5B19A\nMerci", ["5B19A"]),
        ("Codice del cancello: 447\n", []),
        ("pw: Tr0ub4dor&3", ["Tr0ub4dor&3"]),
        ("her PIN is 4821, she said", ["4821"]),
        ("user: bob, password: swordfish", ["swordfish"]),
        ("Mot de passe : Soleil2024", ["Soleil2024"]),
        ('{"password": "hunter2"}', ["hunter2"]),
        ("DB_PASSWORD=correcthorse\nPORT=80", ["correcthorse"]),
        ("export API_KEY='a1b2c3d4e5f6'", ["a1b2c3d4e5f6"]),
        ("<password>hunter2</password>", ["hunter2"]),
        ('-H "X-API-Key: 9f8a7b6c5d4e3f2a"', ["9f8a7b6c5d4e3f2a"]),
        ("Authorization: Basic dXNlcjpwYXNzd29yZA==", ["dXNlcjpwYXNzd29yZA=="]),
        ("run --password hunter22 --user me", ["hunter22"]),
        ("mysql -u root -pS3cret app", ["S3cret"]),
        ("postgres://admin:s3cr3t@localhost:5432/app", ["admin", "s3cr3t"]),
        ("https://maria:hunter2@git.acme.com/repo.git", ["maria", "hunter2"]),
        ("AccountKey=Eby8vdM02xNOcqFlqUwJPL==;EndpointSuffix=x", ["Eby8vdM02xNOcqFlqUwJPL=="]),
        ("a=1&password=abc123&x=1", ["abc123"]),
        ('The admin password for the portal is "Tr1stan!".', ["Tr1stan!"]),
        ("password for root: toor123", ["toor123"]),
        ("Runs SQL on rows, with the password 5U3YsL=wgblb74.", ["5U3YsL=wgblb74"]),
        ("with the password 1yvrze%rwsox93. Version 2.", ["1yvrze%rwsox93"]),
        ("the password 3DESede key, password 1Password, a password 12-character long", []),
        ("POSTGRES_PASSWORD=walnut_quarry", ["walnut_quarry"]),
        ("ansible_ssh_pass: gardenhose", ["gardenhose"]),
        ("DB_PASSWORD=%UjOJc%TJPQn", ["%UjOJc%TJPQn"]),
        ('{"passwords": ["x84Zebra", "k9Lamp77"]}', ["x84Zebra", "k9Lamp77"]),
        ('{"password": {"value": "x84Zebra"}}', ["x84Zebra"]),
        ('{"ParameterKey": "DbPassword", "ParameterValue": "hunter2x"}', ["hunter2x"]),
        ("passwords:\n  - x84Zebra\n  - 'k9Lamp77'\nport: 80", ["x84Zebra", "k9Lamp77"]),
        ("password: %81QZZmsu6m7", ["%81QZZmsu6m7"]),
        ("spring.datasource.password=walnut-quarry", ["walnut-quarry"]),
        ("jdbc:mysql://db/app?user=root&password=orchard&useSSL=false", ["orchard"]),
        ('username            = "app"\npassword            = "quarry"', ["quarry"]),
        ("[internal]\nusername = deploy\npassword = cobalt_harbor", ["cobalt_harbor"]),
        (
            "DISCORD_TOKEN=MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs",
            ["MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs"],
        ),
        ("define('DB_PASSWORD', 'Pepper');", ["Pepper"]),
        ("HTTPBasicAuth('svc', 'tundra-hazel-ribbon')", ["tundra-hazel-ribbon"]),
        ("CREATE USER app IDENTIFIED BY 'juniper';", ["juniper"]),
        ("ALTER USER app WITH PASSWORD 'juniper';", ["juniper"]),
        ("echo 'Cobalt' | sudo -S apt update", ["Cobalt"]),
        ("unzip -P pepper-kettle a.zip", ["pepper-kettle"]),
        ("enable password juniperwillow", ["juniperwillow"]),
        ("Das Passwort lautet sonnenblume.", ["sonnenblume"]),
        ("La contrase\u00f1a del wifi es Girasol_Azul", ["Girasol_Azul"]),
        ("Bearer abcdef1234567890abcdef", ["abcdef1234567890abcdef"]),
        ("the key is 8fK2mPq9Zx4Lw7Tn3Rb6 now", ["8fK2mPq9Zx4Lw7Tn3Rb6"]),
        ("DB_PASSWORD=quiet pony ladle\nPORT=80", ["quiet pony ladle"]),
        ("user = bob\npassword = wool & butter 9\n[mail]", ["wool & butter 9"]),
        ("The password is gherkin on rye. The van", ["gherkin on rye"]),
        ("Has\u0142o do wifi: pierogi z jagodami.", ["pierogi z jagodami"]),
        ("La password dell'area clienti \u00e8 girasole e pioggia, ciao", ["girasole e pioggia"]),
        ("A senha antiga era bolo de fub\u00e1, agora", ["bolo de fub\u00e1"]),
        ("Das Kennwort lautet Sonne im Sack 3 (nicht mehr Regen#24).", ["Sonne im Sack 3", "Regen#24"]),
        ("le mot de passe du dossier : tarte-au-four. Rose ou bleu", ["tarte-au-four"]),
        ("login admin / blue kettle blue. Do not", ["admin", "blue kettle blue"]),
        ("the user / pass pair is pieter / quiet bicycle lamp.", ["pieter", "quiet bicycle lamp"]),
        ("Wi-Fi in the office: Kettle_Cafe_2.", ["Kettle_Cafe_2"]),
        ("what's the password?\nAnri: done, it's now cinnamon_Ladder_3", ["cinnamon_Ladder_3"]),
        ("The door code's one seven four four.", ["one seven four four"]),
        ('RUN echo "tadhg:fiddle&bow7" | chpasswd', ["tadhg", "fiddle&bow7"]),
        ('openssl enc -aes-256-cbc -k "orange lantern dusk" -in a', ["orange lantern dusk"]),
        ("- name: SMTP_PASS\n  value: kettle_cloth_parade\n", ["kettle_cloth_parade"]),
        ("the jwt secret is empanada.sunday.rain, move it", ["empanada.sunday.rain"]),
        ("his pw is purple monkey dishwasher (all)", ["purple monkey dishwasher"]),
        ("La clave del wifi es tortilla con cebolla.", ["tortilla con cebolla"]),
        ("Passwort f\u00fcrs Portal lautet: drei blaue Pinguine.", ["drei blaue Pinguine"]),
        ("user jsmith, pass mango tango tree", ["mango tango tree"]),
        ("the safe combination is 24-8-31", ["24-8-31"]),
        ('recovery_phrase: "otter canyon velvet mint"', ["otter canyon velvet mint"]),
        ("gizli anahtar: WeCGBWmLBzXyQo692jbywDLISLITNEydt484uEaK", ["WeCGBWmLBzXyQo692jbywDLISLITNEydt484uEaK"]),
    ],
)
def test_what_a_name_says_to_be_a_secret_is_found_without_the_name(text: str, values: list[str]) -> None:
    assert secrets(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "def login(user, password: str) -> None: ...",
        'INVALID_PASSWORD = "Please try again"',
        'password = "Required field"',
        '"password": "Wprowadz nowe haslo"',
        '"password": "Lost your phone?"',
        'USER_PASSWORD = "the user must enter it"',
        'FORGOT_PASSWORD: "Forgot it?"',
        'variable "db_password" { type = string }',
        'password = os.environ["DB_PASSWORD"]',
        '{"password_rules": ["at least 8", "one digit"], "passwords": ["required", "optional"]}',
        '{"tokens": ["hello", "world"], "password": {"type": "string", "minLength": 8}}',
        '{"secrets": ["GITHUB_TOKEN", "NPM_TOKEN"]}',
        "password=password, token=token",
        "PASSWORD=${PASSWORD}",
        "password: <password>",
        "Password: ********",
        "api_key = settings.api_key",
        "token: Optional[str] = None",
        "redis_password: Optional[str] = ray_constants.REDIS_DEFAULT_PASSWORD,",
        '"password": "Enter your password", "password_help": "use letters"',
        "const token = await getToken();",
        "max_tokens: 4096",
        "the token count is 512",
        "The password is required. Your password is incorrect.",
        "a password reset was requested",
        'ERROR = "invalid_password"',
        "KeyError: 'password'",
        'cache_key = "user:123:profile"',
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "The secret to success is practice. The secret is patience.",
        "The secret to success is practice; the key findings are shown.",
        '<input type="password" name="password" id="pw">',
        "Pass: 17, Fail: 3",
        "The password is written on paper. The password is in the safe.",
        "Password: see below. Passwort: siehe Anhang. Wachtwoord: zie bijlage.",
        "His password is gone forever. The password is broken again.",
        "Password policy: at least 12 characters. Your password is too short.",
        "Le mot de passe est obligatoire pour tous. Das Passwort ist nicht mehr g\u00fcltig.",
        "the secret is app.config.value and the wifi is slow, wifi 2.4GHz",
        "log in with google / facebook accounts. The login page is slow / broken today.",
        "integrity: sha512-0DvaitgXTR+xKsPdrLDkun156P07Ry0Ofd/1L4qQtlSDxESMiEkox6iTMmHWaGqTR1XsOGoI0gaB3ddCB34akN==",
        "checksum: WeCGBWmLBzXyQo692jbywDLISLITNEydt484uEaK",
        "PIN code 110001 New Delhi",
        "a password for the first time is needed",
        "Authorization: Bearer <token>",
        "GH_TOKEN=ghp_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
        "STRIPE_KEY=sk_test_xxxxxxxxxxxxxxxxxxxxxxxx",
        "PASSWORD=changeme",
        "password=%PASSWORD% user=%USER password=%s",
        'password = "%(password)s"',
        "Please enable password protection, log in with username and password now.",
        "The password is case-sensitive. Das Passwort ist abgelaufen.",
        "create(user=user, password=default)",
        "click --password to set one",
        'row("password", "email")',
        "git@github.com:acme/tool.git and http://localhost:8080/@maria",
    ],
)
def test_code_placeholders_and_prose_are_no_secrets(text: str) -> None:
    assert secrets(text) == []


@pytest.mark.parametrize("piece", ["password=", "-----BEGIN PRIVATE KEY-----", "eyJ", "sk-", "://a:b", "key ", "AKIA"])
def test_hostile_strings_take_no_long_time(piece: str) -> None:
    tv.detect(piece * (100_000 // len(piece)))  # a search in quadratic time would not end before the suite's watchdog


def test_a_host_behind_a_user_is_no_handle() -> None:
    text = "redis://:p4ssw0rd@cache:6379/0"
    assert [(text[one.start : one.end], one.kind) for one in tv.detect(text, ["embedded"])] == [("p4ssw0rd", "secret")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('client.login("ada@x.org", "MIvYRO%ggonz40")', "MIvYRO%ggonz40"),
        ("requests.get(url, auth=('bob', 'hunter22!'))", "hunter22!"),
        ('signInWithEmailAndPassword(auth, "ada@x.org", "hunter22!")', "hunter22!"),
        ('<input name="csrf_token" value="b32842ca5fece1afddc74caec3be5c19">', "b32842ca5fece1afddc74caec3be5c19"),
        ("- name: API_TOKEN\n  value: 8f3kd93kf0s9dkf0\n", "8f3kd93kf0s9dkf0"),
        ('{"key": "API_TOKEN", "value": "8f3kd93kf0s9dkf0"}', "8f3kd93kf0s9dkf0"),
    ],
)
def test_calls_and_pairs_of_name_and_value_hold_secrets(text: str, value: str) -> None:
    assert value in secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        'app.login("Home", "/login")',
        'path("login", "users.views.login")',
        '<input name="password" value="">',
        'author("a b", "Chapter 12")',
        '<meta name="token" content="width">',
    ],
)
def test_calls_and_attributes_without_secrets(text: str) -> None:
    assert secrets(text) == []


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("The wifi password changed, it's now dragonfruit.", ["dragonfruit"]),
        ("I reset your password to kettlequarry, please log in.", ["kettlequarry"]),
        ("Use Winter99! as your password.", ["Winter99!"]),
        ("Fr0sty#1 is the new password.", ["Fr0sty#1"]),
        ("The old password (juniperwillow) no longer works.", ["juniperwillow"]),
        ("Credentials: admin/GravelHazel", ["admin", "GravelHazel"]),
        ("Log in with mfenwick / velvet_gravel today", ["mfenwick", "velvet_gravel"]),
        ("Zugangsdaten: gast / kettlecobalt", ["gast", "kettlecobalt"]),
        ("wifi key: Sunflower9", ["Sunflower9"]),
        ("My PIN is 4 8 2 1, the alarm code is 7730.", ["4 8 2 1", "7730"]),
        ("gate code 2580# and door code: C1947", ["2580#", "C1947"]),
        ("Sleutelkluisje: 4417; Schlüsselcode der Garage lautet 77-31-C", ["4417", "77-31-C"]),
        ("Netflix login?? des.ogorman@eircom.example / murphysdog99", ["murphysdog99"]),  # the other is an e-mail
        ("Le code de la porte est 4821A. Digicode : B1947", ["4821A", "B1947"]),
        ("El codigo de la puerta es 7730", ["7730"]),
        ("the passphrase: saffron cobalt orchard walnut", ["saffron cobalt orchard walnut"]),
        ("The new wifi password is kite. My old one, hunter2, is dead.", ["hunter2"]),
        ('passwd for backup is "teal kettle" without quotes', ["teal kettle"]),
        ('admin_password = "ember drift lagoon"', ["ember drift lagoon"]),
        ('  password             = "amber kite, saddle"\n', ["amber kite, saddle"]),
        ('{"password": "Jam and Crumpets 4 two people"}', ["Jam and Crumpets 4 two people"]),
        ("passphrase: 'Marmalade on rye'", ["Marmalade on rye"]),
        ("<password>three amber kites</password>", ["three amber kites"]),
        ("password: |\n  three amber kites\n", ["three amber kites"]),
        ("identified by 'three amber kites';", ["three amber kites"]),
        ("ssh deploy@10.0.0.4 (pass: amber kite)", ["amber kite"]),
        ("memorable word: saxophone", ["saxophone"]),
        ("the answer to the secret question is Crumpet", ["Crumpet"]),
        ("helm install db --set auth.postgresPassword=quincejelly", ["quincejelly"]),
        ("ssh root@host # pass Brambling7", ["Brambling7"]),
        ("Security answer: Biscuit (first pet)", ["Biscuit"]),
        ("shed padlock combination is 3-8-1-5", ["3-8-1-5"]),
        ("user,password\nbob,hunter\nana,walnut\n", ["hunter", "walnut"]),
        ("| User | Password |\n|---|---|\n| guest | bluebird |\n", ["bluebird"]),
        ("2FA backup codes: sy78-ukj8, gjot-11q6", ["sy78-ukj8", "gjot-11q6"]),
        ("One-time password: 080 165", ["080 165"]),
        ("Le mot de passe est Soleil-Bleu. Mot de passe : lanternharbor", ["Soleil-Bleu", "lanternharbor"]),
        ("Nowe has\u0142o to juniper.ribbon_35", ["juniper.ribbon_35"]),
    ],
)
def test_what_people_tell_each_other_is_found(text: str, values: list[str]) -> None:
    assert secrets(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "Error code 4821 means timeout. The area code is 0303. Country code: 0044. Exit code 1370.",
        "The portal password page is fixed, it's now online. It's now working.",
        "Use a strong phrase as your password. Your password (required) must match.",
        "Log in with google / facebook. Account: savings / checking.",
        "The passphrase is too long to remember. Passphrase: optional.",
        "The password (SHA-256) is hashed with a salt, the password (8-64) is short.",
        "Pin 12 and pin 13 are inputs. Connect pin 4 to pin 8.",
        "La clave es trabajar duro. Le mot de passe est incorrect. La password \u00e8 errata.",
        "Het wachtwoord is onjuist.",
        "| Field | Password |\n|---|---|\n| minimum | required |\n",
        "The door code is being changed. The gate code was updated in 2024.",
    ],
)
def test_sentences_about_passwords_and_codes_hold_none(text: str) -> None:
    assert secrets(text) == []


def test_a_shipped_list_of_products_keeps_no_secret() -> None:
    text = "Server=.;User Id=sa;Password=pinecone;"  # a vector database, too
    assert "pinecone" not in tv.Sanitizer(tv.policy("prompts"))(text).text


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("X-Api-Key: 7f3e9a", ["7f3e9a"]),
        ("UPDATE users SET password = MD5('honeycomb') WHERE a = b", ["honeycomb"]),
        ("SECRET_KEY = 'blue-lemon-tart'", ["blue-lemon-tart"]),
        ("create secret generic pw --from-literal=password=applejack", ["applejack"]),
        ("default creds: admin / seasalt2", ["admin", "seasalt2"]),
        ("the guest network, pw pear-blossom", ["pear-blossom"]),
        ('output "admin_pw" { value = "paper-moon" }', ["paper-moon"]),
        ("root pw on it is still snowglobe right?", ["snowglobe"]),
        ('root pw?\nno i set it to "paper-moon"', ["paper-moon"]),
        ('passphrase "copper lamp 9 otter"', ["copper lamp 9 otter"]),
        ("And the memorable word?\nB: It's pickled walnut.\nA: Thanks", ["pickled walnut"]),
        ("the wifi is copper-with-otters and slow", ["copper-with-otters"]),
        ('client("pk_stage_8fJ2kLm9Qx7TzW4v");', ["pk_stage_8fJ2kLm9Qx7TzW4v"]),
    ],
)
def test_words_stand_where_secrets_stand(text: str, values: list[str]) -> None:
    assert [text[span.start : span.end] for span in tv.detect(text) if span.kind == "secret"] == values


@pytest.mark.parametrize(
    "text",
    [
        "the password is still required, the pw reset-page is down",
        "Forgot your password?\nB: I never had one\nA: memorable word?\nB: Sorry, no idea.",
        'phrase "copy it and paste it", password "must be long and have letters"',
        'TOKEN_NAME = "access"; API_KEY = "your-key-here"; output "token_url" { value = "none" }',
        "key_profile2024 and pk_constraint_name, user_settings2 and api_version2beta",
        "pw --help",
    ],
)
def test_words_about_secrets_are_none(text: str) -> None:
    assert [text[span.start : span.end] for span in tv.detect(text) if span.kind == "secret"] == []


def test_numbers_of_customers_go_by_what_they_begin_with() -> None:
    text = '{"id":"cus_9s6XKzkN4iz8","user":"usr_9f3c2a1b","acct":"AL-20417","trace":"req_9s6XKzkN4iz8"}'
    ids = [text[span.start : span.end] for span in tv.detect(text) if span.kind == "id" and span.score > 0.4]
    assert ids == ["cus_9s6XKzkN4iz8", "usr_9f3c2a1b", "AL-20417"]
